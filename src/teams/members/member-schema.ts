// The shapes of members and of invitations of addresses in the list of members.
import { Type } from "typebox";
import { OneOf, RecordOf } from "../../platform/kernel/contract.ts";
import { JoinedFrom, PROJECT_ROLES, Role, TEAM_PERMISSIONS } from "../../platform/kernel/membership.ts";

const GitAccount = Type.Object({ login: Type.Optional(Type.String()) });

export const Member = Type.Object(
  {
    uid: Type.String({ description: "Id of the account; of somebody invited by address, of the invitation." }),
    email: Type.String({ description: "Of the invited, the address that was given, or nothing." }),
    username: Type.String({ description: "Of the invited, the address or id that was given." }),
    name: Type.Optional(Type.String()),
    avatar: Type.Optional(Type.String()),
    role: Role,
    confirmed: Type.Boolean({ description: "False while invited, and while an access request is open." }),
    expired: Type.Optional(Type.Literal(true, { description: "The invitation has to be renewed." })),
    createdAt: Type.Integer({ description: "ms since the epoch" }),
    confirmedAt: Type.Optional(Type.Integer()),
    activeAt: Type.Optional(
      Type.Integer({
        description:
          "Only with `withActivity`: the day (its beginning in UTC, ms) on which a session or token of the account was last " +
          "used, of those that have not ended. Absent for others without `member:manage`, and where there is none.",
      }),
    ),
    accessRequestedAt: Type.Optional(Type.Integer()),
    joinedFrom: JoinedFrom,
    teamRoles: Type.Array(Role),
    teamPermissions: Type.Array(OneOf(TEAM_PERMISSIONS)),
    projects: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: OneOf(PROJECT_ROLES) })),
    github: Type.Optional(GitAccount),
    gitlab: Type.Optional(GitAccount),
    bitbucket: Type.Optional(GitAccount),
  },
  { title: "Member" },
);

/** A pending invitation of an e-mail address, in the form in which it is withdrawn. */
export const EmailInvite = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Role,
    isDSyncUser: Type.Boolean(),
    teamRoles: Type.Array(Role),
    teamPermissions: Type.Array(OneOf(TEAM_PERMISSIONS)),
    projects: RecordOf(OneOf(PROJECT_ROLES)),
    createdAt: Type.Integer(),
    expired: Type.Optional(Type.Literal(true)),
  },
  { title: "EmailInvite" },
);
