// Roles by the claims of a provider, applied at each sign-in with it. A membership that a mapping has once given belongs to the mapping
// (`joinedFrom.ssoUserId`): it follows the claims up and down, and ends with them. A member of the team who removes somebody has the
// last word: the mapping does not bring them back, an invitation does.
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import type { TeamAuthorization } from "../../platform/kernel/caller.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { higherRole } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { endAccessInTeams, listTeamsOfAnswerer } from "../invites/issue.ts";
import { removeMemberEntry } from "../../platform/store/search/entries.ts";
import type { ApplyRoles, RoleChanges } from "../../identity/methods/identities/sign-in.ts";
import { changeRights } from "../../identity/accounts/change.ts";
import { SYSTEM_CALLER } from "../../events/events/system.ts";
import { createMembership, getSelf, otherOwners } from "./membership-lookup.ts";
import type { Subject } from "./membership-lookup.ts";
import { findFormer, recordFormer } from "./removal/former-store.ts";
import { revokeAfterDemotion } from "./removal/loss.ts";
import type { Membership } from "./row.ts";
import { TRANSITIONS, losesOwner, requireTransition } from "./rules.ts";
import { deleteMembership, replaceDefaultTeam, updateMembership } from "./store.ts";
import { findTeamAccess } from "../../identity/team-access/team-access.ts";
import { memberState } from "./view.ts";

type Link = Parameters<ApplyRoles>[3];

/** One team of one sign-in. */
interface Mapping {
  /** By Reeve, for the person: nobody in the team has asked for it. */
  readonly act: EventContext;
  readonly team: TeamAuthorization;
  readonly self: Subject;
  readonly link: Link;
}

type Applied = RoleChanges["applied"][number];
type Outcome = { readonly applied: Applied } | { readonly skipped: string } | null;

const LAST_OWNER = { skipped: "its last OWNER" };

async function isLastOwner(tx: Tx, { team, self }: Mapping, after: TeamRole | null): Promise<boolean> {
  const role = self.membership?.role ?? "VIEWER";
  const next = { status: after === null ? "none" : "member", role: after ?? role } as const;
  return (
    losesOwner({ status: self.status, role }, next) && (await otherOwners(tx, team.id, self.person.id)).length === 0
  );
}

async function join(tx: Tx, mapping: Mapping, role: TeamRole): Promise<Outcome> {
  const { act, team, self, link } = mapping;
  const { id: userId, username } = self.person;
  if ((await findFormer(tx, { teamId: team.id, userId }))?.isRemoved) return { skipped: "removed by a member" };
  requireTransition("admitByMapping", self.status);
  const before = self.membership;
  const after = await createMembership(tx, { teamId: team.id, now: act.now }, self, {
    role,
    joinedFrom: { origin: "saml", ssoUserId: link.identityId, ssoConnectedAt: act.now },
    projects: [],
    teamPermissions: [],
    invitedBy: null,
  });
  await emit(tx, act, {
    type: TRANSITIONS.admitByMapping.event,
    ownerId: team.id,
    entityId: userId,
    text: `added ${username} to team ${team.slug} as ${role}, by the roles of ${link.providerName}`,
    payload: { uid: userId, role, teamSlug: team.slug, origin: "saml", teamRoles: [role], teamPermissions: [] },
    ...(before ? { previous: memberState(before) } : {}),
    next: memberState(after),
  });
  return { applied: { teamId: team.id, role } };
}

async function change(tx: Tx, mapping: Mapping, before: Membership, role: TeamRole): Promise<Outcome> {
  const { act, team, self, link } = mapping;
  if (before.role === role && before.joinedFrom.ssoUserId === link.identityId) return null;
  if (await isLastOwner(tx, mapping, role)) return LAST_OWNER;
  requireTransition("changeByMapping", self.status);
  const { id: userId, username, email } = self.person;
  const joinedFrom = { ...before.joinedFrom, ssoUserId: link.identityId, ssoConnectedAt: act.now };
  const after = { ...before, role, joinedFrom };
  await updateMembership(tx, { teamId: team.id, userId, now: act.now }, after);
  await emit(tx, act, {
    type: TRANSITIONS.changeByMapping.event,
    ownerId: team.id,
    entityId: userId,
    text: `made ${username} ${role} of team ${team.slug}, by the roles of ${link.providerName}`,
    payload: { previousRole: before.role, role, updatedUid: userId, updatedUser: { username, email } },
    previous: memberState(before),
    next: memberState(after),
  });
  await revokeAfterDemotion(tx, act, { teamId: team.id, userId, username, before: before.role, after: role });
  return { applied: { teamId: team.id, role } };
}

async function end(tx: Tx, mapping: Mapping, before: Membership): Promise<Outcome> {
  const { act, team, self, link } = mapping;
  if (before.joinedFrom.ssoUserId !== link.identityId) return null;
  if (await isLastOwner(tx, mapping, null)) return LAST_OWNER;
  requireTransition("removeByMapping", self.status);
  const { id: userId, username, email } = self.person;
  const { role } = before;
  const key = { teamId: team.id, userId };
  await deleteMembership(tx, key);
  await removeMemberEntry(tx, team.id, userId);
  await recordFormer(tx, key, before, { isRemoved: false, now: act.now });
  await replaceDefaultTeam(tx, { ...key, newTeamId: null, now: act.now });
  await emit(tx, act, {
    type: TRANSITIONS.removeByMapping.event,
    ownerId: team.id,
    entityId: userId,
    text: `removed ${username} from team ${team.slug}, by the roles of ${link.providerName}`,
    payload: { deletedUid: userId, deletedUser: { username, email }, role, reason: "role mapping" },
    previous: memberState(before),
  });
  await revokeAfterDemotion(tx, act, { ...key, username, before: role, after: null });
  return { applied: { teamId: team.id, role: null } };
}

interface MappedTeam {
  readonly team: TeamAuthorization;
  readonly role: TeamRole | null;
  readonly isPartial: boolean;
}

/** The teams that mappings name, by id; one that they name by id and by slug once. */
async function findTeams(tx: Tx, teams: Parameters<ApplyRoles>[2]["teams"]) {
  const found = new Map<string, MappedTeam>();
  const unknown: string[] = [];
  for (const { team: name, role, isPartial = false } of teams) {
    const team = await findTeamAccess(tx, SYSTEM_CALLER, name);
    const before = team && found.get(team.id);
    if (team) {
      const least = higherRole(before?.role ?? null, role);
      found.set(team.id, { team, role: least, isPartial: isPartial || before?.isPartial === true });
    } else if (role !== null) unknown.push(name);
  }
  return { found: [...found.values()].toSorted((a, b) => (a.team.id < b.team.id ? -1 : 1)), unknown };
}

async function applyTeam(
  tx: Tx,
  self: EventContext,
  link: Link,
  { team: { id: teamId }, role, isPartial }: MappedTeam,
): Promise<Outcome> {
  await lockOwner(tx, teamId);
  // It may have been deleted before it was locked.
  const team = await findTeamAccess(tx, SYSTEM_CALLER, teamId);
  if (!team) return null;
  const subject = await getSelf(tx, self, teamId);
  const mapping = { act: { ...self, caller: SYSTEM_CALLER }, team, self: subject, link };
  const member = subject.status === "member" ? subject.membership : null;
  if (member && isPartial && higherRole(member.role, role) === member.role) return null;
  if (member) return role === null ? await end(tx, mapping, member) : await change(tx, mapping, member, role);
  return role === null ? null : await join(tx, mapping, role);
}

/** Makes somebody an administrator of the instance, or one no longer; not the last one. */
async function applyAdministrator(tx: Tx, act: EventContext, userId: string, admin: boolean): Promise<Outcome> {
  if (act.caller.account?.isAdmin === admin) return null;
  const bySystem = { ...act, caller: SYSTEM_CALLER };
  try {
    await changeRights(tx, bySystem, userId, { admin }, endAccessInTeams);
  } catch (error) {
    if (error instanceof ApiError && error.code === "last_administrator") return { skipped: "its last administrator" };
    throw error;
  }
  return { applied: { instance: admin ? "administrator" : null } };
}

/** Applies what the mappings of a provider say. What would leave a team or the instance without its last owner is left out, and told. */
export const applySsoRoles: ApplyRoles = async (tx, act, { isAdministrator, teams }, link) => {
  const applied: Applied[] = [];
  const skipped: { readonly what: string; readonly reason: string }[] = [];
  const note = (what: string, outcome: Outcome) => {
    if (outcome && "applied" in outcome) applied.push(outcome.applied);
    if (outcome && "skipped" in outcome) skipped.push({ what, reason: outcome.skipped });
  };
  const { found, unknown } = await findTeams(tx, teams);
  if (isAdministrator === false && act.caller.account?.isAdmin) {
    // Both ends access in teams and gives roles in teams: all are locked before, in their order.
    const ids = [...(await listTeamsOfAnswerer(tx, link.userId, act.now)), ...found.map(({ team }) => team.id)];
    for (const teamId of new Set(ids.toSorted())) await lockOwner(tx, teamId);
  }
  if (isAdministrator !== null) {
    note(INSTANCE_ID, await applyAdministrator(tx, act, link.userId, isAdministrator));
  }
  for (const name of unknown) note(`team ${name}`, { skipped: "there is none" });
  for (const mapped of found) note(`team ${mapped.team.slug}`, await applyTeam(tx, act, link, mapped));
  return { applied, skipped };
};
