// The fields of one condition: what it reads, how it compares, and with what.
import type { ReactNode } from "react";
import { CONDITION_TYPES } from "../../../../src/evaluator/config.ts";
import { EXISTENCE, LISTS, TYPES } from "../../../../src/evaluator/condition-types.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { TEXTS, fill } from "../../../texts.ts";
import type { SharedCondition } from "../config-types.ts";
import { lineOf, withType } from "./rule-form.ts";
import type { TypedCondition } from "./rule-form.ts";

const T = TEXTS.rule;
const W = TEXTS.ruleWords;

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
  return fill(W.types[type], { key: "" }).trim().replace(/^the /, "");
}

function hintOf({ type, op }: TypedCondition): string | undefined {
  const { choices } = TYPES[type];
  if (LISTS.has(op)) return choices ? `${T.valuesHint} ${choices.join(", ")}` : T.valuesHint;
  if (op === "re") return T.patternHint;
  return type === "ip_address" ? T.addressHint : undefined;
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
    <Field label={isList ? T.values : T.value} hint={hintOf(condition)} problem={problem} isWide>
      {(control) => {
        if (choices) {
          return (
            <select {...control} required value={text} onChange={({ target }) => change(target.value)}>
              <option value="">{choices.length === 0 ? T.noShared : T.choose}</option>
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
    <Field label={T.type} problem={problems(`${path}.type`)}>
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
    <Field label={T.op} problem={problems(`${path}.op`)}>
      {(control) => (
        <select
          {...control}
          value={condition.op}
          onChange={({ target }) => onChange({ ...condition, op: target.value as TypedCondition["op"] })}
        >
          {TYPES[condition.type].operators.map((op) => (
            <option key={op} value={op}>
              {W.operators[op]}
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
      <legend>{fill(T.condition, { number })}</legend>
      <TypeField {...part} />
      {TYPES[condition.type].hasKey && (
        <Field label={T.key} problem={problems(`${path}.key`)}>
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
        {T.not}
      </label>
      <OperatorField {...part} />
      <ValueField {...part} />
      {onRemove && (
        <Button kind="plain" aria-label={fill(T.removeCondition, { number })} onClick={onRemove}>
          ×
        </Button>
      )}
    </fieldset>
  );
}
