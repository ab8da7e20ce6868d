// The handlers of teams.
import { isAdministrator, isInPerson } from "../../platform/kernel/caller.ts";
import type { Caller } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { fieldError, teamNotFound } from "../../platform/kernel/errors.ts";
import { requireFreshProof, requireGrantable } from "../../platform/kernel/giving.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { MAX_LIMIT, paginate, paginationBounds, positionAt } from "../../platform/kernel/pagination.ts";
import type { PageBounds, PageQuery } from "../../platform/kernel/pagination.ts";
import { hasPermission, requirePermission } from "../../platform/kernel/permission.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import { limitReached } from "../../platform/kernel/storage-limits.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, startChain } from "../../events/events/emit.ts";
import { addFoundingOwner, getSelf } from "../members/membership-lookup.ts";
import type { OwnerRemoval } from "../../platform/store/removals/remove.ts";
import { requireAccount } from "../../identity/accounts/service.ts";
import { describeChanges } from "./changes.ts";
import type { teamsContract } from "./contract.ts";
import { teamAuthorization } from "../../identity/team-access/team-access.ts";
import { describeCodeReset, newInviteCode } from "../invites/join-link.ts";
import { applyPatch } from "./patch.ts";
import { removeTeam } from "./removal.ts";
import { newSettings, readValues, writeValues } from "./settings.ts";
import type { TeamValues } from "./settings.ts";
import { requireSlug } from "./slug.ts";
import {
  countTeamsMadeBy,
  findTeam,
  findTeamBySlug,
  insertTeam,
  listTeamsOf,
  updateTeam,
  updateUniqueNames,
} from "./store.ts";
import type { TeamRow } from "./store.ts";
import { fullTeam, limitedTeam } from "./team.ts";

async function getTeamRow(tx: Tx, caller: Caller, id: string): Promise<TeamRow> {
  const row = await findTeam(tx, { id, userId: caller.account?.id ?? "" });
  if (!row) throw teamNotFound();
  return row;
}

/**
 * The command line of the public API prints any refusal's message and asks for another slug, and its SDK knows 409,
 * so the status may say what it is: a conflict.
 */
async function requireFreeSlug(tx: Tx, slug: string): Promise<void> {
  requireSlug(slug, "body.slug");
  if (await findTeamBySlug(tx, { slug })) {
    throw fieldError("slug_taken", "body.slug", `another team has "${slug}"; choose another`);
  }
}

/** One page of the caller's teams; a key of a team has its own team alone. */
async function readTeams(tx: Tx, caller: Caller, bounds: PageBounds): Promise<(TeamRow & { position: number })[]> {
  if (!caller.account) {
    const row = await getTeamRow(tx, caller, caller.teamId as string);
    const position = positionAt(row.createdAt);
    return position > bounds.after && position < bounds.before ? [{ ...row, position }] : [];
  }
  return await listTeamsOf(tx, { userId: caller.account.id }, bounds);
}

/** Of those who are not members, only people who are invited or have asked to join may see a team. */
async function requirePending(tx: Tx, call: Pick<Call, "caller" | "scope" | "now">): Promise<void> {
  const isWhole = isInPerson(call.caller) && !call.scope.isLimited;
  if (!isWhole || (await getSelf(tx, call, call.scope.ownerId)).status === "none") throw teamNotFound();
}

async function listTeams(tx: Tx, call: Pick<Call, "caller" | "now">, query: PageQuery & { readonly next?: number }) {
  const { caller } = call;
  const { next, ...range } = query;
  if (next !== undefined && range.until !== undefined && next !== range.until) {
    throw fieldError("invalid_cursor", "query.next", "expected the same as until");
  }
  const bounds = paginationBounds(next === undefined ? range : { ...range, until: next });
  const { items, page } = paginate(await readTeams(tx, caller, bounds), bounds);
  const teams = items.map((row) => {
    const { isLimited, permissions } = teamAuthorization(caller, row);
    return isLimited ? limitedTeam(row, caller) : fullTeam(row, call, permissions);
  });
  return { teams, pagination: page, page };
}

/** One account must not take what all share by ever more teams. */
async function requireTeamRoom(tx: Tx, { caller, instance }: Pick<Call, "caller" | "instance">, userId: string) {
  if (isAdministrator(caller)) return;
  const limit = instance.storageLimits.teams;
  const made = await countTeamsMadeBy(tx, { userId, limit });
  if ((made?.count ?? 0) >= limit) throw limitReached(instance.storageLimits, "teams", "delete one");
}

async function createTeam(tx: Tx, call: Call<typeof teamsContract.createTeam>) {
  const account = requireAccount(call);
  const { caller, now } = call;
  const { slug, name = slug, attribution: _attribution, ...joinLink } = call.body;
  await requireTeamRoom(tx, call, account.id);
  await requireFreeSlug(tx, slug);
  const id = newId("team");
  await startChain(tx, id, "team");
  await insertTeam(tx, {
    id,
    slug,
    name,
    creatorId: account.id,
    inviteCode: newInviteCode(),
    settings: newSettings(joinLink),
    now,
  });
  await addFoundingOwner(tx, { teamId: id, now }, account.id);
  await emit(tx, call, {
    type: "team",
    ownerId: id,
    entityId: id,
    text: `created team ${slug}`,
    payload: { slug },
  });
  const row = await getTeamRow(tx, caller, id);
  return { ...fullTeam(row, call, teamAuthorization(caller, row).permissions), revision: row.revision };
}

/** Whether a change lets people join by the link who could not, or in another role. */
function givesLink(before: TeamValues, after: TeamValues): boolean {
  if (after.inviteCodeRole !== before.inviteCodeRole) return true;
  return after.inviteCodeEnabled && !before.inviteCodeEnabled;
}

async function changeTeam(tx: Tx, call: Call<typeof teamsContract.updateTeam>) {
  const { caller, scope, body, now } = call;
  const row = await getTeamRow(tx, caller, scope.ownerId);
  requireRevision(call, row.revision);
  const before = readValues(row);
  const after = applyPatch(before, body, now);
  if (after.slug !== row.slug) await requireFreeSlug(tx, after.slug);
  const inviteCode = body.regenerateInviteCode ? newInviteCode() : row.inviteCode;
  if (givesLink(before, after) || inviteCode !== row.inviteCode) {
    requireFreshProof(caller, now);
    requirePermission(scope, "invite:manage");
    requireGrantable(call, { role: after.inviteCodeRole, as: "a join link", field: "body.inviteCodeRole" });
  }
  const changes = describeChanges(before, after);
  if (inviteCode !== row.inviteCode) changes.push(describeCodeReset(row.inviteCode, inviteCode));
  if (changes.length === 0) return { ...fullTeam(row, call, scope.permissions), revision: row.revision };

  const changed = { ...writeValues(after), inviteCode, updatedAt: now, revision: row.revision + 1 };
  await updateTeam(tx, { id: row.id, ...changed });
  if (after.slug !== row.slug || inviteCode !== row.inviteCode) {
    await updateUniqueNames(tx, { id: row.id, slug: after.slug, inviteCode });
  }
  for (const change of changes) await emit(tx, call, { ownerId: row.id, entityId: row.id, ...change });
  return { ...fullTeam({ ...row, ...changed }, call, scope.permissions), revision: changed.revision };
}

export function createTeamsService(removal: OwnerRemoval): Implements<typeof teamsContract> {
  return {
    async listTeams(tx, call) {
      return await listTeams(tx, call, call.query);
    },

    async listTeamsForLookup(tx, call) {
      return await listTeams(tx, call, { limit: MAX_LIMIT, ...call.query });
    },

    createTeam,

    async getTeam(tx, call) {
      const { caller, scope } = call;
      if (!hasPermission(scope, "team:read") && !scope.team?.isVisible) await requirePending(tx, call);
      const row = await getTeamRow(tx, caller, scope.ownerId);
      if (scope.isLimited || !hasPermission(scope, "team:read")) return limitedTeam(row, caller);
      return { ...fullTeam(row, call, scope.permissions), revision: row.revision };
    },

    updateTeam: changeTeam,

    async deleteTeam(tx, call) {
      const row = await getTeamRow(tx, call.caller, call.scope.ownerId);
      requireRevision(call, row.revision);
      return await removeTeam(tx, removal, call, row);
    },
  };
}
