// The fields of a team that a patch may change. Fields and rules are those of the public API, so that its clients' forms are
// accepted in full. Reeve enforces some settings and stores the others for the tools that read them.
import type { Static } from "typebox";
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { Nullable, OneOf, Pattern, RecordOf } from "../../platform/kernel/contract.ts";
import { TEAM_ROLES } from "../../platform/kernel/roles.ts";
import { DEPLOYMENT_TYPES, LINK_ROLES } from "./team-schema.ts";

/** Some clients send "undefined" to remove a setting. */
export const UNSET = "undefined";

const closed = { additionalProperties: false } as const;

// The handler checks the form, so that an invalid slug has an error code of its own.
export const Slug = Type.String({
  description: "1 to 48 characters of a-z, 0-9, - and _ that begin with a letter; unique, and not a reserved word.",
});
export const TeamName = Type.String({ minLength: 1, maxLength: 256, description: "For people." });

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const Hostname = Nullable(Pattern(`^${LABEL}(?:\\.${LABEL})*$`, "a host name such as example.com", { maxLength: 253 }));
const OnOff = OneOf(["on", "off", "default"]);
const Switch = Type.Object({ enabled: Type.Boolean() }, closed);
const DeploymentType = OneOf(DEPLOYMENT_TYPES);
const Targets = Type.Object(
  { targets: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20 }) },
  closed,
);

const PolicyName = Type.String({ minLength: 1, maxLength: 256 });
const GitSource = Type.Union([
  Type.Object({ provider: OneOf(["github", "bitbucket"]), org: PolicyName, repo: Type.Optional(PolicyName) }, closed),
  Type.Object({ provider: Type.Literal("gitlab"), namespace: PolicyName, project: Type.Optional(PolicyName) }, closed),
]);
const DeploymentSource = OneOf(["git", "cli", "rest-api", "deploy-hook", "integration", "v0"]);
const Environment = Type.Union([
  Type.Object({ type: Type.Literal("system"), target: OneOf(["preview", "production"]) }, closed),
  Type.Object({ type: Type.Literal("custom"), environmentId: PolicyName }, closed),
]);

/** Rules about sources, one for each set of environments. */
function SourceRules<S extends TSchema>(source: S) {
  const rule = Type.Object(
    {
      enabled: Type.Boolean(),
      environments: Type.Array(Environment, { maxItems: 50 }),
      sources: Type.Array(source, { maxItems: 100 }),
    },
    closed,
  );
  return Type.Union([Type.Array(rule, { maxItems: 20 }), Type.Literal(UNSET)]);
}

const SHORT_EXPIRATIONS = ["1y", "6m", "3m", "2m", "1m", "2w", "1w", "1d", "unlimited"] as const;
const Expiration = OneOf(["3y", "2y", ...SHORT_EXPIRATIONS]);
const ShortExpiration = OneOf(SHORT_EXPIRATIONS);

/** The settings of the join link that callers can choose, also when they create a team. */
export const JOIN_LINK = {
  inviteCodeRole: OneOf(LINK_ROLES, {
    description: "Role of those who join by the join link; VIEWER by default. For OWNERs there are invites, which end.",
  }),
  inviteCodeEnabled: Type.Boolean({ description: "False: nobody can join by the join link." }),
};

export const TeamPatch = Type.Partial(
  Type.Object({
    name: TeamName,
    slug: Slug,
    description: Nullable(Type.String({ maxLength: 140 })),
    avatar: Nullable(
      Pattern("^[0-9a-f]{40}$", "40 digits of lower-case hex", { description: "SHA-1 of an image, in hex" }),
    ),
    emailDomain: Hostname,
    previewDeploymentSuffix: Hostname,
    regenerateInviteCode: Type.Boolean({
      description: "Replaces the join link's code and switches the link on; nobody can join by the old code.",
    }),
    ...JOIN_LINK,
    saml: Type.Object(
      {
        enforced: Type.Optional(Type.Boolean()),
        roles: Type.Optional(
          RecordOf(
            Type.Union([
              OneOf(TEAM_ROLES),
              Type.Object({ accessGroupId: Type.String({ minLength: 1, maxLength: 256 }) }, closed),
            ]),
            { maxProperties: 200, description: "Replaces the whole mapping of directory groups." },
          ),
        ),
      },
      closed,
    ),
    enablePreviewFeedback: OnOff,
    enableProductionFeedback: OnOff,
    sensitiveEnvironmentVariablePolicy: OnOff,
    disjunctiveProductionSecretPolicy: OnOff,
    remoteCaching: Type.Object({ enabled: Type.Optional(Type.Boolean()) }, closed),
    hideIpAddresses: Type.Boolean(),
    hideIpAddressesInLogDrains: Type.Boolean(),
    dpAccessRequestsMode: OneOf(["all", "none", "email-domain"]),
    requireVerifiedCommits: Type.Boolean(),
    disableRepositoryDispatchEvents: Type.Boolean(),
    defaultDeploymentProtection: Nullable(
      Type.Object(
        {
          passwordProtection: Type.Optional(
            Nullable(
              Type.Object(
                {
                  deploymentType: DeploymentType,
                  password: Type.Optional(
                    Nullable(
                      Type.String({
                        maxLength: 1024,
                        description: "Accepted and not stored: nothing in Reeve asks a visitor for it.",
                      }),
                    ),
                  ),
                },
                closed,
              ),
            ),
          ),
          ssoProtection: Type.Optional(
            Nullable(Type.Object({ deploymentType: Type.Optional(DeploymentType) }, closed)),
          ),
        },
        closed,
      ),
    ),
    defaultPassport: Nullable(
      Type.Object(
        { connectorId: Type.String({ minLength: 1, maxLength: 256 }), deploymentType: DeploymentType },
        closed,
      ),
    ),
    defaultExpirationSettings: Type.Object(
      {
        expiration: Type.Optional(Expiration),
        expirationProduction: Type.Optional(Expiration),
        expirationCanceled: Type.Optional(ShortExpiration),
        expirationErrored: Type.Optional(ShortExpiration),
      },
      closed,
    ),
    strictDeploymentProtectionSettings: Switch,
    strictShareableLinks: Switch,
    strictPasswordProtectionSettings: Switch,
    strictConnectors: Switch,
    nsnbConfig: Type.Union([
      Type.Object({ preference: OneOf(["auto-approval", "manual-approval", "block"]) }, closed),
      Type.Literal(UNSET),
    ]),
    defaultProjectJobs: Type.Object({ lint: Type.Optional(Targets), typecheck: Type.Optional(Targets) }, closed),
    deploymentPolicy: Type.Union([
      Type.Object(
        {
          gitSources: Type.Optional(SourceRules(GitSource)),
          deploymentSources: Type.Optional(SourceRules(DeploymentSource)),
        },
        closed,
      ),
      Type.Literal(UNSET),
    ]),
    resourceConfig: Type.Object(
      {
        buildMachine: Type.Optional(
          Type.Object({ default: Type.Optional(OneOf(["basic", "enhanced", "turbo", "standard", "elastic"])) }, closed),
        ),
      },
      closed,
    ),
  }),
  closed,
);
export type TeamPatch = Static<typeof TeamPatch>;
