// The people of a team: what each call does. Moves between states are decided in rules.ts.
import type { Implements } from "../../kernel/contract.ts";
import { fieldError } from "../../kernel/errors.ts";
import { cutPage, pageBounds } from "../../kernel/pagination.ts";
import { hasPermission } from "../../kernel/permission.ts";
import { listPendingInvites } from "../invites/pending.ts";
import type { membersContract } from "./contract.ts";
import { joinByCode, joinByInvitation } from "./join.ts";
import { removeMember } from "./removal.ts";
import { getMember, teamOf } from "./roster.ts";
import { findMembers } from "./list.ts";
import { updateMember } from "./update.ts";
import { viewMember } from "./view.ts";

const MAX_USER_IDS = 100;

function splitIds(values: readonly string[] | undefined): string[] | undefined {
  if (!values) return undefined;
  const ids = [...new Set(values.flatMap((value) => value.split(",")).filter((id) => id !== ""))];
  if (ids.length > MAX_USER_IDS) {
    throw fieldError("invalid_query", "query.filterByUserIds", `expected at most ${MAX_USER_IDS} ids`);
  }
  return ids;
}

export const membersService: Implements<typeof membersContract> = {
  async listTeamMembers(tx, call) {
    const { filterByUserIds, since, until, ...query } = call.query;
    const bounds = pageBounds(call.query);
    const team = teamOf(call);
    const userIds = splitIds(filterByUserIds);
    const { rows, isCut } = await findMembers(tx, team.id, { ...query, ...(userIds ? { userIds } : {}) }, bounds);
    const { items, page } = cutPage(rows, bounds, isCut);
    // Pagers add up the pages, and an e-mail address is no account: so once, and not where accounts are asked for.
    const isWhole = since === undefined && until === undefined && !userIds && !query.eligibleMembersForProjectId;
    const canSeeInvites = isWhole && hasPermission(call.scope, "invite:read");
    return {
      members: items.map(({ person, membership }) => viewMember(person, membership)),
      emailInviteCodes: canSeeInvites ? await listPendingInvites(tx, call, team.id, query) : [],
      pagination: { hasNext: page.next !== null, ...page },
      page,
    };
  },

  async getTeamMember(tx, call) {
    const { person, membership } = await getMember(tx, teamOf(call).id, call.params.uid);
    return { ...viewMember(person, membership), revision: membership.revision };
  },

  async listMemberProjects(tx, call) {
    const bounds = pageBounds(call.query);
    const { membership } = await getMember(tx, teamOf(call).id, call.params.uid);
    const within = membership.projects.filter(({ position }) => position > bounds.after && position < bounds.before);
    const { items, page } = cutPage(bounds.isForward ? within : within.toReversed(), bounds);
    return { projects: items.map(({ projectId, role }) => ({ projectId, role })), pagination: page, page };
  },

  async joinTeam(tx, call) {
    const { inviteCode, teamId } = call.body;
    if (inviteCode !== undefined) return await joinByCode(tx, call, inviteCode, teamId);
    if (teamId !== undefined) return await joinByInvitation(tx, call, teamId);
    throw fieldError("bad_request", "body.inviteCode", "is required unless teamId is given");
  },

  async joinNamedTeam(tx, call) {
    const { id } = teamOf(call);
    const inviteCode = call.body?.inviteCode;
    return inviteCode === undefined ? await joinByInvitation(tx, call, id) : await joinByCode(tx, call, inviteCode, id);
  },

  updateTeamMember: updateMember,
  removeTeamMember: removeMember,
};
