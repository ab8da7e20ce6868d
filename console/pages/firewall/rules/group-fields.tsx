// The groups of conditions of a rule: it matches when all conditions of one of them hold.
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import type { SharedCondition } from "../config-types.ts";
import { ConditionFields } from "./condition-fields.tsx";
import type { Problems } from "./condition-fields.tsx";
import { newCondition, newGroup } from "./rule-form.ts";
import type { TypedGroup } from "./rule-form.ts";

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
      <legend>Group {number}</legend>
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
          Add a condition
        </Button>
        {onRemove && (
          <Button kind="plain" onClick={onRemove}>
            Remove the group {number}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

export function GroupFields({ groups, onChange, ...rest }: Props): ReactNode {
  return (
    <>
      <p className="hint">The rule matches when all conditions of one group hold.</p>
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
        Add a group
      </Button>
    </>
  );
}
