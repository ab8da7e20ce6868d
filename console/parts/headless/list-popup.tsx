// What a select shows while it is open: its values, and above many of them a search.
import { Combobox } from "@base-ui/react/combobox";
import { Select } from "@base-ui/react/select";
import { Check } from "lucide-react";
import { useRef, useState } from "react";
import type { FocusEvent, ReactNode, RefObject } from "react";
import type { Choice } from "../choices.ts";

/** What people look through without a search. */
const MANY = 12;

export interface ListPopupProps {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  /** What is typed can be chosen, too. */
  readonly isFree: boolean;
  /** Typed on the trigger: they opened the list, and count in it once it has the focus. */
  readonly letters: string;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly onPick: (value: string) => void;
  readonly onClose: () => void;
}

interface ListProps extends ListPopupProps {
  readonly container: HTMLElement | undefined;
}

interface Item {
  readonly value: string;
  readonly label: string;
}

/** What is done when something in the list gets the focus for the first time. */
function useFirst(act: (focused: HTMLElement) => void): (event: FocusEvent<HTMLElement>) => void {
  const isOver = useRef(false);
  return ({ target }) => {
    if (!isOver.current) act(target);
    isOver.current = true;
  };
}

function ShortList({ id, choices, value, letters, trigger, onPick, onClose, container }: ListProps): ReactNode {
  const enter = useFirst((list) => {
    for (const key of letters) list.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  });
  return (
    <Select.Root
      open
      value={value}
      onValueChange={(next) => next !== null && onPick(next)}
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <Select.Portal container={container}>
        <Select.Positioner className="layer" anchor={trigger} align="start" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="menu" finalFocus={trigger} onFocus={enter}>
            <Select.List id={id}>
              {choices.map(([one, label]) => (
                <Select.Item key={one} value={one} label={label}>
                  <Select.ItemText>{label}</Select.ItemText>
                  {one === value && <Check className="i i-s" />}
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

function LongList(props: ListProps): ReactNode {
  const { id, choices, value, isFree, letters, trigger, onPick, onClose, container } = props;
  const [typed, setTyped] = useState("");
  const enter = useFirst((input) => {
    if (letters === "" || !(input instanceof HTMLInputElement)) return;
    input.setRangeText(letters, 0, 0, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const own = typed.trim();
  const isNew = isFree && own !== "" && choices.every(([one]) => one !== own);
  const items = [...choices, ...(isNew ? [[own, own] as const] : [])].map(([one, label]): Item => ({
    value: one,
    label,
  }));
  return (
    <Combobox.Root
      open
      items={items}
      value={items.find((item) => item.value === value) ?? null}
      // It knows this, too, but for its types: the first match, before anything else has been typed.
      autoHighlight={letters === "" || ("always" as unknown as true)}
      onInputValueChange={setTyped}
      onValueChange={(next) => next && onPick(next.value)}
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <Combobox.Portal container={container}>
        <Combobox.Positioner className="layer" anchor={trigger} align="start" sideOffset={4}>
          <Combobox.Popup className="menu" finalFocus={trigger} onInput={(event) => event.stopPropagation()}>
            <Combobox.Input onFocus={enter} placeholder={isFree ? "Search or type" : "Search"} aria-label="Search" />
            <Combobox.Empty>{isFree ? "Type to choose" : "Nothing matches"}</Combobox.Empty>
            <Combobox.List id={id}>
              {(item: Item) => (
                <Combobox.Item key={item.value} value={item}>
                  <span>{item.label}</span>
                  {item.value === value && <Check className="i i-s" />}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

export function ListPopup(props: ListPopupProps): ReactNode {
  // What a modal dialog does not contain is covered by it; elsewhere it belongs to the page.
  const container = props.trigger.current?.closest<HTMLElement>("dialog, main") ?? undefined;
  const List = props.isFree || props.choices.length > MANY ? LongList : ShortList;
  return <List {...props} container={container} />;
}
