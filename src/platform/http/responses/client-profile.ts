// A generated SDK rejects a whole response for one name outside the closed lists of its release. Names that the SDK does not know are
// left out of responses to that SDK only, and members that it requires are added there.
import { generatedSdkRelease } from "../../kernel/clients/generated-sdk.ts";
import { KNOWN_NAMES } from "../../kernel/clients/public-names.ts";
import type { KnownNames, Release } from "../../kernel/clients/public-names.ts";
import { PUBLIC_WEBHOOK_NAMES, TERRAFORM_SPELLINGS } from "../../kernel/clients/public-webhook-names.ts";
import { adaptFirewall } from "./firewall-profile.ts";

/** The lists of one release. */
interface Lists {
  readonly types: ReadonlySet<string>;
  readonly categories: ReadonlySet<string>;
  readonly entities: ReadonlySet<string>;
  readonly principals: ReadonlySet<string>;
  readonly webhookEvents: ReadonlySet<string>;
}

type Adapt = (result: never, known: Lists) => unknown;

interface EventNames {
  readonly type?: string;
  readonly categories?: readonly string[];
  readonly entities: readonly { readonly type: string }[];
  readonly principal?: { readonly type: string };
}

function adaptEvent<E extends EventNames>({ type, categories, principal, ...rest }: E, known: Lists) {
  return {
    ...rest,
    entities: rest.entities.filter((entity) => known.entities.has(entity.type)),
    ...(type !== undefined && known.types.has(type) ? { type } : {}),
    ...(categories ? { categories: categories.filter((name) => known.categories.has(name)) } : {}),
    ...(principal && known.principals.has(principal.type) ? { principal } : {}),
  };
}

interface EventTypeNames {
  readonly name: string;
  readonly categories: readonly string[];
}

interface Subscription {
  readonly events: readonly string[];
}

/** Converts Terraform's spellings to the names that this client knows, and leaves out globs and Reeve's own names. */
function adaptWebhook<W extends Subscription>(webhook: W, known: Lists) {
  const names = webhook.events.map((name) => TERRAFORM_SPELLINGS.get(name) ?? name);
  return { ...webhook, events: [...new Set(names)].filter((name) => known.webhookEvents.has(name)) };
}

interface JoinLink {
  readonly inviteCodeRole?: string;
  readonly inviteCodeEnabled?: boolean;
}

/** The public API's join link has no settings. */
function adaptTeam<T extends JoinLink>({ inviteCodeRole: _role, inviteCodeEnabled: _isEnabled, ...team }: T) {
  return team;
}

const adaptTeams = (result: { readonly teams: readonly JoinLink[] }) => ({
  ...result,
  teams: result.teams.map((team) => adaptTeam(team)),
});

/** What the SDK requires of a project, and Reeve has not: builds and domains of a platform. */
const OF_A_PLATFORM = {
  alias: [],
  nodeVersion: "22.x",
  directoryListing: false,
  deploymentExpiration: {},
  resourceConfig: { functionDefaultRegions: [] },
  defaultResourceConfig: { functionDefaultRegions: [] },
};

const adaptProject = (project: object) => ({ ...project, ...OF_A_PLATFORM });

/** The adaptation of each endpoint's result. */
const ADAPTATIONS: Readonly<Record<string, Adapt>> = {
  listEvents: (result: { readonly events: readonly EventNames[] }, known) => ({
    ...result,
    events: result.events.map((event) => adaptEvent(event, known)),
  }),
  listEventTypes: (
    result: { readonly types: readonly EventTypeNames[]; readonly categories: readonly { readonly name: string }[] },
    known,
  ) => ({
    ...result,
    types: result.types
      .filter(({ name }) => known.types.has(name))
      .map((type) => ({ ...type, categories: type.categories.filter((name) => known.categories.has(name)) })),
    categories: result.categories.filter(({ name }) => known.categories.has(name)),
  }),
  listFirewallConfigs: adaptFirewall,
  getFirewallConfig: adaptFirewall,
  putFirewallConfig: adaptFirewall,
  updateFirewallConfig: adaptFirewall,
  createProject: adaptProject,
  getProject: adaptProject,
  listProjects: ({ projects, ...rest }: { readonly projects: readonly object[] }) => ({
    ...rest,
    projects: projects.map((project) => adaptProject(project)),
  }),
  listTeams: adaptTeams,
  listTeamsForLookup: adaptTeams,
  createTeam: adaptTeam,
  getTeam: adaptTeam,
  updateTeam: adaptTeam,
  createWebhook: adaptWebhook,
  getWebhook: adaptWebhook,
  updateWebhook: adaptWebhook,
  listWebhooks: (result: readonly Subscription[], known) => result.map((webhook) => adaptWebhook(webhook, known)),
};

function isUpTo(release: Release, limit: Release): boolean {
  const at = release.findIndex((part, index) => part !== limit[index]);
  return at < 0 || (release[at] as number) < (limit[at] as number);
}

/** The names that a client knows for certain: the lists of all releases up to its own. */
function listsUpTo(limit: Release): Lists {
  const releases = KNOWN_NAMES.filter(({ since }) => isUpTo(since, limit));
  const union = (list: keyof KnownNames & keyof Lists) => new Set(releases.flatMap((release) => [...release[list]]));
  return {
    types: union("types"),
    categories: union("categories"),
    entities: union("entities"),
    principals: union("principals"),
    webhookEvents: new Set(PUBLIC_WEBHOOK_NAMES.flatMap(({ since, names }) => (isUpTo(since, limit) ? names : []))),
  };
}

/** The releases that added names. */
const LISTED: readonly Release[] = [...KNOWN_NAMES, ...PUBLIC_WEBHOOK_NAMES].map(({ since }) => since);

// Bounded: there is one entry per listed release.
const listsOf = new Map<number, Lists>();

/** The names that a client of a release knows, cached. */
function listsOfRelease(release: Release): Lists {
  const count = LISTED.filter((since) => isUpTo(since, release)).length;
  const known = listsOf.get(count) ?? listsUpTo(release);
  listsOf.set(count, known);
  return known;
}

export function adaptForClient(userAgent: string | undefined, operation: string, result: unknown): unknown {
  const adapt = ADAPTATIONS[operation];
  if (!adapt || userAgent === undefined) return result;
  const release = generatedSdkRelease(userAgent);
  return release ? adapt(result as never, listsOfRelease(release)) : result;
}
