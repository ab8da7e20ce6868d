// The actions of a row or of a page, behind a button with three dots.
import { Ellipsis } from "lucide-react";
import { useRef, useState } from "react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { lazy } from "./lazy-page.tsx";
import type { MenuEntry, MenuItem } from "./menu-entries.ts";

const MenuPopup = lazy(async () => (await import("./headless/headless.tsx")).HEADLESS.MenuPopup, null);

/** Loads what opens above a page once the page itself is there, so that nobody waits for it. */
export function preloadWhenIdle(): void {
  // Safari has no such callback.
  if ("requestIdleCallback" in window) requestIdleCallback(MenuPopup.preload);
  else setTimeout(MenuPopup.preload, 1000);
}

interface Props {
  /** Says to screen readers what the actions are of. */
  readonly label: string;
  readonly entries: readonly MenuEntry[];
}

export function Menu({ label, entries }: Props): ReactNode {
  const trigger = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<"by key" | "by pointer" | null>(null);
  const pick = (item: MenuItem): void => {
    // A dialog that the item opens gives the focus back to what had it before: the menu is gone by then, and its button has it.
    flushSync(() => setOpened(null));
    trigger.current?.focus();
    item.onSelect();
  };
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className="plain icon"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened !== null}
        onPointerEnter={MenuPopup.preload}
        onFocus={MenuPopup.preload}
        // A key that presses a button is a click without a count.
        onClick={({ detail }) => setOpened(detail === 0 ? "by key" : "by pointer")}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpened("by key");
        }}
      >
        <Ellipsis className="i" />
      </button>
      {opened !== null && (
        <MenuPopup
          label={label}
          entries={entries}
          trigger={trigger}
          isByKey={opened === "by key"}
          onPick={pick}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}
