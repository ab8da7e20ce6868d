// The shapes of secrets that several endpoints share.
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { Nullable, OneOf } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { EPOCH_MS } from "../../platform/kernel/units.ts";

export const MAX_VALUE_BYTES = 65_536;
export const DEFAULT_MAX_VERSIONS = 10;
export const ENCODINGS = ["utf8", "base64"] as const;

export const TAG = "Secrets";
export const READ = { kind: "owner", permission: "secret:read" } as const;
export const WRITE = { kind: "owner", permission: "secret:write" } as const;
/** Secrets are found by id, name or alias, and limits count for their present names: handlers apply them. */
const limits = { name: "handler" } as const;
export const NAMED_READ = { access: READ, limits } as const;
/** A change that hands out nothing, unless its endpoint says otherwise. */
export const NAMED_WRITE = { access: WRITE, limits, gives: "nothing" } as const;
/** A change of secrets alone. */
export const OWNER_WRITE = { ...NAMED_WRITE, changesOwnerOnly: true } as const;
/** The additional permission for reading a value back. */
export const REVEAL = "secret:reveal";

/** Today's clients mix versions, and one puts `now` before the resource. */
const CLIENT_PATHS = ["/v2/secrets", "/v3/secrets", "/secrets", "/v2/now/secrets", "/v3/now/secrets", "/now/secrets"];
export function clientPaths(canonical: string, rest = ""): readonly string[] {
  return CLIENT_PATHS.map((path) => path + rest).filter((path) => path !== canonical);
}

/** The aliases of an endpoint under `/v2/secrets` that no present client calls. */
export function alsoAt(rest: string): readonly string[] {
  return [`/v3/secrets${rest}`, `/secrets${rest}`];
}

/** Longer than a name may be, so that an invalid name returns 404 like an unknown one. */
export const SecretParams = Type.Object({ name: Type.String({ maxLength: 256, description: "Name or id." }) });

export const NewName = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    "Letters, digits, `_`, `.` and `-`, not beginning with `.`, `-` or `sec_`; unique per team or account without " +
    "regard to case, and kept as written.",
});

export const NewValue = Type.String({
  description: `At most ${MAX_VALUE_BYTES} bytes, kept exactly. Bytes that are not UTF-8 text, or NUL, go as base64.`,
});

export const Encoding = OneOf(ENCODINGS, { description: "How `value` encodes the bytes; `utf8` by default." });

export const Description = Nullable(Type.String({ maxLength: 1_000 }));
export const MAX_TAGS = 20;
export const Tag = Type.String({ minLength: 1, maxLength: 64 });
export const Tags = Type.Array(Tag, { maxItems: MAX_TAGS, description: `At most ${MAX_TAGS}.` });
export const MaxVersions = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: `How many versions of the value are kept; ${DEFAULT_MAX_VERSIONS} by default.`,
});
export const ExpiresAt = Nullable(
  Type.Integer({
    ...EPOCH_MS,
    minimum: 0,
    maximum: MAX_TIME_MS,
    description:
      "ms, in the future: the value is not revealed from then on. The event `secret-expiring` announces it seven days " +
      "and one day before, and at that time.",
  }),
);

/** The settings of a secret, beside its name and value. */
export const SETTINGS = {
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  maxVersions: Type.Optional(MaxVersions),
  expiresAt: Type.Optional(ExpiresAt),
};

export const Decryptable = Type.Boolean({
  description: "Whether the value can be read back; false by default. Once false it never can through the API.",
});

/** The settings of a new secret, beside its name and value. */
export const NEW_SETTINGS = {
  decryptable: Type.Optional(Decryptable),
  ...SETTINGS,
  projectId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, deprecated: true, description: "The project, for existing clients." }),
  ),
};

export const KeepAlias = Type.Optional(
  Type.Boolean({ description: "Keep the present name for reading; else it is free at once." }),
);

export const SECRET_FIELDS = {
  uid: Type.String(),
  name: Type.String(),
  teamId: Nullable(Type.String({ description: "The team that the secret belongs to." })),
  userId: Type.Optional(Type.String({ description: "The user who created it; absent for keys of a team." })),
  created: Type.String({ description: "ISO 8601" }),
  createdAt: Type.Integer({ description: "ms since the epoch" }),
  updatedAt: Type.Integer(),
  updatedBy: Type.Optional(
    Type.String({ description: "The user who changed it last; absent for keys of a team, and where it is not known." }),
  ),
  decryptable: Type.Boolean({ description: "Whether the value can be read back." }),
  description: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  version: Type.Integer({ description: "The newest version of the value." }),
  metadataVersion: Type.Integer({ description: "Counts changes of everything but the value." }),
  maxVersions: Type.Integer(),
  expiresAt: Nullable(Type.Integer({ description: "ms since the epoch: the value is not revealed from then on." })),
  projectId: Type.Optional(Type.String({ deprecated: true, description: "The project, for existing clients." })),
  deletedAt: Type.Optional(Type.Integer({ description: "Only of a deleted secret." })),
  purgeAt: Type.Optional(Type.Integer({ description: "When a deleted secret is destroyed for good." })),
};

export const Secret = Type.Object(SECRET_FIELDS, { title: "Secret" });

/** The members of a response about a requested value. */
export const REVEALED_FIELDS = {
  value: Type.Optional(Type.String({ description: "Only with `decrypt=true`, and only when decryptable." })),
  readable: Type.Optional(
    Type.Boolean({ description: "Only with `decrypt=true`: false when the secret is not decryptable." }),
  ),
  message: Type.Optional(Type.String({ description: "Why the value is missing, when `readable` is false." })),
};

export const RevealedSecret = Type.Object(
  {
    ...SECRET_FIELDS,
    ...REVEALED_FIELDS,
    encoding: Type.Optional(OneOf(ENCODINGS, { description: "How `value` encodes the bytes." })),
  },
  { title: "RevealedSecret" },
);

export const CreatedSecret = Type.Object(
  {
    ...SECRET_FIELDS,
    // One client insists on a rendered buffer; the bytes themselves are not echoed.
    value: Type.Object({ type: OneOf(["Buffer"]), data: Type.Array(Type.Integer(), { description: "Always empty." }) }),
  },
  { title: "CreatedSecret" },
);

export const ChangedSecret = Type.Object(
  {
    ...SECRET_FIELDS,
    oldName: Type.Optional(Type.String({ description: "The name before, when it was changed." })),
  },
  { title: "ChangedSecret" },
);

export const VERSION_FIELDS = {
  version: Type.Integer(),
  size: Type.Integer({ description: "Bytes of the value." }),
  encoding: OneOf(ENCODINGS),
  restoredFrom: Nullable(Type.Integer({ description: "The version whose value this one brought back." })),
  createdBy: Nullable(Type.String({ description: "Id of the user; null for keys of a team." })),
  createdAt: Type.Integer({ description: "ms since the epoch" }),
};

export const ExpectedVersion = Type.Optional(
  Type.Integer({ minimum: 0, description: "Refuse with 409 unless the secret is at this `version`." }),
);

export const Decrypt = Type.Optional(
  Type.Boolean({
    default: false,
    description: "Return the value, and record that it was revealed; needs `secret:reveal`. False by default.",
  }),
);

/** The errors that can prevent revealing a value. */
export const REVEAL_ERRORS = ["secret_expired", "secret_unreadable", "master_key_missing"] as const;
