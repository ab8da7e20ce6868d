// What opens at a button and closes by itself: on Escape, on a press beside it, and when it led to another page. Arrows go through it.
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";

interface Props {
  /** Its button has it as `popoverTarget`. */
  readonly id: string;
  readonly className: string;
  /** It is part of the page where there is room, and a popup elsewhere. */
  readonly isKept?: true;
  readonly children: ReactNode;
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus among what can have it; to the first one from elsewhere. */
export function stepFocus(within: Element, step: 1 | -1): void {
  const stops = [...within.querySelectorAll<HTMLElement>("a, button, input")];
  stops[Math.min(Math.max(0, stops.indexOf(document.activeElement as HTMLElement) + step), stops.length - 1)]?.focus();
}

export function Popup({ id, className, isKept, children }: Props): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current !== location) element.current?.hidePopover();
    shown.current = location;
  }, [location]);
  useEffect(() => {
    const popup = element.current;
    if (!isOpen || isKept || !popup) return undefined;
    if (!popup.contains(document.activeElement)) stepFocus(popup, 1);
    const listen = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      if (step === undefined) return;
      event.preventDefault();
      stepFocus(popup, step);
    };
    popup.addEventListener("keydown", listen);
    return () => popup.removeEventListener("keydown", listen);
  }, [isOpen, isKept]);
  return (
    <div
      ref={element}
      id={id}
      className={className}
      popover="auto"
      onToggle={({ newState }) => setOpen(newState === "open")}
    >
      {(isKept ?? isOpen) && children}
    </div>
  );
}
