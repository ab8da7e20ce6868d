// Secrets: named values of a team or account, sealed at rest, versioned, and restorable after deletion.
import { Nullable, OneOf, Pattern, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import {
  ChangedSecret,
  CreatedSecret,
  Decrypt,
  Decryptable,
  Encoding,
  ExpectedVersion,
  KeepAlias,
  NAMED_READ,
  NAMED_WRITE,
  NEW_SETTINGS,
  NewName,
  NewValue,
  REVEAL,
  REVEAL_ERRORS,
  RevealedSecret,
  SETTINGS,
  Secret,
  SecretParams,
  TAG,
  OWNER_WRITE,
  alsoAt,
  clientPaths,
} from "./secret-schema.ts";

const NEW_SECRET = {
  value: NewValue,
  encoding: Type.Optional(Encoding),
  ...NEW_SETTINGS,
};

const GENERATE_ERRORS = ["invalid_secret_name", "invalid_expiry", "secret_name_taken", "master_key_missing"] as const;
const CREATE_ERRORS = [...GENERATE_ERRORS, "invalid_secret_value"] as const;

export const secretsContract = defineContract({
  createSecret: {
    method: "POST",
    path: "/v2/secrets",
    aliases: clientPaths("/v2/secrets"),
    tag: TAG,
    summary: "Create a secret",
    ...OWNER_WRITE,
    body: Type.Object({ name: NewName, ...NEW_SECRET }, { additionalProperties: false }),
    example: {
      body: { name: "DATABASE_URL", value: "postgres://app@db.internal/shop", decryptable: true, tags: ["production"] },
    },
    response: CreatedSecret,
    errors: CREATE_ERRORS,
    emits: ["secret-add"],
  },
  createNamedSecret: {
    method: "POST",
    path: "/v2/secrets/:name",
    aliases: clientPaths("/v2/secrets/:name", "/:name"),
    tag: TAG,
    summary: "Create a secret under the name in the path",
    description:
      "A name in the body wins over the one in the path. A secret called `rename` or `generate` has those paths in its " +
      "way: create it without a name in the path.",
    ...OWNER_WRITE,
    params: SecretParams,
    body: Type.Object({ name: Type.Optional(NewName), ...NEW_SECRET }, { additionalProperties: false }),
    example: { body: { value: "ZXhhbXBsZQ==", encoding: "base64" } },
    response: CreatedSecret,
    errors: CREATE_ERRORS,
    emits: ["secret-add"],
  },
  generateSecret: {
    method: "POST",
    path: "/v2/secrets/generate",
    aliases: alsoAt("/generate"),
    tag: TAG,
    summary: "Create a secret with a random value",
    description: "The value is made on the server and not returned; a decryptable one can be revealed afterwards.",
    ...OWNER_WRITE,
    body: Type.Object(
      {
        name: NewName,
        length: Type.Optional(
          Type.Integer({ minimum: 16, maximum: 4_096, description: "Characters of the value; 32 by default." }),
        ),
        alphabet: Type.Optional(
          OneOf(["alphanumeric", "letters", "digits", "hex", "base64url", "printable"], {
            description: "The characters to choose from; `alphanumeric` by default.",
          }),
        ),
        characters: Type.Optional(
          Pattern("^[\\x21-\\x7e]{2,94}$", "2 to 94 visible ASCII characters", {
            description: "The characters themselves instead of an alphabet's name: visible ASCII, each once.",
          }),
        ),
        ...NEW_SETTINGS,
      },
      { additionalProperties: false },
    ),
    example: { body: { name: "SESSION_KEY", length: 32, alphabet: "hex" } },
    response: CreatedSecret,
    errors: GENERATE_ERRORS,
    emits: ["secret-add"],
  },
  renameSecrets: {
    method: "POST",
    path: "/v2/secrets/rename",
    aliases: alsoAt("/rename"),
    tag: TAG,
    summary: "Rename several secrets at once, all or none",
    description: "Names may be exchanged: in the same call, a secret may get the name that another gives up.",
    ...NAMED_WRITE,
    gives: "reference",
    body: Type.Object(
      {
        renames: Type.Array(
          Type.Object(
            {
              from: Type.String({ minLength: 1, maxLength: 256, description: "Present name, or id." }),
              to: NewName,
              keepAlias: KeepAlias,
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 100 },
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { renames: [{ from: "DATABASE_URL", to: "DB_URL" }] } },
    returns: "Each secret with its earlier and its new name.",
    response: Type.Object({
      renamed: Type.Array(
        Type.Object({
          uid: Type.String(),
          name: Type.String(),
          oldName: Type.String(),
          created: Type.String({ description: "ISO 8601" }),
        }),
      ),
    }),
    errors: ["invalid_secret_name", "secret_is_alias", "secret_name_taken", "too_many_aliases"],
    emits: ["secret-rename"],
  },
  getSecret: {
    method: "GET",
    path: "/v3/secrets/:name",
    aliases: clientPaths("/v3/secrets/:name", "/:name"),
    tag: TAG,
    gives: "value",
    summary: "One secret, and its value when asked for",
    description:
      "By its id, its name, or a former name that was kept as an alias. The value of a secret that is not decryptable, " +
      "as is the default, is never returned: `readable` is false then, and `message` says so.",
    ...NAMED_READ,
    changesOwnerOnly: true,
    sharesTransaction: true,
    params: SecretParams,
    query: Type.Object({ decrypt: Decrypt }),
    recordsWhen: "decrypt",
    recordingNeeds: REVEAL,
    example: { query: { decrypt: true } },
    response: RevealedSecret,
    errors: [...REVEAL_ERRORS],
    emits: ["secret-reveal", "secret-unreadable"],
  },
  updateSecret: {
    method: "PATCH",
    path: "/v2/secrets/:name",
    aliases: clientPaths("/v2/secrets/:name", "/:name"),
    tag: TAG,
    summary: "Rename a secret, or change its settings",
    description: "A decryptable secret may be made not decryptable, but not the reverse.",
    ...OWNER_WRITE,
    gives: { what: "reference", when: "handler" },
    params: SecretParams,
    body: Type.Object(
      {
        name: Type.Optional(NewName),
        keepAlias: KeepAlias,
        decryptable: Type.Optional(Decryptable),
        ...SETTINGS,
        expectedVersion: Type.Optional(
          Type.Integer({ minimum: 0, description: "Refuse with 409 unless the secret is at this `metadataVersion`." }),
        ),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    example: { body: { name: "DB_URL", keepAlias: true } },
    response: ChangedSecret,
    errors: [
      "invalid_secret_name",
      "invalid_expiry",
      "secret_is_alias",
      "secret_name_taken",
      "secret_not_decryptable",
      "too_many_aliases",
      "version_conflict",
      "revision_mismatch",
    ],
    emits: ["secret-rename", "secret-update"],
  },
  putSecretValue: {
    method: "PUT",
    path: "/v2/secrets/:name",
    aliases: alsoAt("/:name"),
    tag: TAG,
    summary: "Store a new version of the value",
    ...OWNER_WRITE,
    gives: { what: "value", when: "handler" },
    sharesTransaction: true,
    params: SecretParams,
    body: Type.Object(
      {
        value: NewValue,
        encoding: Type.Optional(Encoding),
        expiresAt: SETTINGS.expiresAt,
        expectedVersion: ExpectedVersion,
      },
      { additionalProperties: false },
    ),
    example: { body: { value: "postgres://app@db2.internal/shop", expectedVersion: 1 } },
    response: Secret,
    errors: [
      "invalid_secret_value",
      "invalid_expiry",
      "secret_is_alias",
      "version_conflict",
      "revision_mismatch",
      "master_key_missing",
    ],
    emits: ["secret-value-update"],
  },
  deleteSecret: {
    method: "DELETE",
    path: "/v2/secrets/:name",
    aliases: clientPaths("/v2/secrets/:name", "/:name"),
    tag: TAG,
    summary: "Delete a secret",
    description:
      "Its names are free at once, and for seven days it can be restored with everything it had. `permanent=true` " +
      "destroys it; so does that on the id of a deleted secret.",
    ...NAMED_WRITE,
    params: SecretParams,
    query: Type.Object({ permanent: Type.Optional(Type.Boolean({ description: "Destroy it at once." })) }),
    returns: "The deleted secret, and when its values are erased.",
    response: Type.Object({
      uid: Type.String(),
      name: Type.String(),
      created: Type.Integer({ description: "ms since the epoch" }),
      purgeAt: Nullable(Type.Integer({ description: "Until when it can be restored; null when it is destroyed." })),
    }),
    errors: ["secret_is_alias", "revision_mismatch"],
    emits: ["secret-delete", "secret-destroy"],
  },
  restoreSecret: {
    method: "POST",
    path: "/v2/secrets/:name/restore",
    aliases: alsoAt("/:name/restore"),
    tag: TAG,
    summary: "Bring a deleted secret back",
    description:
      "By its id, or by its name: then the one that was deleted last. It comes with all its versions and settings, and " +
      "with those aliases that are free; when its name was taken meanwhile it needs another.",
    ...NAMED_WRITE,
    gives: "value",
    params: SecretParams,
    body: Type.Object({ name: Type.Optional(NewName) }, { additionalProperties: false }),
    isBodyOptional: true,
    response: Secret,
    errors: ["invalid_secret_name", "secret_name_taken", "revision_mismatch"],
    emits: ["secret-restore"],
  },
});
