// What goes by keys in the console.
import { Fragment } from "react";
import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";

/** Each key of a shortcut is shown on its own; on a Mac, Command is as good as Ctrl. */
const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  ["Ctrl K", "Search pages, things and actions"],
  ["Ctrl /", "Show these shortcuts"],
  ["↑ ↓", "Move in a menu, a list or the search"],
  ["J", "Next row, beside a list with an opened row"],
  ["K", "Previous row"],
  ["Space", "Pick up a rule on its handle, then move it with ↑ and ↓"],
  ["F6", "Go to a message at the edge of the page"],
  ["Esc", "Close what is open"],
];

export function Shortcuts({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl>
        {SHORTCUTS.map(([keys, what]) => (
          <Fragment key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
