// One condition in one line: what it reads, how it compares, and with what.
import { X } from "lucide-react";
import { useId, useState } from "react";
import type { ClipboardEvent, ReactNode } from "react";
import { CONDITION_TYPES } from "../../../../src/firewall/evaluator/config.ts";
import { EXISTENCE, LISTS, TYPES } from "../../../../src/firewall/evaluator/condition-types.ts";
import type { SharedCondition } from "../config-types.ts";
import { asChips } from "../../../parts/chip-text.ts";
import { Chips } from "../../../parts/chips.tsx";
import { lineOf, linesOf, listedIn, withComparison, withType } from "./rule-form.ts";
import type { TypedCondition } from "./rule-form.ts";
import { TYPE_WORDS, comparisonsOf, operatorWords, withoutNot } from "./rule-words.ts";
import { Select } from "../../../parts/select.tsx";
import { sentence } from "../../../parts/sentence.ts";

/**
 * What is wrong with a member of the rule, by its path in the API: `conditionGroup[0].conditions[1].value`. Of a list it is what is wrong
 * with that value, as soon as it is there.
 */
export type Problems = (path: string, value?: string) => string | null;

interface Props {
  readonly condition: TypedCondition;
  /** From 1, in the whole rule. */
  readonly number: number;
  /** Whether it is the first one of its group. */
  readonly isFirst: boolean;
  /** The path of the condition in the rule. */
  readonly path: string;
  readonly problems: Problems;
  readonly shared: readonly SharedCondition[];
  readonly onChange: (condition: TypedCondition) => void;
  /** Undefined: the only one of the rule stays. */
  readonly onRemove: (() => void) | undefined;
}

type Part = Pick<Props, "condition" | "number" | "path" | "problems" | "shared" | "onChange">;

interface Control {
  readonly "aria-label": string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

/** A control without a label in view, with what is wrong with it below. */
function Cell({
  name,
  problem,
  className,
  children,
}: {
  readonly name: string;
  readonly problem: string | null;
  readonly className?: string;
  readonly children: (control: Control) => ReactNode;
}): ReactNode {
  const id = useId();
  const isWrong = problem !== null;
  return (
    <div className={className}>
      {children({
        "aria-label": name,
        "aria-describedby": isWrong ? id : undefined,
        "aria-invalid": isWrong ? true : undefined,
      })}
      {isWrong && (
        <p id={id} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The words of a type as a choice: `Client’s address`. */
function typeName(type: TypedCondition["type"]): string {
  return sentence(TYPE_WORDS[type].replace(/^the /, ""));
}

function exampleOf({ type, op }: TypedCondition): string | undefined {
  if (LISTS.has(op)) return "Type or paste values";
  if (op === "re") return "RE2 expression; ^ and $ are the ends";
  return type === "ip_address" ? "192.0.2.7 or 192.0.2.0/24" : undefined;
}

/** What can be chosen instead of typed, with its names. */
function choicesOf({ type }: TypedCondition, shared: readonly SharedCondition[]) {
  if (type === "shared_condition") return shared.map(({ id, name }) => [id, name] as const);
  return TYPES[type].choices?.map((value) => [value, value] as const);
}

/** The condition after a paste of several values, which `is` takes as `is one of`; null: it is no list. */
function withPasted(condition: TypedCondition, field: HTMLInputElement, text: string) {
  const op = ({ eq: "inc", neq: "ninc" } as const)[condition.op as string];
  const pasted = listedIn(condition.type, text);
  if (pasted.length < 2 || op === undefined) return null;
  const [before, after] = [field.value.slice(0, field.selectionStart ?? 0), field.value.slice(field.selectionEnd ?? 0)];
  const values = [before, ...pasted, after].filter((value) => value !== "");
  return { ...condition, op, text: asChips([...new Set(values)].join("\n")) };
}

/** Several values, and what is wrong with each. */
function ValuesCell({
  condition,
  number,
  path,
  problems,
  shared,
  isFocused,
  onChange,
}: Part & { readonly isFocused: boolean }) {
  const { type, text } = condition;
  const problemOf = (value: string) => problems(`${path}.value`, value);
  const wrong = linesOf(text).flatMap((value) => {
    const problem = problemOf(value);
    return problem === null ? [] : [`${value}: ${problem}`];
  });
  return (
    <Cell
      name={`Value of condition ${number}`}
      problem={wrong.length > 0 ? wrong.join("; ") : problems(`${path}.value`)}
      className="grow"
    >
      {(control) => (
        <Chips
          {...control}
          text={text}
          split={(typed) => listedIn(type, typed)}
          problemOf={problemOf}
          choices={choicesOf(condition, shared)}
          placeholder={exampleOf(condition)}
          autoFocus={isFocused}
          onChange={(changed) => onChange({ ...condition, text: changed })}
        />
      )}
    </Cell>
  );
}

function ValueCell({ condition, number, path, problems, shared, onChange }: Part): ReactNode {
  const { op, text } = condition;
  const [isPasted, setPasted] = useState(false);
  if (EXISTENCE.has(op)) return null;
  // The field of one value that a list was pasted into has had the focus.
  if (LISTS.has(op))
    return <ValuesCell {...{ condition, number, path, problems, shared, onChange }} isFocused={isPasted} />;
  const choices = choicesOf(condition, shared);
  const change = (value: string): void => onChange({ ...condition, text: value });
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const list = withPasted(condition, event.currentTarget, event.clipboardData.getData("text"));
    if (!list) return;
    event.preventDefault();
    setPasted(true);
    onChange(list);
  };
  return (
    <Cell name={`Value of condition ${number}`} problem={problems(`${path}.value`)} className="grow">
      {(control) =>
        choices ? (
          <Select
            {...control}
            choices={[["", choices.length === 0 ? "The configuration has no shared conditions" : "Choose"], ...choices]}
            value={text}
            onChange={change}
          />
        ) : (
          <input
            {...control}
            className="mono"
            required
            autoComplete="off"
            spellCheck={false}
            placeholder={exampleOf(condition)}
            value={lineOf(text)}
            onChange={({ target }) => change(target.value)}
            onPaste={paste}
          />
        )
      }
    </Cell>
  );
}

function KeyCell({ condition, number, path, problems, onChange }: Part): ReactNode {
  if (!TYPES[condition.type].hasKey) return null;
  return (
    <Cell name={`Name in condition ${number}`} problem={problems(`${path}.key`)} className="grow">
      {(control) => (
        <input
          {...control}
          className="mono"
          placeholder="Name"
          required
          autoComplete="off"
          spellCheck={false}
          value={condition.key}
          onChange={({ target }) => onChange({ ...condition, key: target.value })}
        />
      )}
    </Cell>
  );
}

function TypeCell({ condition, number, path, problems, onChange }: Part): ReactNode {
  return (
    <Cell name={`Field of condition ${number}`} problem={problems(`${path}.type`)}>
      {(control) => (
        <Select
          {...control}
          autoFocus={condition.isAdded}
          choices={CONDITION_TYPES.map((type) => [type, typeName(type)] as const)}
          value={condition.type}
          onChange={(type) => onChange(withType(condition, type))}
        />
      )}
    </Cell>
  );
}

function OperatorCell({ condition, number, path, problems, onChange }: Part): ReactNode {
  const shown = withoutNot(condition);
  const comparisons = comparisonsOf(TYPES[condition.type].operators);
  const at = comparisons.findIndex(({ op, isNot }) => op === shown.op && isNot === shown.isNot);
  return (
    <Cell name={`Operator of condition ${number}`} problem={problems(`${path}.op`)}>
      {(control) => (
        <Select
          {...control}
          choices={comparisons.map((one, index) => [String(index), operatorWords(one)] as const)}
          value={String(at)}
          onChange={(index) => onChange(withComparison(condition, comparisons[Number(index)] ?? shown))}
        />
      )}
    </Cell>
  );
}

export function ConditionFields({ isFirst, onRemove, ...part }: Props): ReactNode {
  const { number } = part;
  return (
    <fieldset className="condition" aria-label={`Condition ${number}`}>
      <span className="word">{isFirst ? "if" : "and"}</span>
      <TypeCell {...part} />
      <OperatorCell {...part} />
      <div className="condition-value">
        <KeyCell {...part} />
        <ValueCell {...part} />
      </div>
      {onRemove && (
        <button type="button" className="plain icon" aria-label={`Remove condition ${number}`} onClick={onRemove}>
          <X className="i" />
        </button>
      )}
    </fieldset>
  );
}
