// Several values in one field: a chip for each, and behind them the one that is being typed.
import { CircleAlert, X } from "lucide-react";
import { useId, useRef } from "react";
import type { ChangeEvent, ClipboardEvent, KeyboardEvent, ReactNode } from "react";
import { partsOf } from "./chip-text.ts";
import type { Choice } from "./choices.ts";
import "../style/chips.css";

interface Props {
  readonly id?: string;
  readonly "aria-label"?: string;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid"?: true | undefined;
  /** A value on each line; the last line is what is being typed. */
  readonly text: string;
  /** The values of a text, typed with commas or pasted. */
  readonly split: (text: string) => readonly string[];
  /** What is wrong with one of the values; null: nothing is known to be. */
  readonly problemOf?: (value: string) => string | null;
  /** What is offered while something is typed. */
  readonly choices?: readonly Choice[] | undefined;
  readonly placeholder?: string | undefined;
  readonly autoFocus?: boolean;
  readonly onChange: (text: string) => void;
}

export function Chips(props: Props): ReactNode {
  const { text, split, problemOf = () => null, choices = [], placeholder, autoFocus, onChange, ...control } = props;
  const own = useId();
  const id = control.id ?? own;
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const { values, typed } = partsOf(text);
  const change = (next: readonly string[], rest = ""): void => onChange([...new Set(next), rest].join("\n"));
  /** Null: the field. */
  const focus = (at: number | null): void => {
    const chips = list.current?.querySelectorAll("button") ?? [];
    (at === null ? input.current : (chips[at] ?? input.current))?.focus();
  };
  const remove = (at: number): void => {
    // The focus must not go where the value goes.
    focus(at + 1 < values.length ? at + 1 : null);
    change(values.toSpliced(at, 1), typed);
  };
  const type = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>): void => {
    const parts = split(target.value);
    // What is chosen from the list of the browser was not typed letter by letter.
    const isChosen = !("inputType" in nativeEvent) || nativeEvent.inputType === "insertReplacementText";
    if (isChosen || parts.join() !== target.value.trim()) change([...values, ...parts]);
    else onChange([...values, target.value].join("\n"));
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const pasted = split(event.clipboardData.getData("text"));
    if (pasted.length < 2) return;
    event.preventDefault();
    change([...values, ...split(typed), ...pasted]);
  };
  const typeKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    const isAtStart = event.currentTarget.selectionStart === 0 && event.currentTarget.selectionEnd === 0;
    if (event.key === "Enter" && typed !== "") change([...values, typed]);
    else if (event.key === "Backspace" && isAtStart && values.length > 0) change(values.slice(0, -1), typed);
    else if (event.key === "ArrowLeft" && isAtStart && values.length > 0) focus(values.length - 1);
    else return;
    event.preventDefault();
  };
  const chipKey = (event: KeyboardEvent, at: number): void => {
    if (event.key === "Delete" || event.key === "Backspace") remove(at);
    else if (event.key === "ArrowLeft") focus(Math.max(0, at - 1));
    else if (event.key === "ArrowRight") focus(at + 1);
    else return;
    event.preventDefault();
  };
  return (
    <div className="chips">
      {values.length > 0 && (
        <ul ref={list}>
          {values.map((value, at) => {
            const isWrong = problemOf(value) !== null;
            return (
              <li key={value} className={isWrong ? "chip bad" : "chip"}>
                {isWrong && <CircleAlert className="i i-s" />}
                {isWrong && <span className="hidden">Invalid: </span>}
                {choices.find(([one]) => one === value)?.[1] ?? value}
                <button
                  type="button"
                  tabIndex={-1}
                  aria-label={`Remove ${value}`}
                  onClick={() => remove(at)}
                  onKeyDown={(event) => chipKey(event, at)}
                >
                  <X className="i i-s" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <input
        {...control}
        id={id}
        className="typed"
        ref={input}
        aria-description={
          values.length > 0 ? "Backspace removes the last value, the left arrow goes to the values" : undefined
        }
        autoComplete="off"
        spellCheck={false}
        autoFocus={autoFocus}
        placeholder={values.length === 0 ? placeholder : undefined}
        list={choices.length > 0 ? `${id}-choices` : undefined}
        required={values.length === 0}
        value={typed}
        onChange={type}
        onKeyDown={typeKey}
        onPaste={paste}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {choices.map(
            ([value, label]) =>
              !values.includes(value) && (
                <option key={value} value={value}>
                  {label}
                </option>
              ),
          )}
        </datalist>
      )}
    </div>
  );
}
