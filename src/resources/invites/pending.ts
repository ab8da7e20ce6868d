// Invitations of e-mail addresses that wait to be accepted, as the slice of members sees them.
import type { Call } from "../../kernel/contract.ts";
import type { ProjectGrant } from "../../kernel/membership.ts";
import type { TeamRole } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findPendingByEmail, listPendingByTeam, revokeInvites, settleInvites } from "./pending-store.ts";

const MAX_LISTED = 100;

export interface PendingInvite {
  readonly id: string;
  readonly role: TeamRole;
  readonly projects: readonly ProjectGrant[];
  readonly invitedBy: string | null;
}

interface Address {
  readonly teamId: string;
  readonly email: string;
  readonly now: number;
}

export async function findPendingInvite(tx: Tx, { teamId, email, now }: Address): Promise<PendingInvite | undefined> {
  const invite = await findPendingByEmail(tx, { teamId, emailKey: email.toLowerCase(), now });
  return invite && { id: invite.id, role: invite.role, projects: invite.projects, invitedBy: invite.createdBy };
}

/** The owner of the address came in: what was open is used up. */
export async function settleInvitesOf(tx: Tx, { teamId, email, now }: Address): Promise<void> {
  await settleInvites(tx, { teamId, emailKey: email.toLowerCase(), now });
}

/** Ends what was open for the address, expired ones included. */
export async function revokeInvitesOf(tx: Tx, { teamId, email, now }: Address): Promise<void> {
  await revokeInvites(tx, { teamId, emailKey: email.toLowerCase(), now });
}

/** The newest of them as the list of members shows them; expired ones stay until they are revoked or renewed. */
export async function listPendingInvites(
  tx: Tx,
  call: Pick<Call, "now">,
  teamId: string,
  filter: { readonly search?: string; readonly role?: TeamRole },
) {
  const invites = await listPendingByTeam(tx, teamId, filter, MAX_LISTED);
  return invites.map(({ id, email, role, projects, createdAt, expiresAt }) => ({
    id,
    email: email ?? "",
    role,
    isDSyncUser: false,
    teamRoles: [role],
    teamPermissions: [],
    projects: Object.fromEntries(projects.map((grant) => [grant.projectId, grant.role])),
    createdAt,
    ...(expiresAt <= call.now ? { expired: true as const } : {}),
  }));
}
