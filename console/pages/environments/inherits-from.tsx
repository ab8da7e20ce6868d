// The environment that another one inherits from.
import type { ChangeEventHandler, ReactNode } from "react";
import { Field } from "../../parts/field.tsx";

interface Props {
  /** Of the environments to choose from. */
  readonly names: readonly string[];
  readonly value: string;
  readonly problem?: string | null;
  readonly onChange: (name: string) => void;
}

/** Empty: none. */
export function InheritsFrom({ names, value, problem = null, onChange }: Props): ReactNode {
  const choose: ChangeEventHandler<HTMLSelectElement> = ({ target }) => onChange(target.value);
  return (
    <Field label="Inherits from" hint="It has the entries of the other one too; its own win." problem={problem}>
      {(control) => (
        <select {...control} value={value} onChange={choose}>
          <option value="">nothing</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
