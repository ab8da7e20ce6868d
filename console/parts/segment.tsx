// A few values that are seen at once, of which one is chosen.
import type { ReactNode } from "react";

interface Props<T extends string> {
  readonly label: string;
  readonly values: readonly T[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function Segment<T extends string>({ label, values, value, onChange }: Props<T>): ReactNode {
  return (
    <fieldset className="segment" aria-label={label}>
      {values.map((one) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChange(one)}>
          {one}
        </button>
      ))}
    </fieldset>
  );
}
