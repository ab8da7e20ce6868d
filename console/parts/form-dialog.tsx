// A dialog with a form that makes one change: what was refused, the fields, and the button that sends it.
import type { ReactNode, SubmitEventHandler, SyntheticEvent } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { otherProblem } from "./form.tsx";
import { Refusal } from "./proof.tsx";

interface Props {
  readonly title: string;
  /** What the button says; by default the title. */
  readonly label?: string;
  readonly kind?: "main" | "danger";
  readonly disabledBecause?: string | null;
  readonly change: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly variables?: unknown;
    mutate?(variables: unknown): void;
  };
  /** After a fresh proof of who one is; by default what was refused is sent again. */
  readonly onRetry?: () => void;
  /** Those of the API's fields that show what is wrong with them. */
  readonly fields?: readonly string[];
  /** Above the refusal: what it is about. */
  readonly about?: ReactNode;
  /** In place of the refusal, unless it is false. */
  readonly conflict?: ReactNode;
  /** In place of the form, once the change is made. */
  readonly done?: ReactNode;
  readonly onSubmit: SubmitEventHandler<HTMLFormElement>;
  readonly onChange?: (event: SyntheticEvent<HTMLFormElement>) => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

export function FormDialog(props: Props): ReactNode {
  const { title, label = title, kind = "main", disabledBecause = null, change, fields = [] } = props;
  const { about, conflict, done, onSubmit, onChange, onClose, children } = props;
  const other = otherProblem(change.error, fields);
  const retry = (): void => {
    if (change.variables !== undefined) change.mutate?.(change.variables);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {done || (
        <form onSubmit={onSubmit} onInput={onChange}>
          {about}
          {conflict || (other && <Refusal error={other} retry={props.onRetry ?? retry} />)}
          {children}
          <footer>
            <Button kind="plain" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" kind={kind} disabledBecause={disabledBecause} busy={change.isPending}>
              {label}
            </Button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}
