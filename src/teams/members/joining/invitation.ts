// An invitation as an entry of the list of members. It shows what the inviter gave, and nothing of the account.
import type { Invite } from "../../invites/row.ts";
import type { Membership, Person } from "../row.ts";
import type { MembershipInput } from "../../../platform/kernel/membership.ts";

/** An entry of the list of members; `invite` is null for accounts. */
export interface Listed {
  readonly person: Person;
  readonly membership: Membership;
  readonly invite: Invite | null;
}

export interface Invitation extends Listed {
  readonly invite: Invite;
}

export function invitationOf(invite: Invite): Invitation {
  const { id, email, userId, role, projects, teamPermissions, createdBy, createdAt, revision } = invite;
  const uid = userId ?? id;
  return {
    person: { id: uid, email: email ?? "", username: email ?? uid, name: null, avatar: null },
    membership: {
      state: "invited",
      role,
      joinedFrom: { origin: userId === null ? "mail" : "teams" },
      teamPermissions,
      projects,
      invitedBy: createdBy,
      confirmedAt: null,
      accessRequestedAt: null,
      createdAt,
      revision,
    },
    invite,
  };
}

/** The membership that accepting the invitation creates. */
export function inputOfInvitation({ membership }: Invitation): MembershipInput {
  const { role, joinedFrom, projects, teamPermissions, invitedBy } = membership;
  return { role, joinedFrom, projects, teamPermissions, invitedBy };
}
