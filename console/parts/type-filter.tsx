// A filter by the type of events, which is part of the page's address.
import type { ReactNode } from "react";
import { useApi } from "../api/queries.ts";
import { useTeamId } from "../api/team.ts";
import { SearchChoice } from "./search-choice.tsx";

export function TypeFilter(): ReactNode {
  const types = useApi("GET /v1/events/types", { query: { teamId: useTeamId() } }).data?.value.types ?? [];
  const choices = Object.fromEntries(types.map(({ name }) => [name, name]));
  return <SearchChoice name="type" label="Type" every="Every type" choices={choices} />;
}
