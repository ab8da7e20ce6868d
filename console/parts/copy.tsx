// Texts with a button that copies them. Browsers have a clipboard for pages of https and localhost only: elsewhere there is no button.
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import type { MenuEntry } from "./menu-entries.ts";
import { toast } from "./toast.tsx";

const canCopy = "clipboard" in navigator;

interface CopyProps {
  readonly text: string;
  /** The button is an icon with this name. */
  readonly label?: string;
  /** What the button says, where it is none. */
  readonly words?: string;
}

export function CopyButton({ text, label, words = "Copy" }: CopyProps): ReactNode {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  if (!canCopy) return null;
  const isCopied = copied === text;
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      className={label === undefined ? "plain" : "plain icon"}
      aria-label={label && (isCopied ? "Copied" : label)}
      onClick={() => void copy()}
    >
      {label === undefined ? isCopied ? "Copied" : words : <Icon className="i i-s" />}
    </button>
  );
}

export function Id({ of }: { readonly of: string }): ReactNode {
  return (
    <span className="id">
      <code>{of}</code>
      <CopyButton text={of} label="Copy id" />
    </span>
  );
}

/** In the menu of a row. */
export function copyEntry(label: string, text: string): readonly MenuEntry[] {
  const onSelect = (): void => void navigator.clipboard.writeText(text).then(() => toast("Copied"));
  return canCopy ? [{ label, icon: Copy, onSelect }] : [];
}

export function Copyable({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <div className="copyable">
      <input readOnly value={text} aria-label={label} onFocus={(event) => event.target.select()} />
      <CopyButton text={text} />
    </div>
  );
}
