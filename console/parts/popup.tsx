// What opens at a button and closes by itself: on Escape, on a press beside it, and when it led to another page.
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

export function Popup({ id, className, isKept, children }: Props): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current !== location) element.current?.hidePopover();
    shown.current = location;
  }, [location]);
  return (
    <div
      ref={element}
      id={id}
      className={className}
      popover="auto"
      onBeforeToggle={({ newState }) => setOpen(newState === "open")}
    >
      {(isKept ?? isOpen) && children}
    </div>
  );
}
