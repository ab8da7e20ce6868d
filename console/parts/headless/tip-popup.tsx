// A short text above an element.
import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactNode } from "react";

export interface TipProps {
  readonly anchor: Element;
  readonly text: string;
}

export function TipPopup({ anchor, text }: TipProps): ReactNode {
  return (
    <Tooltip.Root open>
      {/* What a modal dialog does not contain is covered by it. */}
      <Tooltip.Portal container={anchor.closest<HTMLElement>("[popover], dialog, main, nav, header") ?? undefined}>
        <Tooltip.Positioner className="layer" anchor={anchor} sideOffset={4}>
          <Tooltip.Popup className="tip">{text}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
