// Above a list of API keys or tokens: its search, and chips for their state and last use. All are part of the page's address.
import { CircleCheck, Clock } from "lucide-react";
import type { ReactNode } from "react";
import { SearchInput } from "./search-input.tsx";
import { chosen, useSearchValue } from "./search-value.ts";
import { SearchFilter } from "./select.tsx";
import { useNow } from "./time.tsx";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const STATES = {
  active: "Active",
  ending: "Ends within 7 days",
  expired: "Ended",
  unused: "Never used",
  suspended: "Suspended",
};
const UNUSED = { "7": "Not in 7 days", "30": "Not in 30 days", "90": "Not in 90 days" };
export const SEARCH_FOR_LESS = "Search for less, or clear the filter.";

type State = keyof typeof STATES;

/** What a list is narrowed to; `states` are those that its things can be in. */
export function useCredentialFilters<S extends State>(states: readonly S[]) {
  const [search] = useSearchValue("search");
  const [value] = useSearchValue("state");
  const [days] = useSearchValue("unused");
  const state = states.find((one) => one === value);
  // To the hour, so that the list is not read anew all the time.
  const now = Math.floor(useNow() / HOUR_MS) * HOUR_MS;
  const query = {
    ...chosen({ search }),
    ...(state && { state }),
    ...(days in UNUSED && { activeBefore: now - Number(days) * DAY_MS }),
  };
  return { isNarrowed: Object.keys(query).length > 0, query };
}

export function CredentialFilters({
  label,
  states,
  children,
}: {
  readonly label: string;
  readonly states: readonly State[];
  /** Further chips. */
  readonly children?: ReactNode;
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
      {children}
      <SearchFilter name="unused" label="Last used" icon={Clock} choices={UNUSED} />
    </search>
  );
}
