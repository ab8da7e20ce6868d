// A filter of a few choices that is part of the page's address.
import type { ReactNode } from "react";
import { Filter } from "./filter.tsx";
import { useSearchValue } from "./search-value.ts";

interface Props {
  /** Where it is kept in the page's address. */
  readonly name: string;
  readonly label: string;
  readonly every: string;
  readonly choices: Readonly<Record<string, string>>;
}

export function SearchChoice({ name, label, every, choices }: Props): ReactNode {
  const [value, setValue] = useSearchValue(name);
  const shown = value in choices || value === "" ? choices : { ...choices, [value]: value };
  return (
    <Filter label={label} shown={value === "" ? null : (shown[value] ?? value)} onClear={() => setValue("")}>
      <select aria-label={label} value={value} onChange={({ target }) => setValue(target.value)}>
        <option value="">{every}</option>
        {Object.entries(shown).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </Filter>
  );
}
