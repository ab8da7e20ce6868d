// A text with a button that copies it.
import { useState } from "react";
import type { ReactNode } from "react";

/** Copies a text. Browsers have a clipboard for pages of https and localhost only: elsewhere there is no button. */
export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  if (!("clipboard" in navigator)) return null;
  return (
    <button type="button" className="plain" onClick={() => void copy()}>
      {copied === text ? "Copied" : "Copy"}
    </button>
  );
}

export function Copyable({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <div className="copyable">
      <input readOnly value={text} aria-label={label} onFocus={(event) => event.target.select()} />
      <CopyButton text={text} />
    </div>
  );
}
