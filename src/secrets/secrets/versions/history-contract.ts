// The endpoints of earlier versions of a secret's value, and of its former names.
import { Nullable, OneOf, Pattern, defineContract } from "../../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import {
  Decrypt,
  ExpectedVersion,
  NAMED_READ,
  NAMED_WRITE,
  REVEAL,
  REVEALED_FIELDS,
  REVEAL_ERRORS,
  Secret,
  SecretParams,
  TAG,
  VERSION_FIELDS,
  alsoAt,
} from "../secret-schema.ts";

const VersionParams = Type.Object({
  name: Type.String({ maxLength: 256, description: "Name or id." }),
  version: Pattern("^[1-9][0-9]{0,14}$", "a whole number from 1", { description: "Number of the version." }),
});

export const secretHistoryContract = defineContract({
  listSecretVersions: {
    method: "GET",
    path: "/v2/secrets/:name/versions",
    aliases: alsoAt("/:name/versions"),
    tag: TAG,
    summary: "The versions of a secret's value that are kept, newest first",
    ...NAMED_READ,
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
    aliases: alsoAt("/:name/versions/:version"),
    tag: TAG,
    gives: "value",
    summary: "One version of a secret's value",
    ...NAMED_READ,
    params: VersionParams,
    query: Type.Object({ decrypt: Decrypt }),
    recordsWhen: "decrypt",
    recordingNeeds: REVEAL,
    response: Type.Object(
      {
        ...VERSION_FIELDS,
        ...REVEALED_FIELDS,
      },
      { title: "RevealedSecretVersion" },
    ),
    errors: [...REVEAL_ERRORS],
    emits: ["secret-reveal", "secret-unreadable"],
  },
  restoreSecretVersion: {
    method: "POST",
    path: "/v2/secrets/:name/versions/:version/restore",
    aliases: alsoAt("/:name/versions/:version/restore"),
    tag: TAG,
    summary: "Make an earlier value the newest version",
    ...NAMED_WRITE,
    gives: "value",
    params: VersionParams,
    body: Type.Object({ expectedVersion: ExpectedVersion }, { additionalProperties: false }),
    isBodyOptional: true,
    example: { body: { expectedVersion: 3 } },
    response: Secret,
    errors: ["secret_is_alias", "secret_unreadable", "version_conflict", "revision_mismatch", "master_key_missing"],
    emits: ["secret-value-update", "secret-unreadable"],
  },
  listSecretNames: {
    method: "GET",
    path: "/v2/secrets/:name/names",
    aliases: alsoAt("/:name/names"),
    tag: TAG,
    summary: "The present and former names of a secret, newest first",
    ...NAMED_READ,
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
    aliases: alsoAt("/:name/aliases/:alias"),
    tag: TAG,
    summary: "Remove a former name that was kept as an alias",
    ...NAMED_WRITE,
    params: Type.Object({
      name: Type.String({ maxLength: 256, description: "Name or id of the secret." }),
      alias: Type.String({ maxLength: 256, description: "The alias, without regard to case." }),
    }),
    response: Secret,
    errors: ["secret_is_alias", "revision_mismatch"],
    emits: ["secret-update"],
  },
});
