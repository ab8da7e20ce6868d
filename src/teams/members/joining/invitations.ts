// Invitations as signing in sees them.
import type { ChangeRunner } from "../../../platform/kernel/internal-changes.ts";
import type { Clock } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { Invitations, InvitationPreview } from "../../../identity/methods/invitations.ts";
import type { joinWithAccount } from "./join-with-account.ts";
import type { Caller } from "../../../platform/kernel/caller.ts";
import { findCode } from "../../invites/redeem.ts";
import { inviteStatus, mayStillInvite } from "../../invites/rules.ts";
import type { Invite } from "../../invites/row.ts";
import { findSubject, getSelf } from "../membership-lookup.ts";
import { findTeamAccess } from "../../../identity/team-access/team-access.ts";

async function previewInvite(reader: Tx, { teamId, kind, email, role, createdBy, expiresAt }: Invite) {
  const person = (await findSubject(reader, teamId, { userId: createdBy }))?.person;
  const inviterName = person ? (person.name ?? person.username) : null;
  return { role, inviterName, email: kind === "email" ? email : null, expiresAt };
}

/** The invitation of a code that still works; undefined for any other. */
async function previewInvitation(reader: Tx, code: string, now: number): Promise<InvitationPreview | undefined> {
  const found = await findCode(reader, code);
  if (!found) return undefined;
  const { team, opened } = found;
  const names = { teamName: team.name ?? team.slug, teamSlug: team.slug };
  if ("settings" in opened) return { ...names, role: null, inviterName: null, email: null, expiresAt: null };
  if (inviteStatus(opened.invite, now) !== "active" || !mayStillInvite(opened.issuer)) return undefined;
  return { ...names, ...(await previewInvite(reader, opened.invite)) };
}

/** The invitation of the caller to the team with this id or slug; undefined when there is none. */
async function previewOwnInvitation(
  reader: Tx,
  caller: Caller,
  idOrSlug: string,
  now: number,
): Promise<InvitationPreview | undefined> {
  const team = await findTeamAccess(reader, caller, idOrSlug);
  if (!team) return undefined;
  const [invitation] = (await getSelf(reader, { caller, now }, team.id)).invitations;
  if (!invitation) return undefined;
  return { teamName: team.name ?? team.slug, teamSlug: team.slug, ...(await previewInvite(reader, invitation.invite)) };
}

export function createInvitations({
  reader,
  changes,
  clock,
}: {
  readonly reader: Tx;
  readonly changes: ChangeRunner<{ joinWithAccount: typeof joinWithAccount }>;
  readonly clock: Clock;
}): Invitations {
  return {
    preview: (code) => previewInvitation(reader, code, clock()),
    previewOwn: (caller, idOrSlug) => previewOwnInvitation(reader, caller, idOrSlug, clock()),
    join: (member) => changes.joinWithAccount(member, clock()),
  };
}
