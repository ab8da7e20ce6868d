// The people of a team by their ids, read at once: the first hundred.
import { useApi } from "./queries.ts";
import { useTeamId } from "./team.ts";

export function usePeople(): Readonly<Record<string, string>> {
  const members = useApi("GET /v2/teams/:teamId/members", { params: { teamId: useTeamId() }, query: { limit: 100 } });
  return Object.fromEntries(
    (members.data?.value.members ?? []).map(({ uid, name, username }) => [uid, name ?? username]),
  );
}
