// The fields of one condition: what it reads, how it compares, and with what.
import type { ReactNode } from "react";
import { CONDITION_TYPES } from "../../../../src/firewall/evaluator/config.ts";
import { EXISTENCE, LISTS, TYPES } from "../../../../src/firewall/evaluator/condition-types.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import type { SharedCondition } from "../config-types.ts";
import { lineOf, withType } from "./rule-form.ts";
import type { TypedCondition } from "./rule-form.ts";
import { TYPE_WORDS, OPERATOR_WORDS } from "./rule-words.ts";

/** What is wrong with a member of the rule, by its path in the API: `conditionGroup[0].conditions[1].value`. */
export type Problems = (path: string) => string | null;

interface Props {
  readonly condition: TypedCondition;
  readonly number: number;
  /** The path of the condition in the rule. */
  readonly path: string;
  readonly problems: Problems;
  readonly shared: readonly SharedCondition[];
  readonly onChange: (condition: TypedCondition) => void;
  /** Undefined: the only one of its group stays. */
  readonly onRemove: (() => void) | undefined;
}

type Part = Pick<Props, "condition" | "path" | "problems" | "shared" | "onChange">;

/** The words of a type as a choice: without the name of the header, and without the article. */
function typeName(type: TypedCondition["type"]): string {
  return TYPE_WORDS[type].replace(/^the /, "");
}

function hintOf({ type, op }: TypedCondition): string | undefined {
  const { choices } = TYPES[type];
  if (LISTS.has(op)) return choices ? `One on each line. ${choices.join(", ")}` : "One on each line.";
  if (op === "re") return "An RE2 expression. ^ and $ stand for the beginning and the end.";
  return type === "ip_address" ? "An address or a network, such as 192.0.2.0/24." : undefined;
}

/** What can be chosen instead of typed, with its names. */
function choicesOf({ type, op }: TypedCondition, shared: readonly SharedCondition[]) {
  if (LISTS.has(op)) return undefined;
  if (type === "shared_condition") return shared.map(({ id, name }) => ({ value: id, name }));
  return TYPES[type].choices?.map((value) => ({ value, name: value }));
}

function ValueField({ condition, path, problems, shared, onChange }: Part): ReactNode {
  const { op, text } = condition;
  if (EXISTENCE.has(op)) return null;
  const isList = LISTS.has(op);
  const choices = choicesOf(condition, shared);
  const change = (value: string): void => onChange({ ...condition, text: value });
  const problem = problems(`${path}.value`);
  return (
    <Field label={isList ? "Values" : "Value"} hint={hintOf(condition)} problem={problem} isWide>
      {(control) => {
        if (choices) {
          return (
            <select {...control} required value={text} onChange={({ target }) => change(target.value)}>
              <option value="">{choices.length === 0 ? "The configuration has no shared conditions" : "Choose"}</option>
              {choices.map(({ value, name }) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          );
        }
        const shown = {
          ...control,
          value: isList ? text : lineOf(text),
          required: true,
          autoComplete: "off",
          spellCheck: false,
        };
        return isList ? (
          <textarea {...shown} className="code" rows={4} onChange={({ target }) => change(target.value)} />
        ) : (
          <input {...shown} onChange={({ target }) => change(target.value)} />
        );
      }}
    </Field>
  );
}

function TypeField({ condition, path, problems, onChange }: Part): ReactNode {
  return (
    <Field label="What" problem={problems(`${path}.type`)}>
      {(control) => (
        <select
          {...control}
          value={condition.type}
          onChange={({ target }) => onChange(withType(condition, target.value as TypedCondition["type"]))}
        >
          {CONDITION_TYPES.map((type) => (
            <option key={type} value={type}>
              {typeName(type)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function OperatorField({ condition, path, problems, onChange }: Part): ReactNode {
  return (
    <Field label="How" problem={problems(`${path}.op`)}>
      {(control) => (
        <select
          {...control}
          value={condition.op}
          onChange={({ target }) => onChange({ ...condition, op: target.value as TypedCondition["op"] })}
        >
          {TYPES[condition.type].operators.map((op) => (
            <option key={op} value={op}>
              {OPERATOR_WORDS[op]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function ConditionFields({ number, onRemove, ...part }: Props): ReactNode {
  const { condition, path, problems, onChange } = part;
  return (
    <fieldset className="condition">
      <legend>Condition {number}</legend>
      <TypeField {...part} />
      {TYPES[condition.type].hasKey && (
        <Field label="Name" problem={problems(`${path}.key`)}>
          {(control) => (
            <input
              {...control}
              required
              autoComplete="off"
              spellCheck={false}
              value={condition.key}
              onChange={({ target }) => onChange({ ...condition, key: target.value })}
            />
          )}
        </Field>
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={condition.isNot}
          onChange={({ target }) => onChange({ ...condition, isNot: target.checked })}
        />
        not
      </label>
      <OperatorField {...part} />
      <ValueField {...part} />
      {onRemove && (
        <Button kind="plain" aria-label={`Remove the condition ${number}`} onClick={onRemove}>
          ×
        </Button>
      )}
    </fieldset>
  );
}
