// The details of a row beside its list; where there is no room for both, over it. Escape closes it, J and K go on to the next row and back.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef } from "react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";

const NO_ROOM_BESIDE = "(width < 64rem)";
const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1 };

interface Props {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** To the next row, or back to the one before; absent: there is none. */
  readonly onStep: (by: 1 | -1) => void;
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

export function Drawer({ title, onClose, onStep, foot, children }: Props): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    const isTyping = target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
    // A dialog above it takes the keys.
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if ([...document.querySelectorAll("dialog:modal")].some((one) => one !== element.current)) return;
    if (key === "Escape") onClose();
    const step = STEPS[key];
    if (step !== undefined) onStep(step);
  });
  useEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    if (matchMedia(NO_ROOM_BESIDE).matches) dialog?.showModal();
    else dialog?.show();
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return createPortal(
    <dialog ref={element} className="drawer" aria-labelledby={heading} onClose={onClose}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="icon" aria-label="Previous" aria-description="K" onClick={() => onStep(-1)}>
          <ChevronUp className="i" />
        </button>
        <button type="button" className="icon" aria-label="Next" aria-description="J" onClick={() => onStep(1)}>
          <ChevronDown className="i" />
        </button>
        <button type="button" className="icon" aria-label="Close" aria-description="Esc" onClick={onClose}>
          <X className="i" />
        </button>
      </header>
      <div className="drawer-body">{children}</div>
      {foot && <footer>{foot}</footer>}
    </dialog>,
    document.body,
  );
}
