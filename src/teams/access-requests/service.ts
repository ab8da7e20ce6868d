// The handlers of access requests. members/rules.ts decides which membership status allows a request.
import { isInPerson, teamOf } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import type { JoinedFrom } from "../../platform/kernel/membership.ts";
import { refuseLimited, requireForOthers } from "../../platform/kernel/permission.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findSubject, getSelf, requireInPerson } from "../members/membership-lookup.ts";
import type { Membership } from "../members/row.ts";
import { gitAccounts } from "../members/view.ts";
import { requestAccess } from "../members/joining/ask.ts";
import { accessRequestsContract } from "./contract.ts";

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

/** The open request of an account; a confirmed member has none any more. */
async function getOpenRequest(tx: Tx, call: Pick<Call, "scope" | "now">, userId: string): Promise<Membership> {
  const membership = (await findSubject(tx, teamOf(call).id, { userId }))?.membership;
  if (membership?.state === "member") throw new ApiError("already_member", "This account is a member of the team");
  if (membership?.state !== "requested") throw notFound("Access request");
  return membership;
}

export const accessRequestsService: Implements<typeof accessRequestsContract> = {
  async requestAccess(tx, call) {
    const team = teamOf(call);
    refuseLimited(call.scope);
    const self = await getSelf(tx, call, team.id);
    const joinedFrom: JoinedFrom = call.body?.joinedFrom ?? { origin: "teams" };
    const membership = await requestAccess(tx, call, team, self, { role: "MEMBER", joinedFrom });
    return { ...viewRequest(call, membership), revision: membership.revision };
  },

  async getOwnAccessRequest(tx, call) {
    refuseLimited(call.scope);
    const membership = await getOpenRequest(tx, call, requireInPerson(call).id);
    return { ...viewRequest(call, membership), revision: membership.revision };
  },

  async getAccessRequest(tx, call) {
    const { userId } = call.params;
    if (isInPerson(call.caller) && call.caller.account?.id === userId) {
      refuseLimited(call.scope);
    } else {
      requireForOthers(call.scope, accessRequestsContract.getAccessRequest.access.others);
    }
    const membership = await getOpenRequest(tx, call, userId);
    return { ...viewRequest(call, membership), revision: membership.revision };
  },
};
