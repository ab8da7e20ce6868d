// The schema of a firewall configuration, in requests and in responses.
import {
  ACTION_DURATIONS,
  CONDITION_TYPES,
  CRS_CATEGORIES,
  ENFORCED_BY,
  MANAGED_SETS,
  OPERATORS,
  RULE_ACTIONS,
} from "../evaluator/config.ts";
import { Nullable, OneOf, RecordOf } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { Change, ExpectedVersion, Note } from "./change-schema.ts";

/** The limits of a configuration. */
export const LIMITS = {
  rules: 1_000,
  addresses: 1_000,
  sharedConditions: 100,
  /** Per managed set. */
  ruleGroups: 100,
  groups: 25,
  conditions: 65,
  values: 75,
  valueLength: 2_048,
  patternLength: 512,
  nameLength: 160,
  descriptionLength: 260,
  notesLength: 500,
  /** Bytes of a version as it is stored. Responses add `enforcedBy` to that; the body limit of a PUT leaves room for it. */
  documentBytes: 1_000_000,
  /** Arrays and objects of a version: less than a body may have, so a PUT can always send back what GET returned. */
  documentContainers: 70_000,
} as const;

const closed = { additionalProperties: false } as const;

export const ConditionValue = Type.Union([
  Type.String({ maxLength: LIMITS.valueLength }),
  Type.Number(),
  Type.Array(Type.Union([Type.String({ maxLength: LIMITS.valueLength }), Type.Number()]), { maxItems: LIMITS.values }),
]);

const Condition = Type.Object(
  {
    type: OneOf(CONDITION_TYPES),
    op: OneOf(OPERATORS),
    neg: Type.Optional(Type.Boolean({ description: "Inverts the result." })),
    key: Type.Optional(
      Type.String({ description: "Name of the header, query parameter, cookie or value of the body." }),
    ),
    value: Type.Optional(ConditionValue),
  },
  { title: "FirewallCondition", ...closed },
);

export const ConditionGroup = Type.Array(
  Type.Object({ conditions: Type.Array(Condition, { minItems: 1, maxItems: LIMITS.conditions }) }, closed),
  { maxItems: LIMITS.groups, description: "A rule matches when all conditions of one group match." },
);

const RateLimit = Type.Object(
  {
    algo: OneOf(["fixed_window", "token_bucket"]),
    window: Type.Integer({ minimum: 10, maximum: 3_600, description: "Seconds." }),
    limit: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    keys: Type.Array(Type.String(), { minItems: 1, maxItems: 10, description: "`ip`, `ja4`, `header:<name>`, ..." }),
    action: Type.Optional(
      Nullable(Type.String({ description: "The action when the limit is exceeded; by default the client gets 429." })),
    ),
  },
  closed,
);

const Mitigate = Type.Object(
  {
    action: OneOf(RULE_ACTIONS),
    rateLimit: Type.Optional(Type.Union([RateLimit, Type.Null()])),
    redirect: Type.Optional(
      Type.Union([
        Type.Object(
          {
            location: Type.String({
              description: "A path from `/` on, or a URL with the scheme http or https; in printable ASCII.",
            }),
            permanent: Type.Boolean(),
          },
          closed,
        ),
        Type.Null(),
      ]),
    ),
    actionDuration: Type.Optional(
      Nullable(OneOf([...ACTION_DURATIONS], { description: "Repeats the decision for the client for this long." })),
    ),
    bypassSystem: Type.Optional(
      Nullable(Type.Boolean({ description: "Also skips the managed sets and attack challenge mode." })),
    ),
    logHeaders: Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.String(), Type.Null()], { description: 'Names, or `"*"`.' }),
    ),
  },
  closed,
);

const Id = Type.String({ minLength: 1, maxLength: 128 });

export const RULE_FIELDS = {
  name: Type.String({ minLength: 1, maxLength: LIMITS.nameLength }),
  description: Type.Optional(Nullable(Type.String({ maxLength: LIMITS.descriptionLength }))),
  active: Type.Boolean(),
  conditionGroup: ConditionGroup,
  action: Type.Object({ mitigate: Type.Optional(Mitigate) }, closed),
};

/** Of a shared condition and a bypass rule, which no client expects to have it. */
export const DOUBTS = {
  validationErrors: Type.Optional(
    Type.Array(Type.String(), {
      description: "What the conditions do otherwise than it may seem, such as that they never match; absent: nothing.",
    }),
  ),
};

const VALIDITY = {
  valid: Type.Optional(Type.Boolean({ description: "Always true: only valid rules are stored." })),
  validationErrors: Type.Optional(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "What the rule does otherwise than it may seem, such as that it never matches; null: nothing.",
    }),
  ),
};

const RuleInput = Type.Object(
  { id: Type.Optional(Id), ...RULE_FIELDS, ...VALIDITY },
  { title: "FirewallRuleInput", ...closed },
);
const Rule = Type.Object({ id: Id, ...RULE_FIELDS, ...VALIDITY }, { title: "FirewallRule" });

const ADDRESS_FIELDS = {
  hostname: Type.String({ description: "A host name, `*.name`, or `*` for all." }),
  ip: Type.String({ description: "An address, or a network of at least /16 (IPv4) or /48 (IPv6)." }),
  notes: Type.Optional(Nullable(Type.String({ maxLength: LIMITS.notesLength }))),
  action: OneOf(["deny", "challenge", "log", "bypass"]),
};
const AddressInput = Type.Object({ id: Type.Optional(Id), ...ADDRESS_FIELDS }, closed);
const Address = Type.Object({ id: Id, ...ADDRESS_FIELDS }, { title: "FirewallAddress" });

const SHARED_FIELDS = {
  name: Type.String({ minLength: 1, maxLength: LIMITS.nameLength }),
  description: Type.Optional(Nullable(Type.String({ maxLength: LIMITS.descriptionLength }))),
  active: Type.Boolean(),
  conditionGroup: ConditionGroup,
};
const SharedInput = Type.Object({ id: Type.Optional(Id), ...SHARED_FIELDS, ...DOUBTS }, closed);
const Shared = Type.Object({ id: Id, ...SHARED_FIELDS, ...DOUBTS }, { title: "SharedCondition" });

const CategorySwitch = Type.Object({ active: Type.Boolean(), action: OneOf(["deny", "log"]) });

const RuleGroups = RecordOf(
  Type.Object({ active: Type.Boolean(), action: Type.Optional(OneOf(["log", "challenge", "deny"])) }),
);

const ManagedSwitch = Type.Object({
  active: Type.Boolean(),
  action: Type.Optional(OneOf(["log", "challenge", "deny"])),
  ruleGroups: Type.Optional(RuleGroups),
  updatedAt: Type.Optional(Type.String({ description: "ISO 8601. Set when the switch changes." })),
  userId: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
});

function members<K extends string, S extends Parameters<typeof Type.Optional>[0]>(names: readonly K[], schema: S) {
  return Object.fromEntries(names.map((name) => [name, Type.Optional(schema)])) as Record<
    K,
    ReturnType<typeof Type.Optional<S>>
  >;
}

const required = <S>(names: readonly string[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<string, S>;

const Crs = Type.Object(required(CRS_CATEGORIES, CategorySwitch), {
  title: "CoreRuleSet",
  description: "Categories of attacks.",
});
const CrsInput = Type.Object(members(CRS_CATEGORIES, CategorySwitch), closed);
const ManagedRules = Type.Object(members(MANAGED_SETS, ManagedSwitch), { title: "ManagedRules" });

const Enforcer = Nullable(
  Type.String({ description: "A package or an engine; null: the switch is stored, and nothing enforces it." }),
);
const EnforcedBy = Type.Object(
  {
    crs: Type.Object(required(Object.keys(ENFORCED_BY.crs), Enforcer)),
    managedRules: Type.Object(required(Object.keys(ENFORCED_BY.managedRules), Enforcer)),
  },
  {
    title: "EnforcedBy",
    description:
      "The package of this server that enforces each managed set, and the engine that a gate reports for the categories.",
  },
);

const LogHeaders = Type.Union([Type.Array(Type.String()), Type.String()], { description: 'Names, or `"*"`.' });
const Rulesets = Type.Union([Type.Array(Type.Unsafe({})), RecordOf(Type.Unsafe({}))], {
  description: "Stored unchanged.",
});

const SWITCHES = {
  botIdEnabled: Type.Optional(Type.Boolean()),
  logHeaders: Type.Optional(LogHeaders),
  ja3Enabled: Type.Optional(Type.Boolean()),
  ja4Enabled: Type.Optional(Type.Boolean()),
  rulesets: Type.Optional(Rulesets),
};

/** Members of a response that a PUT may repeat. They are ignored. */
export const ECHOED = [
  "ownerId",
  "projectKey",
  "id",
  "version",
  "updatedAt",
  "changes",
  "basedOn",
  "changeCount",
  "cost",
  "createdBy",
  "conflicts",
  "enforcedBy",
] as const;
const ECHO = members(ECHOED, Type.Unsafe({ description: "A member of responses; ignored here." }));

export const ConfigInput = Type.Object(
  {
    firewallEnabled: Type.Boolean(),
    crs: Type.Optional(Type.Union([CrsInput, Type.Null()])),
    managedRules: Type.Optional(
      Type.Object(members([...MANAGED_SETS], ManagedSwitch), {
        ...closed,
        description: "`{}` leaves them unchanged.",
      }),
    ),
    rules: Type.Optional(Type.Array(RuleInput, { maxItems: LIMITS.rules })),
    ips: Type.Optional(Type.Array(AddressInput, { maxItems: LIMITS.addresses })),
    conditions: Type.Optional(Type.Array(SharedInput, { maxItems: LIMITS.sharedConditions })),
    ...SWITCHES,
    note: Note,
    expectedVersion: ExpectedVersion,
    ...ECHO,
  },
  { title: "FirewallConfigInput", ...closed },
);

export const FirewallConfig = Type.Object(
  {
    ownerId: Type.String(),
    projectKey: Type.String({ description: "The project." }),
    id: Type.String(),
    version: Type.Integer({ description: "1, 2, 3, ...; of a draft, the number that it would get now." }),
    updatedAt: Type.String({ description: "ISO 8601" }),
    firewallEnabled: Type.Boolean(),
    crs: Crs,
    rules: Type.Array(Rule),
    ips: Type.Array(Address),
    changes: Type.Array(Change, { description: "The changes of a draft; empty otherwise." }),
    managedRules: Type.Optional(ManagedRules),
    ...SWITCHES,
    conditions: Type.Optional(Type.Array(Shared, { description: "Shared by rules." })),
    note: Type.Optional(Nullable(Type.String())),
    basedOn: Nullable(Type.Integer({ description: "The version that was active when this one was created." })),
    changeCount: Type.Integer({ description: "The number of differences from that version." }),
    cost: Type.Integer({ description: "See /docs/firewall." }),
    enforcedBy: EnforcedBy,
    createdBy: Type.Object({
      id: Nullable(Type.String({ description: "The id of the account; null for API keys of a team." })),
      name: Type.String(),
    }),
    conflicts: Type.Optional(
      Type.Array(
        Type.Object({ index: Type.Integer({ description: "The index in `changes`." }), message: Type.String() }),
        {
          description: "Changes of a draft that cannot be applied any more; absent when there are none.",
        },
      ),
    ),
  },
  { title: "FirewallConfig" },
);
