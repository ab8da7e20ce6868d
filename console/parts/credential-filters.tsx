// Above a list of API keys or tokens: its search, and a chip for their state. Both are part of the page's address.
import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { SearchInput } from "./search-input.tsx";
import { chosen, useSearchValue } from "./search-value.ts";
import { SearchFilter } from "./select.tsx";

const STATES = {
  active: "Active",
  ending: "Ends within 7 days",
  expired: "Ended",
  unused: "Never used",
  suspended: "Suspended",
};
export const SEARCH_FOR_LESS = "Search for less, or clear the filter.";

type State = keyof typeof STATES;

/** What a list is narrowed to; `states` are those that its things can be in. */
export function useCredentialFilters<S extends State>(states: readonly S[]) {
  const [search] = useSearchValue("search");
  const [value] = useSearchValue("state");
  const state = states.find((one) => one === value);
  return {
    isNarrowed: search !== "" || state !== undefined,
    query: { ...chosen({ search }), ...(state && { state }) },
  };
}

export function CredentialFilters({
  label,
  states,
}: {
  readonly label: string;
  readonly states: readonly State[];
}): ReactNode {
  const [search, setSearch] = useSearchValue("search");
  return (
    <search className="tools">
      <SearchInput label={label} value={search} onChange={setSearch} />
      <SearchFilter
        name="state"
        label="State"
        icon={CircleCheck}
        choices={states.map((one) => [one, STATES[one]] as const)}
      />
    </search>
  );
}
