// One valid call of every endpoint, each time on objects that nothing has changed yet. An endpoint without an example fails the tests of
// this folder.
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { uniqueName } from "../harness/test-app.ts";
import { createKey } from "../resources/api-keys.ts";
import {
  FIREWALL_RULE,
  NEW_WEBHOOK,
  invite,
  newDelivery,
  newDraft,
  newBypassRule,
  newFirewall,
  newHeldDelivery,
  newInvite,
  newProject,
  newReplay,
  newTeam,
  newTeamKey,
  newTokenId,
  newUser,
  newWebhook,
  requestAccess,
} from "./example-things.ts";
import type { Example } from "./example-things.ts";
import { ACCOUNT_EXAMPLES } from "./account-examples.ts";
import { ENVIRONMENT_EXAMPLES } from "./environment-examples.ts";
import { IDENTITY_EXAMPLES } from "./trust-rule-examples.ts";
import { SECRET_EXAMPLES } from "./secret-examples.ts";
import { VARIABLE_EXAMPLES } from "./variable-examples.ts";
import { GATE_EXAMPLES } from "./gate-examples.ts";
import { ATTACK_MODE_EXAMPLES } from "./attack-mode-examples.ts";
import type { World } from "./world.ts";

const DELIVERIES = { state: "skipped,failed", type: "secret-*", since: "2030-01-01", until: "2040-01-01" };

export const EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  ...ACCOUNT_EXAMPLES,
  ...IDENTITY_EXAMPLES,

  // Access tokens and API keys
  createToken: () => ({ body: { name: uniqueName("token") } }),
  listTokens: () => ({}),
  getToken: async (world) => ({ params: { tokenId: await newTokenId(world) } }),
  deleteToken: async (world) => ({ params: { tokenId: await newTokenId(world) } }),
  createApiKey: () => ({
    body: { name: uniqueName("key"), role: "VIEWER", permissions: ["team:read"], allowedCidrs: ["127.0.0.0/8"] },
  }),
  listApiKeys: ({ team }) => ({ query: { teamId: team.id } }),
  getCurrentApiKey: async (world) => ({ token: (await createKey(world, world.owner.token)).body.value }),
  getApiKey: newTeamKey,
  rotateApiKey: async (world) => ({ ...(await newTeamKey(world)), body: { overlapMs: 1_000 } }),
  adoptApiKey: (world) => newTeamKey(world, world.admin),
  deleteApiKey: newTeamKey,

  // Teams
  listTeams: () => ({}),
  listTeamsForLookup: () => ({}),
  createTeam: () => ({ body: { slug: uniqueName("example") } }),
  getTeamAttention: ({ team }) => ({ params: { teamId: team.id } }),
  getTeam: ({ team }) => ({ params: { teamId: team.id } }),
  updateTeam: async (world) => ({ params: { teamId: (await newTeam(world)).id }, body: { name: uniqueName("Name") } }),
  deleteTeam: async (world) => ({ params: { teamId: (await newTeam(world)).id }, body: { reasons: [] } }),

  // Members
  listTeamMembers: ({ team }) => ({ params: { teamId: team.id } }),
  getTeamMember: ({ team, owner }) => ({ params: { teamId: team.id, uid: owner.id } }),
  listMemberProjects: ({ team, owner }) => ({ params: { teamId: team.id, uid: owner.id } }),
  joinTeam: async (world) => {
    const team = await newTeam(world);
    return { token: (await invite(world, team)).token, body: { teamId: team.id } };
  },
  joinNamedTeam: async (world) => {
    const team = await newTeam(world);
    return { token: (await invite(world, team)).token, params: { teamId: team.id } };
  },
  updateTeamMember: async (world) => ({
    params: { teamId: world.team.id, uid: (await world.addMember(world.team, "VIEWER")).id },
    body: { role: "DEVELOPER" },
  }),
  removeTeamMember: async (world) => ({
    params: { teamId: world.team.id, uid: (await world.addMember(world.team, "VIEWER")).id },
  }),

  // Invites
  inviteTeamMember: async (world) => ({
    params: { teamId: world.team.id },
    body: { uid: (await newUser(world)).id },
  }),
  createInvite: ({ team }) => ({ params: { teamId: team.id } }),
  listInvites: ({ team }) => ({ params: { teamId: team.id } }),
  resendInvite: async (world) => ({ params: { teamId: world.team.id, inviteId: (await newInvite(world)).id } }),
  deleteInvite: async (world) => ({ params: { teamId: world.team.id, inviteCode: (await newInvite(world)).id } }),

  // Access requests
  requestAccess: async (world) => ({
    token: (await newUser(world)).token,
    params: { teamId: world.team.id },
    body: { joinedFrom: { origin: "github", gitUserLogin: uniqueName("login") } },
  }),
  getOwnAccessRequest: async (world) => ({
    token: (await requestAccess(world)).token,
    params: { teamId: world.team.id },
  }),
  getAccessRequest: async (world) => ({
    params: { teamId: world.team.id, userId: (await requestAccess(world)).id },
  }),

  ...SECRET_EXAMPLES,
  ...ENVIRONMENT_EXAMPLES,
  ...VARIABLE_EXAMPLES,

  // Firewall
  listFirewallConfigs: newFirewall,
  getFirewallConfig: async (world) => ({ ...(await newFirewall(world)), params: { configVersion: "active" } }),
  putFirewallConfig: async (world) => ({
    ...(await newFirewall(world)),
    body: { firewallEnabled: true, rules: [{ ...FIREWALL_RULE, name: uniqueName("rule") }] },
  }),
  updateFirewallConfig: async (world) => ({
    ...(await newFirewall(world)),
    body: { action: "rules.insert", id: null, value: FIREWALL_RULE },
  }),
  updateFirewallDraft: async (world) => ({
    ...(await newDraft(world)),
    params: { configVersion: "draft" },
    body: { action: "botId.toggle", value: true },
  }),
  discardFirewallDraft: async (world) => ({ ...(await newDraft(world)), params: { configVersion: "draft" } }),
  activateFirewallConfig: async (world) => ({ ...(await newDraft(world)), params: { configVersion: "draft" } }),
  diffFirewallConfigs: async (world) => ({
    ...(await newDraft(world)),
    params: { configVersion: "active", otherVersion: "draft" },
  }),
  evaluateFirewallConfig: async (world) => ({
    ...(await newDraft(world)),
    params: { configVersion: "draft" },
    body: { requests: [{ url: "/admin/users", ip: "203.0.113.7" }], compareWith: "active", attackMode: false },
  }),
  ...GATE_EXAMPLES,
  // Projects
  listProjects: async (world) => {
    const { teamId, projectId } = await newProject(world);
    return { query: { teamId, search: projectId } };
  },
  createProject: ({ team }) => ({ query: { teamId: team.id }, body: { name: uniqueName("project") } }),
  getProject: async (world) => {
    const { teamId, projectId } = await newProject(world);
    return { params: { idOrName: projectId }, query: { teamId } };
  },
  ...ATTACK_MODE_EXAMPLES,

  // The firewall's bypass list
  listBypasses: ({ team }) => ({ query: { teamId: team.id, projectId: "example", limit: "2" } }),
  addBypass: ({ team }) => ({
    query: { teamId: team.id },
    body: { domain: `${uniqueName("host")}.example.com`, sourceIp: "192.0.2.0/24", ttl: 60_000, note: "example" },
  }),
  removeBypass: async ({ request, team, owner }) => {
    const body = { domain: `${uniqueName("host")}.example.com`, allSources: true };
    await request("POST", `/v1/firewalls/bypass?teamId=${team.id}`, { token: owner.token, body });
    return { query: { teamId: team.id }, body };
  },

  listBypassRules: ({ team }) => ({ query: { teamId: team.id, projectId: "example", limit: "2" } }),
  addBypassRule: ({ team }) => ({ query: { teamId: team.id }, body: newBypassRule() }),
  replaceBypassRule: async ({ request, team, owner }) => {
    const body = newBypassRule();
    await request("POST", `/v1/firewalls/bypass/rules?teamId=${team.id}`, { token: owner.token, body });
    return { query: { teamId: team.id }, body: { ...body, note: "replaced" } };
  },
  removeBypassRule: async ({ request, team, owner }) => {
    const body = newBypassRule();
    await request("POST", `/v1/firewalls/bypass/rules?teamId=${team.id}`, { token: owner.token, body });
    return { query: { teamId: team.id, domain: body.domain } };
  },
  generateFirewallRule: ({ team }) => ({ query: { teamId: team.id }, body: { prompt: "block path /admin" } }),

  // What came of requests
  listTrafficActions: ({ team }) => ({
    query: { teamId: team.id, projectId: "example", hosts: "a.example,b.example" },
  }),
  queryMetrics: ({ team, clock }) => ({
    query: { teamId: team.id },
    body: {
      scope: { ownerId: team.id, projectIds: ["example"] },
      timeRange: { start: new Date(clock.now - DAY_MS).toISOString(), end: new Date(clock.now).toISOString() },
      metrics: { value: { metric: "vercel.firewall_action.count", aggregation: "count" } },
      outputs: ["value"],
      bucketSeconds: 3_600,
      groupBy: ["wafAction", "wafRuleId", "clientIp"],
      filter: '(wafRuleId!="") AND (wafAction!="")',
      seriesSelection: { limit: 100, mode: "exact", rankBy: [{ metric: "value", direction: "desc" }] },
      rowLimit: 9,
      orderBy: [{ metric: "value", direction: "desc" }],
    },
  }),
  getAttackStatus: ({ team }) => ({ query: { teamId: team.id, projectId: "example", since: "7" } }),
  listAlertGroups: ({ team }) => ({
    query: { teamId: team.id, projectId: "example", from: "2030-01-01T00:00:00.000Z", limit: "200", types: "example" },
  }),

  // Webhooks
  createWebhook: () => ({
    body: { ...NEW_WEBHOOK, projectIds: ["web"], headers: { "x-example": "1" }, keyPair: true },
  }),
  listWebhooks: async (world) => ({ query: { ...(await newWebhook(world)).query } }),
  getWebhook: newWebhook,
  updateWebhook: async (world) => ({ ...(await newWebhook(world)), body: { events: ["*"], description: "example" } }),
  rotateWebhookSecret: async (world) => ({ ...(await newWebhook(world)), body: { overlapMs: 1_000 } }),
  testWebhook: newWebhook,
  deleteWebhook: newWebhook,
  listDeliveries: async (world) => {
    const { params, query } = await newDelivery(world);
    return { params: { webhookId: params.webhookId }, query: { ...query, ...DELIVERIES } };
  },
  listAllDeliveries: async (world) => {
    const { params, query } = await newDelivery(world);
    return { query: { ...query, webhookId: params.webhookId, ...DELIVERIES } };
  },
  getDelivery: newDelivery,
  redeliver: newHeldDelivery,
  replayWebhook: async (world) => {
    const { params, query } = await newHeldDelivery(world);
    return {
      params: { webhookId: params.webhookId },
      ...(query ? { query } : {}),
      body: { since: "2030-01-01", until: world.clock.now + DAY_MS, states: ["skipped"], types: ["secret-*"] },
    };
  },
  getReplay: newReplay,

  // Events
  exportEvents: ({ team }) => ({ query: { teamId: team.id, types: "team-*" } }),
  listEvents: ({ team }) => ({ query: { teamId: team.id, types: "team-*" } }),
  publishEvent: ({ team }) => ({ query: { teamId: team.id }, body: { type: "deployment.created", projectId: "shop" } }),
  streamEvents: ({ team }) => ({ query: { teamId: team.id, types: "team-*" } }),
  listEventTypes: ({ team }) => ({ query: { teamId: team.id } }),
  createCheckpoint: ({ team }) => ({ query: { teamId: team.id } }),
  listCheckpoints: ({ team }) => ({ query: { teamId: team.id } }),
};
