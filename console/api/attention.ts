// What needs somebody in a team, as its home and the navigation show it.
import type { PageName } from "../routes.ts";
import type { EndpointKey, Input } from "./endpoints.ts";
import { useApi } from "./queries.ts";
import { useTeamId } from "./team.ts";

const MOST = 100;
/** What was read so long ago is shown beside a page without reading it again, ms; a change has it read at once. */
const FRESH_MS = 60_000;

/** How much there is of each kind; what the user may not list is not counted. */
function useCounted(enabled = true) {
  return useApi("GET /v1/teams/:teamId/attention", { params: { teamId: useTeamId() } }, { enabled, fresh: FRESH_MS });
}

/** Those who ask to join: a team has as many at most. */
export function useAsking(enabled = true) {
  const input = { params: { teamId: useTeamId() }, query: { limit: MOST, accessRequested: true } };
  return useApi("GET /v2/teams/:teamId/members", input, { enabled, fresh: FRESH_MS });
}

/** A list, if there is anything in it to show. */
function useList<K extends EndpointKey>(endpoint: K, input: Input<K>, count: number | undefined) {
  return useApi(endpoint, input, { enabled: (count ?? 0) > 0, fresh: FRESH_MS });
}

const isSuspended = ({ suspendedAt }: { readonly suspendedAt: number | null }): boolean => suspendedAt !== null;

/** What needs somebody, by the page that is about it. */
export function useAttention() {
  const teamId = useTeamId();
  const counted = useCounted();
  const counts = counted.data?.value ?? {};
  const owner = { query: { teamId, limit: MOST } };
  // As many as are counted: those that end first.
  const ending = { query: { teamId, limit: counts.secrets ?? 1, sort: "expiresAt" as const } };
  const lists = {
    members: useAsking((counts.members ?? 0) > 0),
    // As the page of the webhooks reads them.
    webhooks: useList("GET /v1/webhooks", { query: { teamId, withHealth: true } }, counts.webhooks),
    keys: useList("GET /v1/api-keys", owner, counts.apiKeys),
    trusts: useList("GET /v1/identity/trusts", owner, counts.trustRules),
    secrets: useList("GET /v2/secrets", ending, counts.secrets),
    projects: useList("GET /v9/projects", owner, (counts.attackModes ?? 0) + (counts.drafts ?? 0)),
  };
  const { members, webhooks, keys, trusts, secrets, projects } = lists;
  const reads = [counted, ...Object.values(lists)];
  const failed = reads.filter(({ error }) => error !== null);
  const known = projects.data?.value.projects ?? [];
  return {
    error: failed[0]?.error ?? null,
    isPending: reads.some(({ isLoading }) => isLoading),
    again: () => failed.forEach(({ refetch }) => void refetch()),
    members: members.data?.value.members ?? [],
    attacked: known.filter(({ security }) => security.attackModeEnabled),
    drafts: known.filter(({ security }) => security.firewallDraftUpdatedAt !== undefined),
    webhooks: (webhooks.data?.value ?? []).filter(({ active, inactiveReason, failingSince }) =>
      active ? failingSince !== null : inactiveReason !== "request",
    ),
    keys: (keys.data?.value.apiKeys ?? []).filter(isSuspended),
    trustRules: (trusts.data?.value.trusts ?? []).filter(isSuspended),
    secrets: secrets.data?.value.secrets ?? [],
  };
}

/** How much needs somebody on each page of a team. */
export function useCounts(enabled: boolean): Readonly<Partial<Record<PageName, number>>> {
  const { apiKeys = 0, attackModes = 0, drafts = 0, ...others } = useCounted(enabled).data?.value ?? {};
  const counts = { ...others, keys: apiKeys, projects: attackModes + drafts };
  return { ...counts, team: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}
