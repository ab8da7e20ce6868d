// What needs somebody in a team, as its home and the navigation show it.
import type { Permission } from "../../src/platform/kernel/roles.ts";
import { useNow } from "../parts/time.tsx";
import type { PageName } from "../routes.ts";
import type { EndpointKey, Input } from "./endpoints.ts";
import { useApi } from "./queries.ts";
import { useMay, useTeamId } from "./team.ts";

const DAY_MS = 86_400_000;
/** The first notice of a secret's end comes this long before it. */
const SOON_MS = 7 * DAY_MS;
const MOST = 100;
/** What was read so long ago is shown beside a page without reading it again, ms; a change has it read at once. */
const FRESH_MS = 60_000;

/** Those who ask to join: a team has as many at most. */
export function useAsking(enabled = true) {
  const input = { params: { teamId: useTeamId() }, query: { limit: MOST, accessRequested: true } };
  return useApi("GET /v2/teams/:teamId/members", input, { enabled, fresh: FRESH_MS });
}

/** A list, as far as the user may read it. */
function useList<K extends EndpointKey>(endpoint: K, input: Input<K>, needs: Permission, enabled: boolean) {
  const may = useMay(needs) === true;
  return useApi(endpoint, input, { enabled: enabled && may, fresh: FRESH_MS });
}

/** The lists that can hold something. */
function useLists(enabled: boolean) {
  const teamId = useTeamId();
  const owner = { query: { teamId, limit: MOST } };
  // The same for a day, so that the list is not read anew each time that the clock is looked at.
  const expiresBefore = Math.floor(useNow() / DAY_MS) * DAY_MS + DAY_MS + SOON_MS;
  const ending = { query: { ...owner.query, sort: "expiresAt" as const, expiresBefore } };
  return {
    members: useAsking(enabled),
    // As the page of the webhooks reads them.
    webhooks: useList("GET /v1/webhooks", { query: { teamId, withHealth: true } }, "webhook:read", enabled),
    keys: useList("GET /v1/api-keys", owner, "api-key:read", enabled),
    trusts: useList("GET /v1/identity/trusts", owner, "api-key:read", enabled),
    secrets: useList("GET /v2/secrets", ending, "secret:read", enabled),
    projects: useList("GET /v9/projects", owner, "firewall:read", enabled),
  };
}

const isSuspended = ({ suspendedAt }: { readonly suspendedAt: number | null }): boolean => suspendedAt !== null;

/** What needs somebody, by the page that is about it. */
export function useAttention(enabled = true) {
  const now = useNow();
  const lists = useLists(enabled);
  const { members, webhooks, keys, trusts, secrets, projects } = lists;
  const failed = Object.values(lists).filter(({ error }) => error !== null);
  const known = projects.data?.value.projects ?? [];
  return {
    error: failed[0]?.error ?? null,
    isPending: members.isPending,
    again: () => failed.forEach(({ refetch }) => void refetch()),
    members: members.data?.value.members ?? [],
    attacked: known.filter(({ security }) => security.attackModeEnabled),
    drafts: known.filter(({ security }) => security.firewallDraftUpdatedAt !== undefined),
    webhooks: (webhooks.data?.value ?? []).filter(({ active, inactiveReason, failingSince }) =>
      active ? failingSince !== null : inactiveReason !== "request",
    ),
    keys: (keys.data?.value.apiKeys ?? []).filter(isSuspended),
    trustRules: (trusts.data?.value.trusts ?? []).filter(isSuspended),
    secrets: (secrets.data?.value.secrets ?? []).filter(
      ({ expiresAt }) => expiresAt !== null && expiresAt < now + SOON_MS,
    ),
  };
}

/** How much needs somebody on each page of a team. */
export function useCounts(enabled: boolean): Readonly<Partial<Record<PageName, number>>> {
  const { members, attacked, drafts, webhooks, keys, trustRules, secrets } = useAttention(enabled);
  const lists = { members, projects: [...attacked, ...drafts], webhooks, keys, trustRules, secrets };
  const counts = Object.entries(lists).map(([page, list]) => [page, list.length] as const);
  return { ...Object.fromEntries(counts), team: counts.reduce((sum, [, count]) => sum + count, 0) };
}
