// A filter by the type of events, which is part of the page's address.
import type { ReactNode } from "react";
import { useApi } from "../api/queries.ts";
import { useTeamId } from "../api/team.ts";
import { SearchFilter } from "./select.tsx";

export function TypeFilter(): ReactNode {
  const types = useApi("GET /v1/events/types", { query: { teamId: useTeamId() } }).data?.value.types ?? [];
  return <SearchFilter name="type" label="Type" choices={types.map(({ name }) => name)} />;
}
