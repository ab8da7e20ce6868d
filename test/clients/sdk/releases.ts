// The releases of the generated SDK that are tested, and how their calls differ from each other.
import { recordEvidence } from "../../harness/evidence.ts";

/** Calls are as loose here as the releases' types differ; what comes back is asserted value by value. */
// oxlint-disable-next-line typescript/no-explicit-any
type Call = (request?: any) => Promise<any>;
type Functions<Name extends string> = Readonly<Record<Name, Call>>;

export interface Sdk {
  readonly teams: Functions<
    | "getTeams"
    | "getTeam"
    | "createTeam"
    | "patchTeam"
    | "deleteTeam"
    | "getTeamMembers"
    | "inviteUserToTeam"
    | "joinTeam"
    | "updateTeamMember"
    | "removeTeamMember"
    | "requestAccessToTeam"
    | "getTeamAccessRequest"
    | "deleteTeamInviteCode"
  >;
  readonly user: Functions<"getAuthUser" | "listUserEvents" | "requestDelete" | "listEventTypes">;
  readonly webhooks: Functions<"createWebhook" | "getWebhook" | "getWebhooks" | "deleteWebhook">;
  readonly authentication: Functions<"createAuthToken" | "getAuthToken" | "listAuthTokens" | "deleteAuthToken">;
  /** Not every release has them all. */
  readonly projects: Functions<
    | "getProjects"
    | "getProject"
    | "filterProjectEnvs"
    | "createProjectEnv"
    | "getProjectEnv"
    | "editProjectEnv"
    | "removeProjectEnv"
    | "batchRemoveProjectEnv"
  >;
  /** Not every release has them. */
  readonly environment: Functions<
    | "createCustomEnvironment"
    | "getCustomEnvironment"
    | "updateCustomEnvironment"
    | "removeCustomEnvironment"
    | "getV9ProjectsIdOrNameCustomEnvironments"
    | "getProjectsByIdOrNameCustomEnvironments"
  >;
  /** Not every release has them all. */
  readonly security: Functions<
    | "getFirewallConfig"
    | "putFirewallConfig"
    | "updateFirewallConfig"
    | "getSecurityFirewallConfig"
    | "createSecurityFirewallConfigByConfigVersionActivate"
    | "deleteSecurityFirewallConfigByConfigVersion"
    | "updateAttackChallengeMode"
    | "getActiveAttackStatus"
    | "addBypassIp"
    | "getBypassIp"
    | "removeBypassIp"
    | "getV1SecurityFirewallEvents"
    | "getSecurityFirewallEvents"
    | "generateFirewallRule"
  >;
}

export interface FirewallKnowledge {
  /** Members of a configuration that it hands on, beside those that all releases do. */
  readonly members: readonly string[];
  /** Members of a rule's `mitigate` that it hands on, beside those that all releases do. */
  readonly mitigate: readonly string[];
  /** Hands on `valid` and `validationErrors` of a rule. */
  readonly hasValidation: boolean;
  /** Managed sets that it hands on. */
  readonly managedSets: readonly string[];
  /** Managed sets of a PUT that it sends; the newest send none, whatever they are given. */
  readonly sentSets: readonly string[];
  /** Reads conditions of the type `shared_condition`, and what else came with them. */
  readonly hasSharedConditions: boolean;
  /** Actions of a PATCH that it refuses to send. */
  readonly unsentActions: readonly string[];
  /** Takes `id: null` where there is no id for another action's. */
  readonly mistakesNullIds: boolean;
  readonly hasBypasses: boolean;
  /** Hands on the end of a bypass in its event. */
  readonly hasBypassEnds: boolean;
  /** Its name of the list of traffic; null: it has neither the list nor the attack status. */
  readonly listsTraffic: "getV1SecurityFirewallEvents" | "getSecurityFirewallEvents" | null;
  /** Sends its credential with that call. */
  readonly mayListTraffic: boolean;
  readonly generatesRules: boolean;
  /** The calls that send no credential. */
  readonly hasAnonymousCalls: boolean;
}

export interface Release {
  readonly version: string;
  /** Its name in package.json of this folder. */
  readonly packageName: string;
  /** How it sends the people to invite: one object, or (since 1.19) an array. */
  readonly invites: "object" | "array";
  /** 1.1.0 reads the response to an invitation in a form that has no e-mail. */
  readonly givesInvitedEmail: boolean;
  /** 1.14 forgets the team id while it builds the path of this call, so no request leaves the client. */
  readonly canListMembers: boolean;
  /** Sends the project that a token is for. */
  readonly sendsProjectOfToken: boolean;
  /** 1.1.0 makes an empty object of every event. */
  readonly readsEvents: boolean;
  /** Knows the types of events and their payloads, as closed lists, and `listEventTypes`. */
  readonly hasEventTypes: boolean;
  /** How many names of webhook events it knows that are names to this day. */
  readonly webhookEvents: number;
  /** Has a function for a single project. */
  readonly readsOneProject: boolean;
  /** 1.1.0 makes an empty object of a variable that it changed. */
  readonly readsChangedVariable: boolean;
  /** Its name of the list of created environments; null: it knows none, and removes no several variables at once. */
  readonly listsEnvironments:
    | "getV9ProjectsIdOrNameCustomEnvironments"
    | "getProjectsByIdOrNameCustomEnvironments"
    | null;
  /** The parts of firewalls that it knows. */
  readonly firewall: FirewallKnowledge;
}

export const RELEASES: readonly Release[] = [
  {
    version: "1.1.0",
    packageName: "sdk-1-1",
    invites: "object",
    givesInvitedEmail: false,
    canListMembers: true,
    sendsProjectOfToken: false,
    readsEvents: false,
    hasEventTypes: false,
    webhookEvents: 40,
    readsOneProject: false,
    readsChangedVariable: false,
    listsEnvironments: null,
    firewall: {
      members: [],
      mitigate: [],
      hasValidation: false,
      managedSets: ["owasp"],
      sentSets: ["owasp"],
      hasSharedConditions: false,
      unsentActions: ["managedRules.update", "managedRuleGroup.update", "botId.toggle", "logHeaders.update"],
      mistakesNullIds: false,
      hasBypasses: false,
      hasBypassEnds: false,
      listsTraffic: null,
      mayListTraffic: false,
      generatesRules: false,
      hasAnonymousCalls: false,
    },
  },
  {
    version: "1.14.0",
    packageName: "sdk-1-14",
    invites: "object",
    givesInvitedEmail: true,
    canListMembers: false,
    sendsProjectOfToken: false,
    readsEvents: true,
    hasEventTypes: false,
    webhookEvents: 73,
    readsOneProject: false,
    readsChangedVariable: true,
    listsEnvironments: "getV9ProjectsIdOrNameCustomEnvironments",
    firewall: {
      members: ["botIdEnabled"],
      mitigate: ["bypassSystem"],
      hasValidation: false,
      managedSets: ["ai_bots", "bot_protection", "owasp"],
      sentSets: ["ai_bots", "bot_protection", "owasp"],
      hasSharedConditions: false,
      unsentActions: ["logHeaders.update"],
      mistakesNullIds: false,
      hasBypasses: true,
      hasBypassEnds: false,
      listsTraffic: "getV1SecurityFirewallEvents",
      mayListTraffic: false,
      generatesRules: false,
      hasAnonymousCalls: false,
    },
  },
  {
    version: "1.21.9",
    packageName: "sdk-1-21",
    invites: "array",
    givesInvitedEmail: true,
    canListMembers: true,
    sendsProjectOfToken: false,
    readsEvents: true,
    hasEventTypes: true,
    webhookEvents: 112,
    readsOneProject: false,
    readsChangedVariable: true,
    listsEnvironments: "getProjectsByIdOrNameCustomEnvironments",
    firewall: {
      members: ["botIdEnabled", "logHeaders"],
      mitigate: ["bypassSystem", "logHeaders"],
      hasValidation: true,
      managedSets: ["ai_bots", "bot_protection", "owasp", "vercel_ruleset"],
      sentSets: [],
      hasSharedConditions: false,
      unsentActions: [],
      mistakesNullIds: false,
      hasBypasses: true,
      hasBypassEnds: true,
      listsTraffic: "getSecurityFirewallEvents",
      mayListTraffic: false,
      generatesRules: false,
      hasAnonymousCalls: false,
    },
  },
  {
    version: "1.28.35",
    packageName: "sdk-1-28",
    invites: "array",
    givesInvitedEmail: true,
    canListMembers: true,
    sendsProjectOfToken: true,
    readsEvents: true,
    hasEventTypes: true,
    webhookEvents: 112,
    readsOneProject: true,
    readsChangedVariable: true,
    listsEnvironments: "getProjectsByIdOrNameCustomEnvironments",
    firewall: {
      members: ["botIdEnabled", "logHeaders", "conditions", "rulesets"],
      mitigate: ["bypassSystem", "logHeaders"],
      hasValidation: true,
      managedSets: ["ai_bots", "bot_protection", "owasp", "traffic_sources", "vercel_ruleset"],
      sentSets: [],
      hasSharedConditions: true,
      unsentActions: [],
      mistakesNullIds: true,
      hasBypasses: true,
      hasBypassEnds: true,
      listsTraffic: "getSecurityFirewallEvents",
      mayListTraffic: true,
      generatesRules: true,
      hasAnonymousCalls: true,
    },
  },
];

/** The same client, whose calls are recorded when they succeed. */
function witness(version: string, sdk: Sdk): Sdk {
  const watch = (group: string, functions: Functions<string>) =>
    new Proxy(functions, {
      get(target, name: string) {
        const call = target[name];
        if (typeof call !== "function") return call;
        return async (request: unknown) => {
          const answer = await call.call(target, request);
          recordEvidence(`sdk ${version} ${group}.${name}`);
          return answer;
        };
      },
    });
  return new Proxy(sdk, { get: (target, group: keyof Sdk) => target[group] && watch(group, target[group]) });
}

/** Loads a release; the result connects a caller's token to the server at `serverURL`. */
export async function loadSdk(release: Release, serverURL: string): Promise<(bearerToken: string) => Sdk> {
  const { Vercel } = (await import(release.packageName)) as {
    Vercel: new (options: { bearerToken: string; serverURL: string }) => Sdk;
  };
  return (bearerToken) => witness(release.version, new Vercel({ bearerToken, serverURL }));
}
