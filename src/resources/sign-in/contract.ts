// The methods by which the user signs in. Pages of src/http/console/ add passkeys, because making one needs a browser.
import { Type } from "typebox";
import { Nullable, defineContract } from "../../kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../kernel/pagination.ts";

const NEEDS_SESSION =
  "Not authorized: ways to sign in are seen and changed in a browser, by whoever has signed in there; `reeve user sign-in-link NAME` makes a link";

const access = { kind: "user", sessionsOnly: NEEDS_SESSION } as const;
const tag = "Ways to sign in";

const Passkey = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "How its owner tells it from others." }),
    host: Type.String({ description: "The host of this server that it was made for." }),
    createdAt: Type.Integer(),
    usedAt: Nullable(Type.Integer({ description: "When it was last used." })),
  },
  { title: "Passkey" },
);

const PasskeyParams = Type.Object({ passkeyId: Type.String({ maxLength: 64 }) });

const Identity = Type.Object(
  {
    id: Type.String(),
    provider: Type.String({ description: "Id of the provider in the configuration." }),
    issuer: Type.String(),
    subject: Type.String({ description: "The user's id at the issuer." }),
    email: Nullable(Type.String({ description: "The address that the provider gave last." })),
    createdAt: Type.Integer(),
    usedAt: Type.Integer({ description: "When it signed in last, or was connected." }),
  },
  { title: "Identity" },
);

export const signInContract = defineContract({
  listPasskeys: {
    method: "GET",
    path: "/v1/user/passkeys",
    tag,
    summary: "The user's passkeys",
    access,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ passkeys: Type.Array(Passkey), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  renamePasskey: {
    method: "PATCH",
    path: "/v1/user/passkeys/:passkeyId",
    tag,
    summary: "Rename a passkey",
    access,
    params: PasskeyParams,
    body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }, { additionalProperties: false }),
    response: Type.Object({ passkey: Passkey }),
    errors: [],
    emits: ["passkey-updated"],
  },
  deletePasskey: {
    method: "DELETE",
    path: "/v1/user/passkeys/:passkeyId",
    tag,
    summary: "Remove a passkey",
    access,
    needsFreshProof: true,
    params: PasskeyParams,
    response: Type.Object({ id: Type.String() }),
    errors: ["last_sign_in_method"],
    emits: ["passkey-deleted"],
  },
  listIdentities: {
    method: "GET",
    path: "/v1/user/identities",
    tag,
    summary: "The accounts at providers that sign in to the user's account",
    access,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ identities: Type.Array(Identity), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  deleteIdentity: {
    method: "DELETE",
    path: "/v1/user/identities/:identityId",
    tag,
    summary: "Disconnect an account at a provider",
    description: "It no longer signs in. Roles that the provider's mappings gave stay until somebody takes them away.",
    access,
    needsFreshProof: true,
    params: Type.Object({ identityId: Type.String({ maxLength: 64 }) }),
    response: Type.Object({ id: Type.String() }),
    errors: ["last_sign_in_method"],
    emits: ["login-connection-unlinked"],
  },
  getPassword: {
    method: "GET",
    path: "/v1/user/password",
    tag,
    summary: "Whether the user has a password",
    access,
    response: Type.Object({ isSet: Type.Boolean(), changedAt: Nullable(Type.Integer()) }),
    errors: [],
    emits: [],
  },
  setPassword: {
    method: "PUT",
    path: "/v1/user/password",
    tag,
    summary: "Set or change the user's password",
    description: "Ends the user's other sessions.",
    access,
    needsFreshProof: true,
    body: Type.Object({ password: Type.String({ minLength: 1, maxLength: 256 }) }, { additionalProperties: false }),
    response: Type.Object({ isSet: Type.Boolean(), changedAt: Nullable(Type.Integer()) }),
    errors: ["weak_password", "passwords_off"],
    emits: ["password-updated", "session-ended"],
  },
  deletePassword: {
    method: "DELETE",
    path: "/v1/user/password",
    tag,
    summary: "Remove the user's password",
    access,
    needsFreshProof: true,
    response: Type.Object({ isSet: Type.Boolean(), changedAt: Nullable(Type.Integer()) }),
    errors: ["last_sign_in_method"],
    emits: ["password-updated"],
  },
  getRecoveryCodes: {
    method: "GET",
    path: "/v1/user/recovery-codes",
    tag,
    summary: "How many recovery codes the user has left",
    access,
    response: Type.Object({ remaining: Type.Integer() }),
    errors: [],
    emits: [],
  },
  createRecoveryCodes: {
    method: "POST",
    path: "/v1/user/recovery-codes",
    tag,
    summary: "Make new recovery codes",
    description:
      "Each signs in once when nothing else does. They are shown in this response alone; earlier ones no longer work.",
    access,
    needsFreshProof: true,
    response: Type.Object({ codes: Type.Array(Type.String()) }),
    errors: [],
    emits: ["recovery-codes-created"],
  },
});
