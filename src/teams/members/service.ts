// The handlers of members. rules.ts decides moves between membership statuses.
import { teamOf } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { MOST_COUNTED } from "../../platform/kernel/counts.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { hasPermission } from "../../platform/kernel/permission.ts";
import { TEAM_ROLES } from "../../platform/kernel/roles.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { readSorting, sortedPage } from "../../platform/kernel/sorted-pagination.ts";
import type { Sorting } from "../../platform/kernel/sorted-pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { countRoles, listActivity } from "./list-store.ts";
import { listPending } from "../invites/pending.ts";
import type { PendingFilter } from "../invites/pending.ts";
import type { membersContract } from "./contract.ts";
import { joinByCode, joinByInvitation } from "./joining/join.ts";
import { removeMember } from "./removal/removal.ts";
import { getMember, listAsking } from "./membership-lookup.ts";
import { findPeople } from "./list.ts";
import { MEMBER_KINDS, findSorted } from "./sorted.ts";
import type { MemberSort } from "./sorted.ts";
import { updateMember } from "./update.ts";
import type { Listed } from "./joining/invitation.ts";
import { viewEmailInvite, viewMember } from "./view.ts";

const MAX_USER_IDS = 100;

function splitIds(values: readonly string[] | undefined): string[] | undefined {
  if (!values) return undefined;
  const ids = [...new Set(values.flatMap((value) => value.split(",")).filter((id) => id !== ""))];
  if (ids.length > MAX_USER_IDS) {
    throw fieldError("invalid_query", "query.filterByUserIds", `expected at most ${MAX_USER_IDS} ids`);
  }
  return ids;
}

function isExpired(invite: Listed["invite"], call: { readonly now: number }): boolean {
  return invite !== null && invite.expiresAt <= call.now;
}

function viewListed({ person, membership, invite }: Listed, call: { readonly now: number }) {
  return { ...viewMember(person, membership), ...(isExpired(invite, call) ? { expired: true as const } : {}) };
}

type ListCall = Call<typeof membersContract.listTeamMembers>;

/** The days on which accounts of a page were last active, as far as the caller may know them. */
async function findActivity(tx: Tx, call: ListCall, listed: readonly Listed[]): Promise<ReadonlyMap<string, number>> {
  if (!call.query.withActivity) return new Map();
  // Reading the time keeps the response out of the cache, which would not learn of a use.
  const today = dayOf(call.now);
  const isManager = hasPermission(call.scope, "member:manage");
  const accounts = listed.filter(
    ({ invite, person }) => invite === null && (isManager || person.id === call.caller.account?.id),
  );
  if (accounts.length === 0) return new Map();
  const rows = await listActivity(tx, { userIds: JSON.stringify(accounts.map(({ person }) => person.id)) });
  return new Map(
    rows.flatMap(({ id, session, token }) => {
      const last = Math.max(session ?? 0, token ?? 0);
      return last === 0 ? [] : [[id, Math.min(dayOf(last), today)] as const];
    }),
  );
}

function dayOf(time: number): number {
  return time - (time % DAY_MS);
}

const MAX_EMAIL_INVITES = 100;

/** The newest invitations of addresses, in the form that clients withdraw them by. */
async function listEmailInvites(tx: Tx, call: { readonly now: number }, teamId: string, filter: PendingFilter) {
  const { search, role } = filter;
  const asked = { ...(search === undefined ? {} : { search }), ...(role === undefined ? {} : { role }) };
  const bounds = paginationBounds({ limit: MAX_EMAIL_INVITES });
  const invites = (await listPending(tx, teamId, asked, bounds)).slice(0, MAX_EMAIL_INVITES);
  return invites
    .filter(({ email }) => email !== null)
    .map((invite) => ({ ...viewEmailInvite(invite), ...(isExpired(invite, call) ? { expired: true as const } : {}) }));
}

async function countByRole(tx: Tx, teamId: string): Promise<Record<string, number>> {
  const roles = JSON.stringify(TEAM_ROLES.map((role) => ({ role })));
  const rows = await countRoles(tx, { teamId, roles, limit: MOST_COUNTED + 1 });
  return Object.fromEntries(rows.map(({ role, count }) => [role, count]));
}

type Asked = Parameters<typeof findPeople>[2];

async function readNewest(tx: Tx, teamId: string, asked: Asked, bounds: PageBounds) {
  const { rows, isCut } = await findPeople(tx, teamId, asked, bounds);
  const { items, page } = paginate(rows, bounds, isCut);
  return { items, pagination: { hasNext: page.next !== null, ...page }, page };
}

async function readSorted(tx: Tx, teamId: string, asked: Asked, sorting: Sorting<MemberSort>, limit: number) {
  const { rows, next } = await findSorted(tx, teamId, asked, sorting, limit);
  const { pagination, ...place } = sortedPage(sorting, rows.length, next);
  return { items: rows, pagination: { hasNext: next !== null, ...pagination }, ...place };
}

export const membersService: Implements<typeof membersContract> = {
  async listTeamMembers(tx, call) {
    const { accessRequested, filterByUserIds, since, until, withActivity: _, withRoleCounts, ...query } = call.query;
    const sorting = readSorting<MemberSort>(call.query, MEMBER_KINDS);
    const bounds = paginationBounds(call.query);
    const team = teamOf(call);
    const named = splitIds(filterByUserIds);
    const asking = accessRequested ? await listAsking(tx, team.id) : undefined;
    const userIds = asking?.filter((id) => named?.includes(id) ?? true) ?? named;
    const canReadInvites = hasPermission(call.scope, "invite:read");
    const asked = { ...query, ...(userIds ? { userIds } : {}), canReadInvites };
    const { items, ...place } = sorting
      ? await readSorted(tx, team.id, asked, sorting, bounds.limit)
      : await readNewest(tx, team.id, asked, bounds);
    const active = await findActivity(tx, call, items);
    // Once, and not where accounts are asked for.
    const isFirst = since === undefined && until === undefined && query.cursor === undefined;
    const isWhole = isFirst && !userIds && !query.eligibleMembersForProjectId;
    return {
      members: items.map((listed) => {
        const activeAt = active.get(listed.person.id);
        return { ...viewListed(listed, call), ...(activeAt === undefined ? {} : { activeAt }) };
      }),
      emailInviteCodes: isWhole && canReadInvites ? await listEmailInvites(tx, call, team.id, query) : [],
      ...(withRoleCounts ? { roleCounts: await countByRole(tx, team.id) } : {}),
      ...place,
    };
  },

  async getTeamMember(tx, call) {
    const listed = await getMember(tx, call, call.params.uid);
    return { ...viewListed(listed, call), revision: listed.membership.revision };
  },

  async listMemberProjects(tx, call) {
    const bounds = paginationBounds(call.query);
    const { membership } = await getMember(tx, call, call.params.uid);
    const within = membership.projects.filter(({ position }) => position > bounds.after && position < bounds.before);
    const { items, page } = paginate(bounds.isForward ? within : within.toReversed(), bounds);
    return { projects: items.map(({ projectId, role }) => ({ projectId, role })), pagination: page, page };
  },

  async joinTeam(tx, call) {
    const { inviteCode, teamId } = call.body;
    if (inviteCode !== undefined) return await joinByCode(tx, call, inviteCode, teamId);
    if (teamId !== undefined) return await joinByInvitation(tx, call, teamId);
    throw fieldError("bad_request", "body.inviteCode", "is required unless teamId is given");
  },

  async joinNamedTeam(tx, call) {
    const team = teamOf(call);
    const inviteCode = call.body?.inviteCode;
    if (inviteCode !== undefined) return await joinByCode(tx, call, inviteCode, team.id);
    return await joinByInvitation(tx, call, team);
  },

  updateTeamMember: updateMember,
  removeTeamMember: removeMember,
};
