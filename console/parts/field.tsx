// A form's field: its label, its hint and what is wrong with it, tied together for screen readers.
import { useId } from "react";
import type { ReactNode } from "react";

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | null;
  /** Takes the place of two beside others. */
  readonly isWide?: boolean;
  /** Renders the control with what ties it to the label. */
  readonly children: (control: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": true | undefined;
  }) => ReactNode;
}

export function Field({ label, hint, problem, isWide = false, children }: Props): ReactNode {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className={isWide ? "field wide" : "field"}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": problem ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
