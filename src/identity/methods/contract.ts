// The methods by which the user signs in. A browser makes passkeys: it is given options, and what it makes is sent back.
import { Type } from "typebox";
import { Nullable, RecordOf, defineContract } from "../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";

const NEEDS_SESSION =
  "Not authorized: ways to sign in are seen and changed in a browser, by the person who has signed in there; `reeve user sign-in-link NAME` makes a link";

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
  createPasskeyOptions: {
    method: "POST",
    path: "/v1/user/passkeys/options",
    tag,
    gives: "method",
    summary: "Ask for what a browser makes a new passkey of",
    description:
      "`publicKey` is what `PublicKeyCredential.parseCreationOptionsFromJSON` reads, for `navigator.credentials.create`. Its " +
      "challenge works once, for five minutes.",
    access,
    returns: "What `navigator.credentials.create` takes.",
    response: Type.Object({
      publicKey: RecordOf(Type.Unknown(), { description: "PublicKeyCredentialCreationOptionsJSON of WebAuthn." }),
    }),
    errors: [],
    emits: [],
  },
  createPasskey: {
    method: "POST",
    path: "/v1/user/passkeys",
    tag,
    gives: "method",
    summary: "Add a passkey that a browser has made",
    access,
    body: Type.Object(
      {
        credential: RecordOf(Type.Unknown(), {
          description: "RegistrationResponseJSON of WebAuthn: what `toJSON()` of the new credential returns.",
        }),
        name: Type.Optional(Type.String({ maxLength: 100, description: "How its owner tells it from others." })),
      },
      { additionalProperties: false },
    ),
    example: {
      body: {
        name: "Laptop",
        credential: {
          id: "fXH2mPzJr9xXKyDBfP6bqA",
          rawId: "fXH2mPzJr9xXKyDBfP6bqA",
          type: "public-key",
          response: { clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", attestationObject: "o2NmbXRkbm9uZQ" },
          clientExtensionResults: {},
        },
      },
    },
    response: Type.Object({ passkey: Passkey }),
    errors: ["too_many_passkeys"],
    emits: ["passkey-created"],
  },
  renamePasskey: {
    method: "PATCH",
    path: "/v1/user/passkeys/:passkeyId",
    tag,
    gives: "nothing",
    summary: "Rename a passkey",
    access,
    params: PasskeyParams,
    body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }, { additionalProperties: false }),
    example: { body: { name: "Phone" } },
    response: Type.Object({ passkey: Passkey }),
    errors: [],
    emits: ["passkey-updated"],
  },
  deletePasskey: {
    method: "DELETE",
    path: "/v1/user/passkeys/:passkeyId",
    tag,
    gives: "removal",
    summary: "Remove a passkey",
    access,
    params: PasskeyParams,
    returns: "The id of the passkey that was removed.",
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
    response: Type.Object({
      identities: Type.Array(Identity),
      providers: Type.Array(
        Type.Object({ id: Type.String(), name: Type.String() }, { description: "One that may sign in here." }),
        { description: "Those that can be connected." },
      ),
      pagination: Pagination,
    }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  deleteIdentity: {
    method: "DELETE",
    path: "/v1/user/identities/:identityId",
    tag,
    gives: "removal",
    summary: "Disconnect an account at a provider",
    description: "It no longer signs in. Roles that the provider's mappings gave stay until somebody takes them away.",
    access,
    params: Type.Object({ identityId: Type.String({ maxLength: 64 }) }),
    returns: "The id of the account at the provider that was disconnected.",
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
    response: Type.Object({
      isSet: Type.Boolean(),
      changedAt: Nullable(Type.Integer()),
      isEnabled: Type.Boolean({ description: "People may sign in with passwords here." }),
    }),
    errors: [],
    emits: [],
  },
  setPassword: {
    method: "PUT",
    path: "/v1/user/password",
    tag,
    gives: "method",
    summary: "Set or change the user's password",
    description: "Ends the user's other sessions.",
    access,
    protects: true,
    body: Type.Object({ password: Type.String({ minLength: 1, maxLength: 256 }) }, { additionalProperties: false }),
    example: { body: { password: "four words nobody guesses" } },
    returns: "That there is a password, and since when.",
    response: Type.Object({ isSet: Type.Boolean(), changedAt: Nullable(Type.Integer()) }),
    errors: ["weak_password", "passwords_off"],
    emits: ["password-updated", "session-ended"],
  },
  deletePassword: {
    method: "DELETE",
    path: "/v1/user/password",
    tag,
    gives: "removal",
    summary: "Remove the user's password",
    access,
    returns: "That there is no password.",
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
    gives: "method",
    summary: "Make new recovery codes",
    description:
      "Each signs in once when nothing else does. They are shown in this response alone; earlier ones no longer work.",
    access,
    protects: true,
    returns: "The new codes. They are shown here alone; earlier ones no longer work.",
    response: Type.Object({ codes: Type.Array(Type.String()) }),
    errors: [],
    emits: ["recovery-codes-created"],
  },
});
