// The current user, and the accounts of the instance.
import { Type } from "typebox";
import { Nullable, Pattern, defineContract } from "../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { MAX_SPELLED_LENGTH } from "../../platform/kernel/text/email-address.ts";

/** The current user in the form that clients insist on: all members present, `resourceConfig` included. */
export const AuthUser = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar: Nullable(Type.String()),
    defaultTeamId: Nullable(Type.String()),
    version: Type.Null({ description: "Always null: the account has a scope of its own. Old clients insist on it." }),
    createdAt: Type.Optional(Type.Integer({ description: "ms since the epoch" })),
    billing: Type.Optional(Type.Null()),
    softBlock: Type.Optional(Type.Null()),
    hasTrialAvailable: Type.Optional(Type.Boolean()),
    stagingPrefix: Type.Optional(Type.String()),
    resourceConfig: Type.Optional(Type.Object({})),
    isAdmin: Type.Optional(Type.Boolean({ description: "May administer the instance." })),
    limited: Type.Optional(Type.Literal(true, { description: "The credential is limited to one team." })),
  },
  { title: "AuthUser" },
);

/** An account as administrators see it. */
export const User = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar: Nullable(Type.String()),
    isAdmin: Type.Boolean(),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
    suspendedAt: Nullable(Type.Integer()),
  },
  { title: "User" },
);

/** The form of a username: a pattern, and the pattern in words. */
export const USERNAME = {
  pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]*$",
  expected: "letters (A to Z), digits, `_`, `.` and `-`, of which the first is a letter or a digit",
  maxLength: 48,
} as const;

/** Handlers take its canonical form (`requireEmail`). */
export const Email = Type.String({
  maxLength: MAX_SPELLED_LENGTH,
  description:
    "Stored and returned in its canonical form: in lower case, in Unicode NFC, and with the domain in A-labels.",
});
const Username = Pattern(USERNAME.pattern, USERNAME.expected, { maxLength: USERNAME.maxLength });
const Name = Type.String({ maxLength: 256 });
const Avatar = Pattern("^[0-9a-f]{40}$", "40 digits of lower-case hex", { description: "SHA-1 of the picture." });
export const Reasons = Type.Array(
  Type.Object(
    { slug: Type.String({ maxLength: 256 }), description: Type.String({ maxLength: 4096 }) },
    { additionalProperties: false },
  ),
  { maxItems: 20, description: "Kept in the event." },
);
const UserParams = Type.Object({ uid: Type.String({ maxLength: 64 }) });

const ACCOUNT_IS_THE_USERS = "Not authorized: an API key can't change its user's account; use an access token";

const ACCOUNT_DELETION_EVENTS = [
  "user-delete",
  "team-member-leave",
  "team-member-delete",
  "api-keys-suspended",
  "identity-trusts-suspended",
] as const;
const ACCOUNT_DELETION =
  "Its tokens, API keys and memberships go with it. Its events stay. An account that is the only OWNER of teams is refused: " +
  "`error.teams` names the first 20 of them, and `error.more` says how many more there are, counted up to 1000.";

export const usersContract = defineContract({
  getCurrentUser: {
    method: "GET",
    path: "/v2/user",
    aliases: ["/v1/user", "/user", "/www/user"],
    tag: "User",
    summary: "The user of the credential",
    access: { kind: "user", allowNarrow: true },
    response: Type.Object({ user: AuthUser }),
    errors: [],
    emits: [],
  },
  updateCurrentUser: {
    method: "PATCH",
    path: "/v2/user",
    aliases: ["/user"],
    tag: "User",
    gives: "nothing",
    summary: "Change one's own account",
    access: { kind: "user", tokensOnly: ACCOUNT_IS_THE_USERS },
    body: Type.Object(
      {
        name: Type.Optional(Nullable(Name)),
        username: Type.Optional(Username),
        avatar: Type.Optional(Nullable(Avatar)),
        defaultTeamId: Type.Optional(
          Nullable(Type.String({ maxLength: 64, description: "A team that the user is a confirmed member of." })),
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { name: "Ada Lovelace" } },
    response: Type.Object({ user: AuthUser }),
    errors: ["username_taken", "default_team_not_member", "revision_mismatch"],
    emits: ["username", "avatar", "user-updated"],
  },
  deleteCurrentUser: {
    method: "DELETE",
    path: "/v1/user",
    aliases: ["/user"],
    tag: "User",
    gives: "removal",
    summary: "Delete one's own account",
    description: ACCOUNT_DELETION,
    access: { kind: "user", tokensOnly: ACCOUNT_IS_THE_USERS },
    body: Type.Object({ reasons: Type.Optional(Reasons) }, { additionalProperties: false }),
    isBodyOptional: true,
    status: 202,
    example: { body: { reasons: [{ slug: "unused", description: "The project has ended." }] } },
    returns: "The account that is being deleted.",
    response: Type.Object({ id: Type.String(), email: Type.String(), message: Type.String() }),
    errors: ["sole_owner", "last_administrator", "revision_mismatch"],
    emits: ACCOUNT_DELETION_EVENTS,
  },
  createUser: {
    method: "POST",
    path: "/v1/users",
    tag: "Users",
    gives: "membership",
    summary: "Create an account",
    access: { kind: "instance" },
    body: Type.Object(
      {
        email: Email,
        username: Username,
        name: Type.Optional(Name),
        admin: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    example: { body: { email: "grace@example.com", username: "grace" } },
    response: Type.Object({ user: User }),
    errors: ["email_taken", "username_taken"],
    emits: ["user-created"],
  },
  listUsers: {
    method: "GET",
    path: "/v1/users",
    tag: "Users",
    summary: "The accounts of the instance",
    access: { kind: "instance" },
    query: Type.Object({
      ...PAGE_QUERY,
      search: Type.Optional(
        Type.String({
          maxLength: 256,
          description: "Part of a name, username or e-mail address, as in `GET /v2/teams/{teamId}/members`.",
        }),
      ),
      username: Type.Optional(Type.String({ maxLength: 256, description: "The whole username, in any case." })),
      email: Type.Optional(Type.String({ maxLength: 256, description: "The whole address, in any spelling." })),
    }),
    example: { query: { search: "grace" } },
    response: Type.Object({ users: Type.Array(User), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getUser: {
    method: "GET",
    path: "/v1/users/:uid",
    tag: "Users",
    summary: "One account",
    access: { kind: "instance" },
    params: UserParams,
    response: Type.Object({ user: User }),
    errors: [],
    emits: [],
  },
  updateUser: {
    method: "PATCH",
    path: "/v1/users/:uid",
    tag: "Users",
    gives: "membership",
    summary: "Change an account",
    description:
      "Credentials of a suspended account stop working at once and work again when it is resumed. Links that sign in to it, what it approved " +
      "for programs, and what it invites with are withdrawn for good.",
    access: { kind: "instance" },
    params: UserParams,
    protects: Type.Object(
      { suspended: Type.Optional(Type.Literal(true)), admin: Type.Optional(Type.Literal(false)) },
      { additionalProperties: false, minProperties: 1 },
    ),
    body: Type.Object(
      {
        name: Type.Optional(Nullable(Name)),
        email: Type.Optional(Email),
        username: Type.Optional(Username),
        admin: Type.Optional(Type.Boolean()),
        suspended: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    example: { body: { suspended: true } },
    response: Type.Object({ user: User }),
    errors: ["email_taken", "username_taken", "last_administrator", "revision_mismatch"],
    emits: [
      "username",
      "email",
      "user-updated",
      "user-suspended",
      "user-resumed",
      "api-keys-suspended",
      "identity-trusts-suspended",
      "team-invite-bulk-delete",
    ],
  },
  deleteUser: {
    method: "DELETE",
    path: "/v1/users/:uid",
    tag: "Users",
    gives: "removal",
    summary: "Delete an account",
    description: ACCOUNT_DELETION,
    access: { kind: "instance" },
    params: UserParams,
    returns: "The id of the account that is being deleted.",
    response: Type.Object({ id: Type.String() }),
    errors: ["sole_owner", "last_administrator", "revision_mismatch"],
    emits: ACCOUNT_DELETION_EVENTS,
  },
});
