// A team as it is served. The names and forms are those that public clients insist on; the strictest of them want
// every member that is required here. One object schema serves both the full and the limited form, because the
// compiled serialiser is slow on unions of objects.
import type { Static } from "typebox";
import { Type } from "typebox";
import { Nullable, OneOf } from "../../platform/kernel/contract.ts";
import { TEAM_ROLES } from "../../platform/kernel/roles.ts";

const Switch = Type.Object({ enabled: Type.Boolean(), updatedAt: Type.Integer({ description: "ms since the epoch" }) });

/** A join link does not end by itself, so it makes nobody an OWNER. */
export const LINK_ROLES = TEAM_ROLES.filter((role) => role !== "OWNER");

const Preference = (values: readonly string[]) => OneOf(values);
const ON_OFF = ["default", "off", "on"];
const DAYS = Type.Optional(Type.Integer({ description: "36500 means for ever" }));
const Targets = Type.Object({ targets: Type.Array(Type.String()) });

export const DEPLOYMENT_TYPES = [
  "all",
  "preview",
  "prod_deployment_urls_and_all_previews",
  "all_except_custom_domains",
] as const;
const Protection = Nullable(Type.Object({ deploymentType: OneOf(DEPLOYMENT_TYPES) }));

/** Returned as they were sent; not a union, which would slow down every read. */
const SourceRules = Type.Array(Type.Unsafe<object>({ type: "object", additionalProperties: true }));

/** Settings that every team has. */
const DefaultedSettings = Type.Object({
  emailDomain: Nullable(Type.String()),
  previewDeploymentSuffix: Nullable(Type.String()),
  resourceConfig: Type.Object({
    buildMachine: Type.Optional(
      Type.Object({ default: Type.Optional(OneOf(["basic", "enhanced", "turbo", "standard", "elastic"])) }),
    ),
  }),
  remoteCaching: Type.Object({ enabled: Type.Boolean() }),
  saml: Type.Object({
    enforced: Type.Boolean(),
    // A record of role names and `{accessGroupId}`: not a union, which would slow down every read.
    roles: Type.Unsafe<Record<string, string | { accessGroupId: string }>>({
      type: "object",
      additionalProperties: true,
      description: "Role, or {accessGroupId}, by directory group.",
    }),
  }),
  sensitiveEnvironmentVariablePolicy: Preference(ON_OFF),
  enablePreviewFeedback: Preference(ON_OFF),
  enableProductionFeedback: Preference(ON_OFF),
  hideIpAddresses: Type.Boolean(),
  hideIpAddressesInLogDrains: Type.Boolean(),
  inviteCodeRole: OneOf(LINK_ROLES, { description: "Role of those who join by the join link." }),
  inviteCodeEnabled: Type.Boolean({ description: "Whether people can join by the join link." }),
});

/** Settings that are present only after somebody has chosen them. */
const ChosenSettings = Type.Partial(
  Type.Object({
    disjunctiveProductionSecretPolicy: Preference(ON_OFF),
    dpAccessRequestsMode: OneOf(["all", "none", "email-domain"]),
    requireVerifiedCommits: Type.Boolean(),
    disableRepositoryDispatchEvents: Type.Boolean(),
    defaultDeploymentProtection: Type.Object({
      passwordProtection: Type.Optional(Protection),
      ssoProtection: Type.Optional(Protection),
    }),
    defaultPassport: Nullable(Type.Object({ connectorId: Type.String(), deploymentType: OneOf(DEPLOYMENT_TYPES) })),
    defaultExpirationSettings: Type.Object({
      expirationDays: DAYS,
      expirationDaysProduction: DAYS,
      expirationDaysCanceled: DAYS,
      expirationDaysErrored: DAYS,
    }),
    strictDeploymentProtectionSettings: Switch,
    strictShareableLinks: Switch,
    strictPasswordProtectionSettings: Switch,
    strictConnectors: Switch,
    nsnbConfig: Type.Object({ preference: OneOf(["auto-approval", "manual-approval", "block"]) }),
    defaultProjectJobs: Type.Object({ lint: Type.Optional(Targets), typecheck: Type.Optional(Targets) }),
    deploymentPolicy: Type.Object({
      gitSources: Type.Optional(SourceRules),
      deploymentSources: Type.Optional(SourceRules),
    }),
  }),
);

export type TeamSettings = Static<typeof DefaultedSettings> & Static<typeof ChosenSettings>;

/** The caller's membership; present only for confirmed members. */
const Membership = Type.Object(
  {
    role: OneOf(TEAM_ROLES),
    confirmed: Type.Literal(true),
    confirmedAt: Type.Integer(),
    created: Type.Integer(),
    createdAt: Type.Integer(),
    accessRequestedAt: Type.Optional(Type.Integer()),
    uid: Type.String(),
    teamId: Type.String(),
    teamRoles: Type.Array(OneOf(TEAM_ROLES)),
    teamPermissions: Type.Array(Type.String()),
    joinedFrom: Type.Object({ origin: Type.String() }, { additionalProperties: true }),
  },
  { title: "Membership" },
);
export type Membership = Static<typeof Membership>;

export const Team = Type.Object(
  {
    id: Type.String(),
    slug: Type.String(),
    name: Nullable(Type.String()),
    avatar: Nullable(Type.String({ description: "SHA-1 of an image, in hex" })),
    createdAt: Type.Integer({ description: "ms since the epoch" }),
    membership: Type.Optional(Membership),
    limited: Type.Optional(Type.Literal(true, { description: "The credential is limited to another team." })),
    limitedBy: Type.Optional(Type.Array(OneOf(["scope"]))),
    description: Type.Optional(Nullable(Type.String())),
    billing: Type.Optional(Type.Object({ plan: Type.Literal("enterprise") })),
    updatedAt: Type.Optional(Type.Integer({ description: "ms since the epoch" })),
    creatorId: Type.Optional(Type.String()),
    stagingPrefix: Type.Optional(Type.String()),
    inviteCode: Type.Optional(
      Type.String({ description: "The join link's code, for members who may invite; a session needs a fresh proof." }),
    ),
    ...Type.Partial(DefaultedSettings).properties,
    ...ChosenSettings.properties,
  },
  { title: "Team" },
);
export type Team = Static<typeof Team>;
