// Below a long form, always in view: how much was changed, and what is done with it.
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { NOTHING_CHANGED } from "./form.tsx";
import "../style/save-bar.css";

interface Props {
  readonly changes: number;
  /** What saving does. */
  readonly about?: string;
  readonly label: string;
  /** Why nothing can be saved; null: it can. */
  readonly whyNot: string | null;
  readonly busy: boolean;
  /** The form that is submitted; absent: `onSave` is called. */
  readonly form?: string;
  readonly onSave?: () => void;
  readonly onDiscard: () => void;
}

export function SaveBar({ changes, about, label, whyNot, busy, form, onSave, onDiscard }: Props): ReactNode {
  return (
    <div className="save-bar">
      <p className="grow">
        {changes === 0 ? "No unsaved changes" : `${changes} unsaved ${changes === 1 ? "change" : "changes"}`}{" "}
        {about && <span className="small">{about}</span>}
      </p>
      <Button kind="plain" disabledBecause={changes === 0 ? NOTHING_CHANGED : null} onClick={onDiscard}>
        Discard
      </Button>
      <Button
        {...(form === undefined ? { onClick: onSave } : { type: "submit", form })}
        disabledBecause={whyNot}
        busy={busy}
      >
        {label}
      </Button>
    </div>
  );
}
