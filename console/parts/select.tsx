// One of several values: a button that opens their list, which has a search where it is long.
import { ChevronDown, Plus, X } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { choicesOf } from "./choices.ts";
import type { Choice, Choices } from "./choices.ts";
import { lazy } from "./lazy-page.tsx";
import { useSearchValue } from "./search-value.ts";

const ListPopup = lazy(async () => (await import("./headless/headless.tsx")).HEADLESS.ListPopup, null);

interface Props<V extends string> {
  readonly id?: string;
  readonly className?: string;
  readonly "aria-label"?: string;
  readonly "aria-labelledby"?: string;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid"?: true | undefined;
  readonly choices: Choices<V>;
  /** The form's field that has the value. */
  readonly name?: string;
  /** Absent: the first one that is given, or `defaultValue`, until another one is chosen. */
  readonly value?: V;
  readonly defaultValue?: V;
  readonly onChange?: (value: V) => void;
  readonly autoFocus?: boolean | undefined;
  /** Why nothing can be chosen; null: it can. */
  readonly whyNot?: string | null;
  /** What was chosen is being stored: it cannot be opened meanwhile. */
  readonly busy?: boolean;
  /** It is a chip, and this is its label. */
  readonly filter?: string;
  /** Of a chip. */
  readonly icon?: LucideIcon;
  /** Other values may be typed. */
  readonly isFree?: boolean;
}

export function Select<V extends string>(props: Props<V>): ReactNode {
  const {
    choices,
    name,
    value,
    defaultValue,
    onChange,
    autoFocus = false,
    whyNot = null,
    busy = false,
    filter,
    icon: Icon = Plus,
    isFree = false,
    ...rest
  } = props;
  const trigger = useRef<HTMLButtonElement>(null);
  const list = useId();
  const [isOpen, setOpen] = useState(false);
  const [letters, setLetters] = useState("");
  const [picked, setPicked] = useState(defaultValue);
  useEffect(() => {
    if (autoFocus) trigger.current?.focus();
  }, [autoFocus]);
  const listed = choicesOf(choices);
  const shown = (value ?? picked ?? listed[0]?.[0]) as V;
  const isOn = filter !== undefined && (shown as string) !== "";
  const label = listed.find(([one]) => one === shown)?.[1] ?? shown;
  const isOff = whyNot !== null || busy;
  const open = (first: string): void => {
    setLetters(first);
    setOpen(!isOff);
  };
  const pick = (next: V): void => {
    flushSync(() => {
      setOpen(false);
      setPicked(next);
      if (next !== shown) onChange?.(next);
    });
    // What a form asks before it is left.
    if (next !== shown) trigger.current?.dispatchEvent(new Event("input", { bubbles: filter === undefined }));
    trigger.current?.focus();
  };
  return (
    <>
      <button
        {...rest}
        ref={trigger}
        type="button"
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the list of a native one cannot be styled or searched
        role="combobox"
        className={filter === undefined ? `select ${rest.className ?? ""}` : isOn ? "filter on" : "filter"}
        aria-label={rest["aria-label"] ?? filter}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-disabled={isOff || undefined}
        aria-busy={busy || undefined}
        aria-description={whyNot ?? undefined}
        data-value={shown}
        onPointerEnter={ListPopup.preload}
        onFocus={ListPopup.preload}
        onClick={() => open("")}
        onKeyDown={(event) => {
          const { key, altKey, ctrlKey, metaKey } = event;
          const isLetter = key.length === 1 && key !== " " && !altKey && !ctrlKey && !metaKey;
          if (!isLetter && key !== "ArrowDown" && key !== "ArrowUp") return;
          event.preventDefault();
          if (isOpen && isLetter) setLetters((before) => before + key);
          else open(isLetter ? key : "");
        }}
      >
        {filter !== undefined && <Icon className="i i-s" />}
        {filter !== undefined && <span>{filter}</span>}
        {filter === undefined ? <span>{label}</span> : isOn && <b>{label}</b>}
        {filter === undefined && <ChevronDown className="i i-s" />}
      </button>
      {name !== undefined && <input type="hidden" name={name} value={shown} />}
      {isOpen && (
        <ListPopup
          id={list}
          choices={filter === undefined ? listed : listed.filter(([one]) => one !== "")}
          value={shown}
          isFree={isFree}
          letters={letters}
          trigger={trigger}
          onPick={(next) => pick(next as V)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface FilterProps<V extends string> {
  readonly label: string;
  /** Of what it narrows the list by. */
  readonly icon?: LucideIcon;
  readonly choices: Choices<V>;
  /** Empty: the list is not narrowed by it. */
  readonly value: V | "";
  readonly onChange: (value: V | "") => void;
  /** Other values may be typed. */
  readonly isFree?: boolean;
}

/** A chip in the line above a list. */
export function Filter<V extends string>({
  label,
  icon,
  choices,
  value,
  onChange,
  isFree = false,
}: FilterProps<V>): ReactNode {
  const shown: readonly Choice[] = [["", ""], ...choicesOf(choices)];
  return (
    <span className="filter-chip">
      <Select<string>
        filter={label}
        {...(icon && { icon })}
        choices={shown}
        value={value}
        isFree={isFree}
        onChange={(next) => onChange(next as V)}
      />
      {value !== "" && (
        <button type="button" className="plain icon clear" aria-label={`Clear ${label}`} onClick={() => onChange("")}>
          <X className="i i-s" />
        </button>
      )}
    </span>
  );
}

/** A filter that is part of the page's address, under a name. */
export function SearchFilter({
  name,
  ...rest
}: Omit<FilterProps<string>, "value" | "onChange"> & { readonly name: string }): ReactNode {
  const [value, onChange] = useSearchValue(name);
  return <Filter {...rest} value={value} onChange={onChange} />;
}
