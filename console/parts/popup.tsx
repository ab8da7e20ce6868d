// What opens at a button and closes by itself: on Escape, on a press beside it, and when it led to another page.
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";

interface Props {
  /** Its button has it as `popoverTarget`. */
  readonly id: string;
  readonly className: string;
  readonly children: ReactNode;
}

export function Popup({ id, className, children }: Props): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current !== location) element.current?.hidePopover();
    shown.current = location;
  }, [location]);
  return (
    <div ref={element} id={id} className={className} popover="auto">
      {children}
    </div>
  );
}
