// The environment that another one inherits from.
import type { ReactNode } from "react";
import { Field } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";

interface Props {
  /** Of the environments to choose from. */
  readonly names: readonly string[];
  readonly value: string;
  readonly problem?: string | null;
  readonly onChange: (name: string) => void;
}

/** Empty: none. */
export function InheritsFrom({ names, value, problem = null, onChange }: Props): ReactNode {
  return (
    <Field label="Inherits from" hint="It has the entries of the other one too; its own win." problem={problem}>
      {(control) => <Select {...control} choices={[["", "nothing"], ...names]} value={value} onChange={onChange} />}
    </Field>
  );
}
