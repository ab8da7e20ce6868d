// Opening an access request: directly, or by a code that does not authorise its holder to join.
import type { TeamName } from "../../../platform/kernel/caller.ts";
import type { Call } from "../../../platform/kernel/contract.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import { hasMailQuota } from "../../../events/mails/quota.ts";
import { queueMail } from "../../../events/mails/queue.ts";
import { MAX_OPEN_REQUESTS, addRequest, listAsking, otherOwners } from "../membership-lookup.ts";
import type { Subject } from "../membership-lookup.ts";
import type { Membership } from "../row.ts";
import { TRANSITIONS, requireTransition } from "../rules.ts";
import type { MembershipInput } from "../../../platform/kernel/membership.ts";
import { memberState } from "../view.ts";
import { refuseWhileDeclined } from "./declines.ts";

type Asking = Pick<Call, "caller" | "origin" | "now" | "instance">;

async function refuseCrowd(tx: Tx, teamId: string): Promise<void> {
  if ((await listAsking(tx, teamId)).length < MAX_OPEN_REQUESTS) return;
  throw new ApiError("too_many_access_requests", `This team has ${MAX_OPEN_REQUESTS} open requests: try again later`, {
    limit: MAX_OPEN_REQUESTS,
  });
}

async function announce(tx: Tx, act: Asking, team: TeamName, { person }: Subject, membership: Membership) {
  const teamName = team.name ?? team.slug;
  await emit(tx, act, {
    type: TRANSITIONS.requestAccess.event,
    ownerId: team.id,
    entityId: person.id,
    text: `asked to join team ${team.slug}`,
    payload: {
      requestedTeamName: teamName,
      requestedTeamSlug: team.slug,
      requestedUserName: person.username,
      source: membership.joinedFrom.origin,
    },
    next: memberState(membership),
  });
  const owners = await otherOwners(tx, team.id, person.id);
  const informed = (await hasMailQuota(tx, act, owners.length)) ? owners : [];
  for (const owner of informed) {
    await queueMail(tx, act, {
      kind: "access-request",
      recipient: owner.email,
      payload: {
        teamId: team.id,
        teamSlug: team.slug,
        teamName,
        userId: person.id,
        username: person.username,
      },
    });
  }
}

/** Opens an access request for a role, unless the person's membership status refuses it. */
export async function requestAccess(
  tx: Tx,
  act: Asking,
  team: TeamName,
  self: Subject,
  { role, joinedFrom }: Pick<MembershipInput, "role" | "joinedFrom">,
): Promise<Membership & { readonly accessRequestedAt: number }> {
  requireTransition("requestAccess", self.status);
  const when = { teamId: team.id, now: act.now };
  await Promise.all([refuseWhileDeclined(tx, { ...when, userId: self.person.id }), refuseCrowd(tx, team.id)]);
  const input = { role, joinedFrom, projects: [], teamPermissions: [], invitedBy: null };
  const membership = await addRequest(tx, when, self.person, input);
  await announce(tx, act, team, self, membership);
  return { ...membership, accessRequestedAt: act.now };
}
