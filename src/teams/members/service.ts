// The handlers of members. rules.ts decides moves between membership statuses.
import { teamOf } from "../../platform/kernel/caller.ts";
import type { Implements } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import { hasPermission } from "../../platform/kernel/permission.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { listPending } from "../invites/pending.ts";
import type { PendingFilter } from "../invites/pending.ts";
import type { membersContract } from "./contract.ts";
import { joinByCode, joinByInvitation } from "./joining/join.ts";
import { removeMember } from "./removal/removal.ts";
import { getMember } from "./membership-lookup.ts";
import { findPeople } from "./list.ts";
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

export const membersService: Implements<typeof membersContract> = {
  async listTeamMembers(tx, call) {
    const { filterByUserIds, since, until, ...query } = call.query;
    const bounds = paginationBounds(call.query);
    const team = teamOf(call);
    const userIds = splitIds(filterByUserIds);
    const canReadInvites = hasPermission(call.scope, "invite:read");
    const asked = { ...query, ...(userIds ? { userIds } : {}), canReadInvites };
    const { rows, isCut } = await findPeople(tx, team.id, asked, bounds);
    const { items, page } = paginate(rows, bounds, isCut);
    // Once, and not where accounts are asked for.
    const isWhole = since === undefined && until === undefined && !userIds && !query.eligibleMembersForProjectId;
    return {
      members: items.map((listed) => viewListed(listed, call)),
      emailInviteCodes: isWhole && canReadInvites ? await listEmailInvites(tx, call, team.id, query) : [],
      pagination: { hasNext: page.next !== null, ...page },
      page,
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
