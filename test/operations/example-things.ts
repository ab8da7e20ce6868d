// Unchanged objects of the test world, for examples.
import { createKey } from "../resources/api-keys.ts";
import { uniqueName } from "../harness/test-app.ts";
import type { TestTeam, TestUser } from "../harness/test-app.ts";
import type { World } from "./world.ts";

export interface Example {
  /** The caller; the world's owner by default. */
  readonly token?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export async function newUser({ createUser }: World): Promise<TestUser> {
  return await createUser(uniqueName("example"));
}

export async function newTeam({ createTeam, owner }: World): Promise<TestTeam> {
  return await createTeam(owner, uniqueName("example"));
}

/** The id of a new token of the owner's. */
export async function newTokenId({ request, owner }: World): Promise<string> {
  return (await request("POST", "/v3/user/tokens", { token: owner.token, body: { name: "example" } })).body.token.id;
}

/** The id of a new key of the team's, and the query that names the team. */
/** Creates a key of the world's team, for which its OWNER is responsible unless another user creates it. */
export async function newTeamKey(world: World, maker = world.owner): Promise<Example> {
  const query = { teamId: world.team.id };
  const { body } = await createKey(world, maker.token, `?teamId=${query.teamId}`);
  return { params: { keyId: body.apiKey.id }, query };
}

export async function invite(world: World, team: TestTeam): Promise<TestUser> {
  const user = await newUser(world);
  await world.request("POST", `/v1/teams/${team.id}/members`, { token: world.owner.token, body: { uid: user.id } });
  return user;
}

export async function newInvite({ request, team, owner }: World): Promise<{ readonly id: string }> {
  return (await request("POST", `/v1/teams/${team.id}/invites`, { token: owner.token })).body.invite;
}

/** A new decryptable secret of the team's, and the query that names the team. */
export async function newSecret({
  request,
  team,
  owner,
}: World): Promise<Example & { readonly params: { name: string } }> {
  const name = uniqueName("SECRET");
  const query = { teamId: team.id };
  const body = { name, value: "example", decryptable: true, tags: ["example"] };
  const { status, text } = await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
  if (status !== 200) throw new Error(text);
  return { params: { name }, query };
}

export const FIREWALL_RULE = {
  name: "Block admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
};

/** Of a domain that has none. */
export function newBypassRule() {
  return { domain: `${uniqueName("host")}.example.com`, conditionGroup: FIREWALL_RULE.conditionGroup, note: "example" };
}

type FirewallExample = Example & { readonly query: { readonly teamId: string; readonly projectId: string } };

/** A project of the team's that has a configuration. */
export async function newFirewall(world: World): Promise<FirewallExample> {
  const query = await newProject(world);
  const url = `/v1/firewalls?${new URLSearchParams(query).toString()}`;
  const body = { firewallEnabled: true, rules: [FIREWALL_RULE] };
  const { status, text } = await world.request("PUT", url, { token: world.owner.token, body });
  if (status !== 200) throw new Error(text);
  return { query };
}

/** A project of the team's that has a configuration and a draft. */
export async function newDraft(world: World): Promise<FirewallExample> {
  const { query } = await newFirewall(world);
  const url = `/v1/firewalls/draft?${new URLSearchParams(query).toString()}`;
  const body = { action: "rules.insert", value: FIREWALL_RULE };
  const { status, text } = await world.request("PATCH", url, { token: world.owner.token, body });
  if (status !== 200) throw new Error(text);
  return { query };
}

export async function requestAccess(world: World): Promise<TestUser> {
  const user = await newUser(world);
  await world.request("POST", `/v1/teams/${world.team.id}/request`, { token: user.token });
  return user;
}

/** A new project of the team's whose attack challenge mode is on, and the query that names them. */
export async function newProject({ request, team, owner }: World) {
  const projectId = uniqueName("project");
  const body = { projectId, attackModeEnabled: true };
  const url = `/v1/attack-challenge-mode?teamId=${team.id}`;
  const { status, text } = await request("POST", url, { token: owner.token, body });
  if (status !== 200) throw new Error(text);
  return { teamId: team.id, projectId };
}

/** Inactive: the background would write while others look whether anything was written. */
export const NEW_WEBHOOK = { url: "http://127.0.0.1:8999/hook", events: ["team-*", "secret-add"], active: false };

/** A new webhook of the team's, and the query that names the team. */
export async function newWebhook({ request, team, owner }: World): Promise<Example> {
  const query = { teamId: team.id };
  const made = await request("POST", `/v1/webhooks?teamId=${team.id}`, { token: owner.token, body: NEW_WEBHOOK });
  if (made.status !== 200) throw new Error(made.text);
  return { params: { webhookId: made.body.id }, query };
}

/** A delivery to a new webhook of the team's, which skipped it. */
export async function newDelivery(world: World): Promise<Example & { readonly params: { webhookId: string } }> {
  const { params, query } = await newWebhook(world);
  await newSecret(world);
  const url = `/v1/webhooks/${params?.["webhookId"]}/deliveries?teamId=${world.team.id}`;
  const { body } = await world.request("GET", url, { token: world.owner.token });
  const [{ id, webhookId }] = body.deliveries;
  return { params: { webhookId, deliveryId: id }, ...(query ? { query } : {}) };
}

/** As `newDelivery`, to a webhook that is active, but held: nothing is sent, nor written by the background. */
export async function newHeldDelivery(world: World): Promise<Example & { readonly params: { webhookId: string } }> {
  const delivery = await newDelivery(world);
  await world.query(`update webhooks set is_active = 1 where id = '${delivery.params.webhookId}'`);
  return delivery;
}

/** A finished replay of a webhook that is held. */
export async function newReplay(world: World): Promise<Example> {
  const { params, query } = await newHeldDelivery(world);
  const url = `/v1/webhooks/${params.webhookId}/replay?teamId=${world.team.id}`;
  const { body } = await world.request("POST", url, { token: world.owner.token });
  return { params: { webhookId: params.webhookId, replayId: body.replay.id }, ...(query ? { query } : {}) };
}
