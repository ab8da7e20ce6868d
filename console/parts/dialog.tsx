// A modal dialog: the browser's own, which keeps the focus inside and closes on Escape.
import { X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { ReactNode } from "react";
import { askToLeave, useLeaveWarning } from "./leave-warning.ts";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Shown while it is rendered. */
export function Dialog({ title, onClose, children }: Props): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [isTyped, setTyped] = useState(false);
  useLeaveWarning(isTyped);
  useEffect(() => {
    element.current?.showModal();
    // Otherwise the button that closes it would have the focus.
    element.current
      ?.querySelector<HTMLElement>("form :is(input:not([type=hidden]), textarea, [role=combobox])")
      ?.focus();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onInput={() => setTyped(true)}
      onCancel={(event) => {
        // Where the form is gone, what was typed is stored.
        if (isTyped && event.target === element.current && element.current?.querySelector("form")) askToLeave(event);
      }}
      onClose={onClose}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="plain icon" aria-label="Close" onClick={() => element.current?.close()}>
          <X className="i" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
