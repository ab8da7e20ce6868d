// A value that no later response shows.
import type { ReactNode } from "react";
import { TEXTS } from "../texts.ts";
import { Copyable } from "./copy.tsx";

export function ShownOnce({ label, value }: { readonly label: string; readonly value: string }): ReactNode {
  return (
    <div className="notice" aria-live="polite">
      <p>{TEXTS.shownOnce}</p>
      <Copyable text={value} label={label} />
    </div>
  );
}
