// The groups of conditions of a rule: it matches when all conditions of one of them match.
import { ListPlus, Plus } from "lucide-react";
import { useRef } from "react";
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
  /** The number of its first condition, from 1. */
  readonly first: number;
  readonly isOnly: boolean;
  readonly onChange: (group: TypedGroup) => void;
  readonly onRemove: () => void;
}

function Group({ group, index, first, isOnly, onChange, onRemove, ...rest }: GroupProps): ReactNode {
  const { conditions } = group;
  const add = useRef<HTMLDivElement>(null);
  /** The focus must not go where the condition goes. */
  const remove = (at: number): void => {
    add.current?.querySelector("button")?.focus();
    onChange({ ...group, conditions: conditions.toSpliced(at, 1) });
  };
  return (
    <fieldset className="condition-group" aria-label={`Group ${index + 1}`}>
      {conditions.map((condition, at) => (
        <ConditionFields
          key={condition.at}
          condition={condition}
          number={first + at}
          isFirst={at === 0}
          path={`conditionGroup[${index}].conditions[${at}]`}
          {...rest}
          onChange={(changed) => onChange({ ...group, conditions: conditions.with(at, changed) })}
          onRemove={conditions.length > 1 ? () => remove(at) : isOnly ? undefined : onRemove}
        />
      ))}
      <div ref={add} className="condition-add">
        <Button kind="plain" onClick={() => onChange({ ...group, conditions: [...conditions, newCondition(true)] })}>
          <Plus className="i" />
          Add condition
        </Button>
      </div>
    </fieldset>
  );
}

export function GroupFields({ groups, onChange, ...rest }: Props): ReactNode {
  const add = useRef<HTMLDivElement>(null);
  const remove = (index: number): void => {
    add.current?.querySelector("button")?.focus();
    onChange(groups.toSpliced(index, 1));
  };
  const before = (index: number): number =>
    groups.slice(0, index).reduce((count, { conditions }) => count + conditions.length, 0);
  return (
    <>
      {groups.map((group, index) => (
        <div key={group.at}>
          {index > 0 && <p className="condition-or">or</p>}
          <Group
            group={group}
            index={index}
            first={before(index) + 1}
            isOnly={groups.length === 1}
            {...rest}
            onChange={(changed) => onChange(groups.with(index, changed))}
            onRemove={() => remove(index)}
          />
        </div>
      ))}
      <div ref={add}>
        <Button kind="plain" onClick={() => onChange([...groups, newGroup(true)])}>
          <ListPlus className="i" />
          Add group
        </Button>
      </div>
    </>
  );
}
