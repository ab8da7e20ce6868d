// One condition in one line: what it reads, how it compares, and with what.
import { X } from "lucide-react";
import { useId, useState } from "react";
import type { ClipboardEvent, ReactNode } from "react";
import { CONDITION_TYPES } from "../../../../src/firewall/evaluator/config.ts";
import { EXISTENCE, LISTS, TYPES } from "../../../../src/firewall/evaluator/condition-types.ts";
import type { SharedCondition } from "../config-types.ts";
import { lineOf, linesOf, listedIn, withType } from "./rule-form.ts";
import type { TypedCondition } from "./rule-form.ts";
import { TYPE_WORDS, comparisonsOf, operatorWords, withoutNot } from "./rule-words.ts";
import { Select } from "../../../parts/select.tsx";
import { sentence } from "../../../parts/sentence.ts";

/** What is wrong with a member of the rule, by its path in the API: `conditionGroup[0].conditions[1].value`. */
export type Problems = (path: string) => string | null;

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
  if (LISTS.has(op)) return `${TYPES[type].choices?.join(", ") ?? "Values"}, one on each line`;
  if (op === "re") return "RE2 expression; ^ and $ are the ends";
  return type === "ip_address" ? "192.0.2.7 or 192.0.2.0/24" : undefined;
}

/** What can be chosen instead of typed, with its names. */
function choicesOf({ type, op }: TypedCondition, shared: readonly SharedCondition[]) {
  if (LISTS.has(op)) return undefined;
  if (type === "shared_condition") return shared.map(({ id, name }) => ({ value: id, name }));
  return TYPES[type].choices?.map((value) => ({ value, name: value }));
}

const MOST_LINES = 6;

/** The condition after a paste of several values, which `is` takes as `is one of`; null: it is no list. */
function withPasted(condition: TypedCondition, field: HTMLInputElement | HTMLTextAreaElement, text: string) {
  const { type, op } = condition;
  const severalOp = LISTS.has(op) ? op : ({ eq: "inc", neq: "ninc" } as const)[op as string];
  const pasted = listedIn(type, text);
  if (pasted.length < 2 || severalOp === undefined) return null;
  const [before, after] = [field.value.slice(0, field.selectionStart ?? 0), field.value.slice(field.selectionEnd ?? 0)];
  const lines = [...linesOf(before), ...pasted, ...linesOf(after)];
  return { ...condition, op: severalOp, text: [...new Set(lines)].join("\n") };
}

function ValueCell({ condition, number, path, problems, shared, onChange }: Part): ReactNode {
  const { op, text } = condition;
  const [isPasted, setPasted] = useState(false);
  if (EXISTENCE.has(op)) return null;
  const choices = choicesOf(condition, shared);
  const change = (value: string): void => onChange({ ...condition, text: value });
  const paste = (event: ClipboardEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
    const list = withPasted(condition, event.currentTarget, event.clipboardData.getData("text"));
    if (!list) return;
    event.preventDefault();
    setPasted(true);
    onChange(list);
  };
  return (
    <Cell name={`Value of condition ${number}`} problem={problems(`${path}.value`)} className="grow">
      {(control) => {
        if (choices) {
          return (
            <Select
              {...control}
              choices={[
                ["", choices.length === 0 ? "The configuration has no shared conditions" : "Choose"],
                ...choices.map((one) => [one.value, one.name] as const),
              ]}
              value={text}
              onChange={change}
            />
          );
        }
        const typed = {
          ...control,
          className: "mono",
          required: true,
          autoComplete: "off",
          spellCheck: false,
          placeholder: exampleOf(condition),
          onPaste: paste,
        };
        return LISTS.has(op) ? (
          <textarea
            {...typed}
            // The field of one value that a list was pasted into has had the focus.
            autoFocus={isPasted}
            rows={Math.min(MOST_LINES, text.split("\n").length)}
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        ) : (
          <input {...typed} value={lineOf(text)} onChange={({ target }) => change(target.value)} />
        );
      }}
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
          onChange={(index) => onChange({ ...condition, ...comparisons[Number(index)] })}
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
