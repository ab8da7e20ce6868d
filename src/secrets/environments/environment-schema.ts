// The shapes of environments that several endpoints share, and their limits.
import { Nullable, OneOf, Pattern, RecordOf } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { isPrototypeName } from "../../platform/kernel/text/prototype-names.ts";
import { ProjectName } from "../../platform/kernel/project.ts";

export const TAG = "Environments";
export const READ = { kind: "owner", permission: "environment:read" } as const;
export const WRITE = { kind: "owner", permission: "environment:write" } as const;

/** How limits of credentials apply to endpoints of a project, and of one environment. */
export const PROJECT_LIMITS = { project: "params.project" } as const;
export const ENVIRONMENT_LIMITS = { ...PROJECT_LIMITS, environment: "params.environment" } as const;

/** Every project has them; they need no creation and cannot be deleted. */
export const BUILT_IN = ["production", "preview", "development"] as const;

export const LIMITS = {
  /** Environments of a project. */
  environments: 50,
  /** How many others an environment inherits from, one through the other. */
  depth: 10,
  /** Own entries of an environment, and of those of a project together: one request may read them all. */
  entries: 1_000,
  projectEntries: 10_000,
  /** Bytes of an environment's document, and of those of a project together. */
  documentBytes: 524_288,
  projectBytes: 4_194_304,
  /** Versions of an environment that are kept. */
  versions: 100,
  /** Values that one change stores as secrets. */
  secretValues: 250,
  valueBytes: 65_536,
} as const;

const NAME_PATTERN = "^[a-z0-9][a-z0-9_-]{0,31}$";
const NAME_WORDS = "at most 32 of a-z, 0-9, `-` and `_`, of which the first is a letter or a digit";
const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
export const KEY_WORDS =
  "at most 256 letters (A to Z), digits and `_`, of which the first is not a digit, and none of `__proto__`, `constructor` and `prototype`";

export const EnvironmentName = Pattern(NAME_PATTERN, NAME_WORDS);

export function isKey(text: string): boolean {
  return KEY.test(text) && !isPrototypeName(text);
}

export const ProjectParams = Type.Object({ project: ProjectName("Name of the project.") });
export const EnvironmentParams = Type.Object({ ...ProjectParams.properties, environment: EnvironmentName });

export const InheritsFrom = Nullable(
  Pattern(NAME_PATTERN, NAME_WORDS, {
    description: "Another environment of the project, whose entries apply where this one has none; null: none.",
  }),
);

const Comment = Type.String({ maxLength: 500 });
export const Note = Type.String({ minLength: 1, maxLength: 500, description: "Why; it is kept with the versions." });

const SENSITIVE = "lists and single reads of variables never show the value; what an application gets has it.";

const EntryInput = Type.Object(
  {
    secret: Type.Optional(
      Type.String({ maxLength: 256, description: "A secret of the team or account: its name or id. Renames follow." }),
    ),
    value: Type.Optional(
      Type.String({
        description: `A plain value, which everybody who may see the environment sees; at most ${LIMITS.valueBytes} bytes.`,
      }),
    ),
    secretValue: Type.Optional(
      Type.String({
        description:
          "Store this as a secret: a new version of the one that was made for this entry, else a new decryptable secret.",
      }),
    ),
    isSensitive: Type.Optional(Type.Boolean({ description: `Only with a secret: ${SENSITIVE}` })),
    comment: Type.Optional(Nullable(Comment)),
  },
  {
    additionalProperties: false,
    title: "EnvironmentEntryInput",
    "x-expected": 'an object, such as {"value": "x"} or {"secret": "NAME"}',
    description: "One of `secret`, `value` and `secretValue`.",
  },
);

export const EnvironmentChange = Type.Object(
  {
    set: Type.Optional(RecordOf(EntryInput, { maxProperties: LIMITS.entries, description: "Entries by key." })),
    remove: Type.Optional(
      Type.Array(Type.String(), { maxItems: LIMITS.entries, description: "Keys; inherited entries apply again." }),
    ),
  },
  { additionalProperties: false, title: "EnvironmentChangeInput" },
);

const SECRET_STATES = ["ready", "new", "deleted", "missing", "not_decryptable", "expired"] as const;

const ReferencedSecret = Type.Object(
  {
    uid: Nullable(Type.String({ description: "Null: it would be created (dry run)." })),
    name: Nullable(Type.String({ description: "Its present name; null: it was destroyed." })),
    version: Nullable(Type.Integer({ description: "The newest version of its value." })),
    state: OneOf(SECRET_STATES, { description: "Anything but `ready` refuses the values of the environment." }),
  },
  { title: "ReferencedSecret" },
);

const ENTRY = {
  key: Type.String(),
  id: Type.String({ description: "Equal entries of one key that were set together share it." }),
  kind: OneOf(["secret", "value"]),
  secret: Type.Optional(ReferencedSecret),
  isSensitive: Type.Optional(Type.Boolean({ description: `True or absent; ${SENSITIVE}` })),
  comment: Nullable(Comment),
};

/** An entry without its value. */
export const MaskedEntry = Type.Object(ENTRY, { title: "MaskedEnvironmentEntry" });

export const OwnEntry = Type.Object(
  {
    ...ENTRY,
    value: Type.Optional(Type.String({ description: "Only of a plain value." })),
    createdAt: Type.Integer({ description: "ms since the epoch" }),
    updatedAt: Type.Integer(),
  },
  { title: "EnvironmentEntry" },
);

export const ResolvedEntry = Type.Object(
  {
    ...OwnEntry.properties,
    from: Type.String({ description: "The environment that has the entry: this one, or one that it inherits from." }),
    isInherited: Type.Boolean(),
  },
  { title: "ResolvedEnvironmentEntry" },
);

export const ENVIRONMENT = {
  project: Type.String(),
  name: Type.String(),
  isBuiltIn: Type.Boolean({ description: "Every project has it." }),
  inheritsFrom: Nullable(Type.String()),
  version: Type.Integer({ description: "Counts the changes; 0: there was none." }),
  entryCount: Type.Integer({ description: "Of its own entries." }),
  createdAt: Nullable(Type.Integer({ description: "ms since the epoch; null: nothing is stored yet." })),
  updatedAt: Nullable(Type.Integer()),
};
export const Environment = Type.Object(ENVIRONMENT, { title: "Environment" });

/** The differences of the entries of two versions. */
export const DIFFERENCES = {
  added: Type.Array(MaskedEntry),
  changed: Type.Array(
    Type.Object(
      {
        key: Type.String(),
        before: MaskedEntry,
        after: MaskedEntry,
        changes: Type.Array(OneOf(["kind", "secret", "value", "isSensitive", "comment"]), {
          description: "What of it differs; `value` also for a new value of the same secret.",
        }),
      },
      { title: "ChangedEnvironmentEntry" },
    ),
  ),
  removed: Type.Array(MaskedEntry),
};

/** The query of a change that can be looked at first. */
export const DRY_RUN = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: "Return the differences, and change nothing." })),
});

export const EnvironmentDiff = Type.Object(
  {
    name: Type.String(),
    previousVersion: Type.Integer(),
    version: Type.Integer({ description: "The same as `previousVersion` when nothing differs." }),
    ...DIFFERENCES,
  },
  { title: "EnvironmentDiff" },
);

export const CHANGE_ERRORS = ["invalid_environment", "invalid_secret_value", "version_conflict"] as const;
