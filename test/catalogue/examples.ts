// One valid call of every endpoint, each time on things that nobody has changed yet. An endpoint without an example
// fails the catalogue tests.
import { HOUR_MS } from "../../src/kernel/clock.ts";
import { createKey } from "../api-keys.ts";
import { uniqueName } from "../harness.ts";
import type { TestTeam, TestUser } from "../harness.ts";
import type { World } from "./world.ts";

export interface Example {
  /** Who calls; the world's owner unless it says otherwise. */
  readonly token?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function newUser({ createUser }: World): Promise<TestUser> {
  return await createUser(uniqueName("example"));
}

async function newTeam({ createTeam, owner }: World): Promise<TestTeam> {
  return await createTeam(owner, uniqueName("example"));
}

/** The id of a new token of the owner's. */
async function newTokenId({ request, owner }: World): Promise<string> {
  return (await request("POST", "/v3/user/tokens", { token: owner.token, body: { name: "example" } })).body.token.id;
}

/** The id of a new key of the team's, and the query that names the team. */
async function newTeamKey(world: World): Promise<Example> {
  const query = { teamId: world.team.id };
  const { body } = await createKey(world, world.owner.token, `?teamId=${query.teamId}`);
  return { params: { keyId: body.apiKey.id }, query };
}

async function invite(world: World, team: TestTeam): Promise<TestUser> {
  const user = await newUser(world);
  await world.request("POST", `/v1/teams/${team.id}/members`, { token: world.owner.token, body: { uid: user.id } });
  return user;
}

async function newInvite({ request, team, owner }: World): Promise<{ readonly id: string }> {
  return (await request("POST", `/v1/teams/${team.id}/invites`, { token: owner.token })).body.invite;
}

/** A new decryptable secret of the team's, and the query that names the team. */
async function newSecret({ request, team, owner }: World): Promise<Example & { readonly params: { name: string } }> {
  const name = uniqueName("SECRET");
  const query = { teamId: team.id };
  const body = { name, value: "example", decryptable: true };
  const { status, text } = await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
  if (status !== 200) throw new Error(text);
  return { params: { name }, query };
}

const FIREWALL_RULE = {
  name: "Block admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
};

type FirewallExample = Example & { readonly query: { readonly teamId: string; readonly projectId: string } };

/** A project of the team's that has a configuration. */
async function newFirewall(world: World): Promise<FirewallExample> {
  const query = await newProject(world);
  const url = `/v1/firewalls?${new URLSearchParams(query).toString()}`;
  const body = { firewallEnabled: true, rules: [FIREWALL_RULE] };
  const { status, text } = await world.request("PUT", url, { token: world.owner.token, body });
  if (status !== 200) throw new Error(text);
  return { query };
}

/** A project of the team's that has a configuration and a draft. */
async function newDraft(world: World): Promise<FirewallExample> {
  const { query } = await newFirewall(world);
  const url = `/v1/firewalls/draft?${new URLSearchParams(query).toString()}`;
  const body = { action: "rules.insert", value: FIREWALL_RULE };
  const { status, text } = await world.request("PATCH", url, { token: world.owner.token, body });
  if (status !== 200) throw new Error(text);
  return { query };
}

async function requestAccess(world: World): Promise<TestUser> {
  const user = await newUser(world);
  await world.request("POST", `/v1/teams/${world.team.id}/request`, { token: user.token });
  return user;
}

/** A new project of the team's whose attack challenge mode is on, and the query that names them. */
async function newProject({ request, team, owner }: World) {
  const projectId = uniqueName("project");
  const body = { projectId, attackModeEnabled: true };
  const url = `/v1/attack-challenge-mode?teamId=${team.id}`;
  const { status, text } = await request("POST", url, { token: owner.token, body });
  if (status !== 200) throw new Error(text);
  return { teamId: team.id, projectId };
}

export const EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  // Users
  getCurrentUser: () => ({}),
  updateCurrentUser: () => ({ body: { name: uniqueName("Name") } }),
  deleteCurrentUser: async (world) => ({ token: (await newUser(world)).token, body: { reasons: [] } }),
  createUser: ({ admin }) => {
    const username = uniqueName("example");
    return { token: admin.token, body: { username, email: `${username}@example.com` } };
  },
  listUsers: ({ admin }) => ({ token: admin.token }),
  getUser: ({ admin, owner }) => ({ token: admin.token, params: { uid: owner.id } }),
  updateUser: async (world) => ({
    token: world.admin.token,
    params: { uid: (await newUser(world)).id },
    body: { suspended: true },
  }),
  deleteUser: async (world) => ({ token: world.admin.token, params: { uid: (await newUser(world)).id } }),

  // Access tokens and API keys
  createToken: () => ({ body: { name: uniqueName("token") } }),
  listTokens: () => ({}),
  getToken: async (world) => ({ params: { tokenId: await newTokenId(world) } }),
  deleteToken: async (world) => ({ params: { tokenId: await newTokenId(world) } }),
  createApiKey: () => ({ body: { name: uniqueName("key"), role: "VIEWER", allowedCidrs: ["127.0.0.0/8"] } }),
  listApiKeys: ({ team }) => ({ query: { teamId: team.id } }),
  getApiKey: newTeamKey,
  rotateApiKey: async (world) => ({ ...(await newTeamKey(world)), body: { overlapMs: 1_000 } }),
  deleteApiKey: newTeamKey,

  // Teams
  listTeams: () => ({}),
  listTeamsForLookup: () => ({}),
  createTeam: () => ({ body: { slug: uniqueName("example") } }),
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

  // Secrets
  listSecrets: ({ team }) => ({ query: { teamId: team.id } }),
  createSecret: () => ({ body: { name: uniqueName("SECRET"), value: "example", tags: ["example"] } }),
  createNamedSecret: () => {
    const name = uniqueName("SECRET");
    return { params: { name }, body: { name, value: "ZXhhbXBsZQ==", encoding: "base64" } };
  },
  generateSecret: () => ({ body: { name: uniqueName("SECRET"), length: 20, alphabet: "hex" } }),
  renameSecrets: async (world) => {
    const { params, query } = await newSecret(world);
    return { query: { ...query }, body: { renames: [{ from: params.name, to: uniqueName("RENAMED") }] } };
  },
  getSecret: async (world) => {
    const { params, query } = await newSecret(world);
    return { params, query: { ...query, decrypt: "true" } };
  },
  updateSecret: async (world) => ({
    ...(await newSecret(world)),
    body: { name: uniqueName("RENAMED"), keepAlias: true, description: "example" },
  }),
  putSecretValue: async (world) => ({ ...(await newSecret(world)), body: { value: "another" } }),
  deleteSecret: newSecret,
  restoreSecret: async (world) => {
    const secret = await newSecret(world);
    const { token } = world.owner;
    await world.request("DELETE", `/v2/secrets/${secret.params.name}?teamId=${world.team.id}`, { token });
    return secret;
  },
  listSecretVersions: newSecret,
  getSecretVersion: async (world) => {
    const { params, query } = await newSecret(world);
    return { params: { ...params, version: "1" }, query: { ...query, decrypt: "true" } };
  },
  restoreSecretVersion: async (world) => {
    const { params, query } = await newSecret(world);
    return { params: { ...params, version: "1" }, ...(query ? { query } : {}) };
  },
  listSecretNames: newSecret,
  deleteSecretAlias: async (world) => {
    const { params, query } = await newSecret(world);
    const { token } = world.owner;
    const name = uniqueName("RENAMED");
    const body = { name, keepAlias: true };
    await world.request("PATCH", `/v2/secrets/${params.name}?teamId=${world.team.id}`, { token, body });
    return { params: { name, alias: params.name }, ...(query ? { query } : {}) };
  },

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

  // Projects and attack challenge mode
  listProjects: async (world) => {
    const { teamId, projectId } = await newProject(world);
    return { query: { teamId, search: projectId } };
  },
  getProject: async (world) => {
    const { teamId, projectId } = await newProject(world);
    return { params: { idOrName: projectId }, query: { teamId } };
  },
  getAttackMode: async (world) => ({ query: await newProject(world) }),
  setAttackMode: async (world) => {
    const { teamId, projectId } = await newProject(world);
    const attackModeActiveUntil = world.clock.now + HOUR_MS;
    return { query: { teamId }, body: { projectId, attackModeEnabled: true, attackModeActiveUntil } };
  },

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

  // What came of requests
  reportTraffic: ({ team, clock }) => ({
    query: { teamId: team.id },
    body: {
      counts: [
        { at: clock.now, host: `${uniqueName("host")}.example.com`, action: "deny", ip: "192.0.2.1", count: 42 },
        { at: clock.now, host: "example.com", action: "allow", ruleId: null, count: 1_000 },
      ],
    },
  }),
  listTrafficActions: ({ team }) => ({
    query: { teamId: team.id, projectId: "example", hosts: "a.example,b.example" },
  }),
  getAttackStatus: ({ team }) => ({ query: { teamId: team.id, projectId: "example", since: "7" } }),

  // Events
  listEvents: ({ team }) => ({ query: { teamId: team.id, types: "team-*" } }),
  listEventTypes: ({ team }) => ({ query: { teamId: team.id } }),
};
