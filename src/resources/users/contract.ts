// The current user, and the accounts of the instance.
import Type from "typebox";
import { Nullable, defineContract } from "../../kernel/contract.ts";

/** The current user in the form that clients insist on: all members present, `resourceConfig` included. */
export const AuthUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  username: Type.String(),
  name: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  defaultTeamId: Nullable(Type.String()),
  createdAt: Type.Optional(Type.Integer({ description: "ms since the epoch" })),
  billing: Type.Optional(Type.Null()),
  softBlock: Type.Optional(Type.Null()),
  hasTrialAvailable: Type.Optional(Type.Boolean()),
  stagingPrefix: Type.Optional(Type.String()),
  resourceConfig: Type.Optional(Type.Object({})),
  isAdmin: Type.Optional(Type.Boolean({ description: "May administer the instance." })),
  limited: Type.Optional(Type.Literal(true, { description: "The credential is limited to one team." })),
});

/** An account as administrators see it. */
export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  username: Type.String(),
  name: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  isAdmin: Type.Boolean(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  suspendedAt: Nullable(Type.Integer()),
});

export const usersContract = defineContract({
  getCurrentUser: {
    method: "GET",
    path: "/v2/user",
    aliases: ["/v1/user", "/user", "/www/user"],
    tag: "User",
    summary: "The user that the credential stands for",
    access: { kind: "user" },
    response: Type.Object({ user: AuthUser }),
    errors: [],
    emits: [],
  },
  createUser: {
    method: "POST",
    path: "/v1/users",
    tag: "Users",
    summary: "Create an account",
    access: { kind: "instance" },
    body: Type.Object(
      {
        email: Type.String({ minLength: 3, maxLength: 256, pattern: "^[^\\s@]+@[^\\s@]+$" }),
        username: Type.String({ minLength: 1, maxLength: 48, pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]*$" }),
        name: Type.Optional(Type.String({ maxLength: 256 })),
        admin: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ user: User }),
    errors: ["email_taken", "username_taken"],
    emits: ["user-created"],
  },
});
