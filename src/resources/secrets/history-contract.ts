// What secrets were: the earlier versions of their values, and their earlier names.
import { Nullable, OneOf, defineContract } from "../../kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../kernel/pagination.ts";
import { Type } from "../../kernel/schema.ts";
import { Decrypt, ExpectedVersion, REVEAL_ERRORS, Secret, SecretParams, VERSION_FIELDS } from "./secret-schema.ts";

const tag = "Secrets";
const read = { kind: "owner", permission: "secret:read" } as const;
const write = { kind: "owner", permission: "secret:write" } as const;

const VersionParams = Type.Object({
  name: Type.String({ maxLength: 256, description: "Name or id." }),
  version: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "Number of the version." }),
});

export const secretHistoryContract = defineContract({
  listSecretVersions: {
    method: "GET",
    path: "/v2/secrets/:name/versions",
    aliases: ["/v3/secrets/:name/versions", "/secrets/:name/versions"],
    tag,
    summary: "The versions of a secret's value that are kept, newest first",
    access: read,
    params: SecretParams,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({
      versions: Type.Array(Type.Object(VERSION_FIELDS, { title: "SecretVersion" })),
      pagination: Pagination,
    }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getSecretVersion: {
    method: "GET",
    path: "/v2/secrets/:name/versions/:version",
    aliases: ["/v3/secrets/:name/versions/:version", "/secrets/:name/versions/:version"],
    tag,
    summary: "One version of a secret's value",
    access: read,
    params: VersionParams,
    query: Type.Object({ decrypt: Decrypt }),
    recordsWhen: "decrypt",
    response: Type.Object(
      {
        ...VERSION_FIELDS,
        value: Type.Optional(Type.String({ description: "Only with `decrypt=true`, and only when decryptable." })),
      },
      { title: "RevealedSecretVersion" },
    ),
    errors: [...REVEAL_ERRORS],
    emits: ["secret-reveal", "secret-unreadable"],
  },
  restoreSecretVersion: {
    method: "POST",
    path: "/v2/secrets/:name/versions/:version/restore",
    aliases: ["/v3/secrets/:name/versions/:version/restore", "/secrets/:name/versions/:version/restore"],
    tag,
    summary: "Make an earlier value the newest version",
    access: write,
    params: VersionParams,
    body: Type.Object({ expectedVersion: ExpectedVersion }, { additionalProperties: false }),
    isBodyOptional: true,
    response: Secret,
    errors: ["secret_is_alias", "secret_unreadable", "version_conflict", "revision_mismatch", "master_key_missing"],
    emits: ["secret-value-update", "secret-unreadable"],
  },
  listSecretNames: {
    method: "GET",
    path: "/v2/secrets/:name/names",
    aliases: ["/v3/secrets/:name/names", "/secrets/:name/names"],
    tag,
    summary: "What a secret is and was called, newest first",
    access: read,
    params: SecretParams,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({
      names: Type.Array(
        Type.Object(
          {
            name: Type.String(),
            kind: OneOf(["current", "alias", "former"], {
              description: "An alias still reads the secret; a former name is free.",
            }),
            begunAt: Type.Integer({ description: "ms since the epoch" }),
            endedAt: Nullable(Type.Integer({ description: "ms since the epoch; null for the current name." })),
          },
          { title: "SecretName" },
        ),
      ),
      pagination: Pagination,
    }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  deleteSecretAlias: {
    method: "DELETE",
    path: "/v2/secrets/:name/aliases/:alias",
    aliases: ["/v3/secrets/:name/aliases/:alias", "/secrets/:name/aliases/:alias"],
    tag,
    summary: "Give up a former name that was kept as an alias",
    access: write,
    params: Type.Object({
      name: Type.String({ maxLength: 256, description: "Name or id of the secret." }),
      alias: Type.String({ maxLength: 256, description: "The alias, without regard to case." }),
    }),
    response: Secret,
    errors: ["secret_is_alias", "revision_mismatch"],
    emits: ["secret-update"],
  },
});
