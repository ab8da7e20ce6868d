// A few values that are seen at once, of which one is chosen.
import type { ReactNode } from "react";

interface Props<T extends string> {
  readonly label: string;
  readonly values: readonly T[];
  /** How much there is of each. */
  readonly counts?: Readonly<Partial<Record<T, number | string>>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function Segment<T extends string>({ label, values, counts, value, onChange }: Props<T>): ReactNode {
  return (
    <fieldset className="segment" aria-label={label}>
      {values.map((one) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChange(one)}>
          {one} {counts?.[one] !== undefined && <span className="quiet">{counts[one]}</span>}
        </button>
      ))}
    </fieldset>
  );
}
