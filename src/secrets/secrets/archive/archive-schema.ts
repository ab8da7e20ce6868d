// The schema of an archive of secrets: a header, and all data of each secret that moves with it.
import type { Static } from "typebox";
import { Nullable, OneOf, Pattern } from "../../../platform/kernel/contract.ts";
import { MAX_CURSOR_MS } from "../../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import { Description, ENCODINGS, ExpiresAt, MaxVersions, NewName, NewValue, Tags } from "../secret-schema.ts";

export const ARCHIVE_FORMAT = "reeve-secrets";
/** Version 2 added `updater`. */
export const ARCHIVE_VERSION = 2;

const closed = { additionalProperties: false };

/** Bounded, because every time of an archive becomes a position. */
const Time = Type.Integer({ minimum: 0, maximum: MAX_CURSOR_MS });
/** The id of an account of the instance that wrote the archive; on other instances it identifies nobody. */
const AccountId = Nullable(Type.String({ maxLength: 64 }));
/** Bounded, so that counting can continue. */
const Count = Type.Integer({ minimum: 1, maximum: 1e12 });

export const ArchiveHeader = Type.Object(
  {
    format: OneOf([ARCHIVE_FORMAT]),
    formatVersion: Type.Integer({ minimum: 1 }),
    exportedAt: Time,
    owner: Type.Object(
      { kind: OneOf(["team", "user"]), id: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 256 }) },
      closed,
    ),
  },
  closed,
);
export type ArchiveHeader = Static<typeof ArchiveHeader>;

const ArchivedVersion = Type.Object(
  {
    version: Count,
    encoding: OneOf(ENCODINGS),
    createdAt: Time,
    creator: AccountId,
    restoredFrom: Nullable(Count),
    value: NewValue,
  },
  closed,
);
export type ArchivedVersion = Static<typeof ArchivedVersion>;

const ArchivedName = Type.Object(
  { name: NewName, kind: OneOf(["current", "alias", "former"]), begunAt: Time, endedAt: Nullable(Time) },
  closed,
);
export type ArchivedName = Static<typeof ArchivedName>;

export const ArchivedSecret = Type.Object(
  {
    uid: Pattern("^sec_[0-9A-Za-z]{24}$", "`sec_` and 24 letters or digits"),
    name: NewName,
    description: Description,
    tags: Tags,
    projectId: Nullable(Type.String({ minLength: 1, maxLength: 128 })),
    decryptable: Type.Boolean(),
    maxVersions: MaxVersions,
    expiresAt: ExpiresAt,
    metadataVersion: Count,
    creator: AccountId,
    updater: Type.Optional(AccountId),
    createdAt: Time,
    updatedAt: Time,
    /** Oldest first, like the versions. */
    names: Type.Array(ArchivedName, { minItems: 1 }),
    versions: Type.Array(ArchivedVersion, { minItems: 1, maxItems: 100 }),
  },
  closed,
);
export type ArchivedSecret = Static<typeof ArchivedSecret>;
