// The field that searches a list.
import { Search } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchInput({ label, value, onChange }: Props): ReactNode {
  return (
    <span className="search">
      <Search className="i" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </span>
  );
}
