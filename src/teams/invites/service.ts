// Invitations: what each operation does.
import { teamOf } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { notFound } from "../../platform/kernel/errors.ts";
import { requireGrantable } from "../../platform/kernel/giving.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import { requireEmail } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { hashCode, maskCode, handOver } from "./codes.ts";
import type { invitesContract } from "./contract.ts";
import { queueInvitation } from "./invitation-mail.ts";
import { addInvite, findIssuedTo, renewCode } from "./issue.ts";
import type { Invite } from "./row.ts";
import { INVITATION, LIFETIME_MS, expiryOf, inviteStatus, refuseStatus } from "./rules.ts";
import type { InviteStatus } from "./rules.ts";
import { findInvite, listInvitesByTeam, revokeInvite } from "./store.ts";

function viewInvite(invite: Invite, now: number) {
  const { id, kind, email, role, suffix, maxUses, uses, expiresAt, createdAt, updatedAt, createdBy } = invite;
  // Revoked ones are not served.
  const status = inviteStatus(invite, now) as Exclude<InviteStatus, "revoked">;
  return {
    id,
    kind,
    email,
    role,
    status,
    ...(status === "expired" ? { expired: true as const } : {}),
    suffix,
    maxUses,
    uses,
    expiresAt,
    createdAt,
    updatedAt,
    createdBy,
  };
}

async function announceCode(tx: Tx, call: Call, invite: Invite, text: string): Promise<void> {
  const { id, teamId, role, email, maxUses, expiresAt, suffix } = invite;
  await emit(tx, call, {
    type: "team-invite-link-created",
    ownerId: teamId,
    entityId: id,
    text,
    payload: { inviteCode: maskCode(suffix) },
    next: { id, role, email, maxUses, expiresAt },
  });
}

/** A code and an id look different, so one path serves both. */
async function getInvite(tx: Tx, teamId: string, idOrCode: string): Promise<Invite> {
  const invite =
    (await findInvite(tx, teamId, { id: idOrCode })) ??
    (await findInvite(tx, teamId, { codeHash: hashCode(idOrCode) }));
  if (!invite || invite.revokedAt !== null) throw notFound("Invite");
  return invite;
}

export const invitesService: Implements<typeof invitesContract> = {
  async createInvite(tx, call) {
    const { role = "MEMBER", email: given, maxUses = given === undefined ? null : 1 } = call.body ?? {};
    const email = given === undefined ? null : requireEmail(given);
    const expiresAt = expiryOf(call);
    requireGrantable(call, { role, as: INVITATION });
    const { invite, code } = await addInvite(tx, call, {
      id: newId("invite"),
      teamId: teamOf(call).id,
      kind: "code",
      email,
      userId: null,
      role,
      projects: [],
      maxUses,
      expiresAt,
    });
    await announceCode(tx, call, invite, `created an invite code for the role ${role}`);
    return {
      invite: viewInvite(invite, call.now),
      ...handOver(call.instance, code),
      revision: invite.revision,
    };
  },

  async listInvites(tx, call) {
    const bounds = paginationBounds(call.query);
    const { items, page } = paginate(await listInvitesByTeam(tx, teamOf(call).id, bounds), bounds);
    return { invites: items.map((invite) => viewInvite(invite, call.now)), pagination: page, page };
  },

  async resendInvite(tx, call) {
    const team = teamOf(call);
    const current = await findInvite(tx, team.id, { id: call.params.inviteId });
    if (!current || current.revokedAt !== null) throw notFound("Invite");
    requireRevision(call, current.revision);
    if (inviteStatus(current, call.now) === "used_up") throw refuseStatus("used_up");
    requireGrantable(call, { role: current.role, as: INVITATION, field: "invite.role" });
    const { invite, code } = await renewCode(tx, current, {
      now: call.now,
      issuedTo: findIssuedTo(call.caller),
      expiresAt: call.now + LIFETIME_MS,
    });
    await announceCode(tx, call, invite, `renewed an invite code for the role ${invite.role}`);
    const recipient = call.instance.hasMail && invite.kind === "email" ? invite.email : null;
    if (recipient !== null) {
      const { id: inviteId, role, expiresAt } = invite;
      await queueInvitation(tx, call, { recipient, inviteId, role, expiresAt });
    }
    return {
      invite: viewInvite(invite, call.now),
      ...(recipient === null ? handOver(call.instance, code) : {}),
      revision: invite.revision,
    };
  },

  async deleteInvite(tx, call) {
    const team = teamOf(call);
    const invite = await getInvite(tx, team.id, call.params.inviteCode);
    requireRevision(call, invite.revision);
    await revokeInvite(tx, { teamId: team.id, id: invite.id, now: call.now });
    const { id, role, email, suffix } = invite;
    await emit(tx, call, {
      type: "team-invite-link-deleted",
      ownerId: team.id,
      entityId: id,
      text: email === null ? `revoked an invite code for the role ${role}` : `revoked the invite of ${email}`,
      payload: { inviteCode: maskCode(suffix) },
      previous: { id, role, email },
    });
    return { id: team.id };
  },
};
