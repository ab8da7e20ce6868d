// A value that no later response shows.
import type { ReactNode } from "react";
import { Copyable } from "./copy.tsx";

export const SHOWN_ONCE = "Copy it now: it is not shown again.";

export function ShownOnce({ label, value }: { readonly label: string; readonly value: string }): ReactNode {
  return (
    <div className="notice" aria-live="polite">
      <p>{SHOWN_ONCE}</p>
      <Copyable text={value} label={label} />
    </div>
  );
}
