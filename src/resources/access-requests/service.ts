// Access requests: what each call does. Which state allows a request is decided in the members' rules.
import type { Call, Implements } from "../../kernel/contract.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import type { JoinedFrom } from "../../kernel/membership.ts";
import { refuseLimited, requirePermission } from "../../kernel/permission.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { queueMail } from "../mails/queue.ts";
import {
  addPending,
  countOpenRequests,
  findSubject,
  getSelf,
  otherOwners,
  requireInPerson,
  requireVisible,
  teamOf,
} from "../members/roster.ts";
import type { Subject } from "../members/roster.ts";
import type { Membership } from "../members/row.ts";
import { MOVES, step } from "../members/rules.ts";
import { gitAccounts, memberState } from "../members/view.ts";
import type { accessRequestsContract } from "./contract.ts";
import { refuseWhileDeclined } from "./declines.ts";

const MAX_OPEN_REQUESTS = 100;

function viewRequest(call: { readonly scope: Call["scope"] }, { joinedFrom, accessRequestedAt }: Membership) {
  const { slug, name } = teamOf(call);
  return {
    teamSlug: slug,
    teamName: name ?? slug,
    confirmed: false,
    joinedFrom,
    accessRequestedAt: accessRequestedAt ?? 0,
    github: null,
    gitlab: null,
    bitbucket: null,
    ...gitAccounts(joinedFrom),
  };
}

async function refuseCrowd(tx: Tx, teamId: string): Promise<void> {
  if ((await countOpenRequests(tx, teamId, MAX_OPEN_REQUESTS)) < MAX_OPEN_REQUESTS) return;
  throw new ApiError("too_many_access_requests", `This team has ${MAX_OPEN_REQUESTS} open requests: try again later`, {
    limit: MAX_OPEN_REQUESTS,
  });
}

async function announce(tx: Tx, call: Call, { person }: Subject, membership: Membership): Promise<void> {
  const team = teamOf(call);
  const teamName = team.name ?? team.slug;
  await emit(tx, call, {
    type: MOVES.requestAccess.event,
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
  for (const owner of await otherOwners(tx, team.id, person.id)) {
    await queueMail(tx, call, {
      kind: "access-request",
      recipient: owner.email,
      payload: {
        teamId: team.id,
        teamSlug: team.slug,
        teamName,
        userId: person.id,
        username: person.username,
        email: person.email,
      },
    });
  }
}

/** The open request of an account; a confirmed member has none any more. */
async function getOpenRequest(tx: Tx, call: Pick<Call, "scope" | "now">, userId: string): Promise<Membership> {
  const membership = (await findSubject(tx, teamOf(call).id, { userId }, call.now))?.membership;
  if (membership?.state === "member") throw new ApiError("already_member", "This account is a member of the team");
  if (membership?.state !== "requested") throw notFound("Access request");
  return membership;
}

export const accessRequestsService: Implements<typeof accessRequestsContract> = {
  async requestAccess(tx, call) {
    const team = teamOf(call);
    refuseLimited(call.scope);
    const self = await getSelf(tx, call, team.id);
    step("requestAccess", self.standing);
    await refuseWhileDeclined(tx, { teamId: team.id, userId: self.person.id, now: call.now });
    await refuseCrowd(tx, team.id);
    const joinedFrom: JoinedFrom = call.body?.joinedFrom ?? { origin: "teams" };
    const terms = { role: "MEMBER", joinedFrom, projects: [], invitedBy: null } as const;
    const membership = await addPending(tx, { teamId: team.id, now: call.now }, self.person, "requested", terms);
    await announce(tx, call, self, membership);
    return { ...viewRequest(call, membership), revision: membership.revision };
  },

  async getOwnAccessRequest(tx, call) {
    refuseLimited(call.scope);
    const membership = await getOpenRequest(tx, call, requireInPerson(call).id);
    return { ...viewRequest(call, membership), revision: membership.revision };
  },

  async getAccessRequest(tx, call) {
    const { userId } = call.params;
    if (call.caller.kind === "user" && call.caller.account?.id === userId) {
      refuseLimited(call.scope);
    } else {
      requireVisible(call);
      requirePermission(call.scope, "access-request:manage");
    }
    const membership = await getOpenRequest(tx, call, userId);
    return { ...viewRequest(call, membership), revision: membership.revision };
  },
};
