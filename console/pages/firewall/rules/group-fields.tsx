// The groups of conditions of a rule: it matches when all conditions of one of them hold.
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { TEXTS, fill } from "../../../texts.ts";
import type { SharedCondition } from "../config-types.ts";
import { ConditionFields } from "./condition-fields.tsx";
import type { Problems } from "./condition-fields.tsx";
import { newCondition, newGroup } from "./rule-form.ts";
import type { TypedGroup } from "./rule-form.ts";

const T = TEXTS.rule;

interface Props {
  readonly groups: readonly TypedGroup[];
  readonly problems: Problems;
  readonly shared: readonly SharedCondition[];
  readonly onChange: (groups: readonly TypedGroup[]) => void;
}

interface GroupProps extends Omit<Props, "groups" | "onChange"> {
  readonly group: TypedGroup;
  readonly index: number;
  readonly onChange: (group: TypedGroup) => void;
  readonly onRemove: (() => void) | undefined;
}

function Group({ group, index, onChange, onRemove, ...rest }: GroupProps): ReactNode {
  const { conditions } = group;
  const number = index + 1;
  return (
    <fieldset className="group">
      <legend>{fill(T.group, { number })}</legend>
      {conditions.map((condition, at) => (
        <ConditionFields
          key={condition.at}
          condition={condition}
          number={at + 1}
          path={`conditionGroup[${index}].conditions[${at}]`}
          {...rest}
          onChange={(changed) => onChange({ ...group, conditions: conditions.with(at, changed) })}
          onRemove={
            conditions.length === 1 ? undefined : () => onChange({ ...group, conditions: conditions.toSpliced(at, 1) })
          }
        />
      ))}
      <div className="tools">
        <Button kind="plain" onClick={() => onChange({ ...group, conditions: [...conditions, newCondition()] })}>
          {T.addCondition}
        </Button>
        {onRemove && (
          <Button kind="plain" onClick={onRemove}>
            {fill(T.removeGroup, { number })}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

export function GroupFields({ groups, onChange, ...rest }: Props): ReactNode {
  return (
    <>
      <p className="hint">{T.whenHint}</p>
      {groups.map((group, index) => (
        <Group
          key={group.at}
          group={group}
          index={index}
          {...rest}
          onChange={(changed) => onChange(groups.with(index, changed))}
          onRemove={groups.length === 1 ? undefined : () => onChange(groups.toSpliced(index, 1))}
        />
      ))}
      <Button kind="plain" onClick={() => onChange([...groups, newGroup()])}>
        {T.addGroup}
      </Button>
    </>
  );
}
