// A filter of a list: dashed where it may be set, filled with its value where it is. The control lies over it, unseen.
import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  readonly label: string;
  /** What it is set to; null: nothing. */
  readonly shown: string | null;
  readonly onClear: () => void;
  /** A native control that has the label as its name. */
  readonly children: ReactNode;
}

export function Filter({ label, shown, onClear, children }: Props): ReactNode {
  return (
    <span className={shown === null ? "filter" : "filter on"}>
      {shown === null && <Plus className="i i-s" />}
      <span aria-hidden="true">
        {label} <b>{shown}</b>
      </span>
      {children}
      {shown !== null && (
        <button type="button" aria-label={`Clear ${label}`} onClick={onClear}>
          <X className="i i-s" />
        </button>
      )}
    </span>
  );
}
