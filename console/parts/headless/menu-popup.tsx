// What a menu shows while it is open: keys, letters, focus and place are those of Base UI.
import { Menu } from "@base-ui/react/menu";
import { Fragment, useId, useRef } from "react";
import type { ReactNode, RefObject } from "react";
import type { MenuEntry, MenuItem } from "../menu-entries.ts";

export interface MenuPopupProps {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly trigger: RefObject<HTMLButtonElement | null>;
  /** Opened by a key: its first item gets the focus. */
  readonly isByKey: boolean;
  readonly onPick: (item: MenuItem) => void;
  readonly onClose: () => void;
}

function Item({ item, onPick }: { readonly item: MenuItem; readonly onPick: (item: MenuItem) => void }): ReactNode {
  const { label, icon: Icon, isDanger = false, whyNot = null } = item;
  const id = useId();
  return (
    <Menu.Item
      className={isDanger ? "danger" : undefined}
      label={label}
      disabled={whyNot !== null}
      aria-labelledby={`${id}-label`}
      aria-describedby={whyNot === null ? undefined : `${id}-reason`}
      onClick={() => onPick(item)}
    >
      {Icon && <Icon className="i" />}
      <span>
        <span id={`${id}-label`}>{label}</span>
        {whyNot !== null && (
          <span id={`${id}-reason`} className="reason">
            {whyNot}
          </span>
        )}
      </span>
    </Menu.Item>
  );
}

export function MenuPopup({ label, entries, trigger, isByKey, onPick, onClose }: MenuPopupProps): ReactNode {
  const hasBegun = useRef(false);
  return (
    <Menu.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      {/* What a modal dialog does not contain is covered by it; elsewhere it belongs to the page. */}
      <Menu.Portal container={trigger.current?.closest<HTMLElement>("dialog, main") ?? undefined}>
        <Menu.Positioner className="layer" anchor={trigger} align="end" sideOffset={4}>
          <Menu.Popup
            className="menu"
            aria-label={label}
            finalFocus={trigger}
            // The menu gets the focus first, whatever opened it.
            onFocus={({ target, currentTarget }) => {
              if (hasBegun.current || target !== currentTarget) return;
              hasBegun.current = true;
              if (isByKey) currentTarget.querySelector<HTMLElement>("[role=menuitem]")?.focus();
            }}
          >
            {entries.map((entry, at) => (
              <Fragment key={entry === "line" ? at : entry.label}>
                {entry === "line" ? <Menu.Separator /> : <Item item={entry} onPick={onPick} />}
              </Fragment>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
