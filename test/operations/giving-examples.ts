// Calls that hand something out or revive it, of operations whose plain example does not, or not for sure.
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { uniqueName } from "../harness/test-app.ts";
import { exampleOf } from "./operation-call.ts";
import { newSecret } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import type { World } from "./world.ts";

/** A project whose production refers to a secret, and did before. */
async function referringProject(world: World) {
  const { params } = await newSecret(world);
  const query = { teamId: world.team.id };
  const project = uniqueName("project");
  const change = async (production: object) => {
    const body = { environments: { production } };
    const path = `/v1/environments/${project}?teamId=${world.team.id}`;
    const changed = await world.request("PATCH", path, { token: world.owner.token, body });
    if (changed.status !== 200) throw new Error(changed.text);
  };
  const set = { KEY: { secret: params.name } };
  await change({ set });
  return { query, project, secret: params.name, change };
}

/** A project whose preview has a plain value in front of a secret that it inherits. */
async function overridingProject(world: World) {
  const { query, project } = await referringProject(world);
  const send = async (method: string, path: string, body?: object) => {
    const init = { token: world.owner.token, ...(body && { body }) };
    const response = await world.request(method, `${path}?teamId=${world.team.id}`, init);
    if (response.status !== 200) throw new Error(response.text);
    return response.body;
  };
  const path = `/v1/environments/${project}`;
  await send("PATCH", path, { environments: { preview: { set: { KEY: { value: "plain" } } } } });
  await send("PATCH", `${path}/preview`, { inheritsFrom: "production" });
  const { envs } = await send("GET", `/v10/projects/${project}/env`);
  const { id } = envs.find(({ type }: { readonly type: string }) => type === "plain");
  return { query, idOrName: project, id: id as string };
}

const GIVING: Readonly<Record<string, (example: Example, world: World) => Example | Promise<Example>>> = {
  createApiKey: (_example, { team }) => ({
    query: { teamId: team.id },
    body: { name: uniqueName("key"), role: "OWNER" },
  }),
  updateUser: (example) => ({ ...example, body: { admin: true } }),
  updateTeam: (example, { team }) => ({
    ...example,
    params: { teamId: team.id },
    body: { regenerateInviteCode: true },
  }),
  updateWebhook: (example) => ({ ...example, body: { url: "http://127.0.0.1:9/elsewhere", headers: null } }),
  async putSecretValue(_example, world) {
    const { params, query } = await newSecret(world);
    const expiresAt = world.clock.now + MINUTE_MS;
    const url = `/v2/secrets/${params.name}?teamId=${world.team.id}`;
    const changed = await world.request("PATCH", url, { token: world.owner.token, body: { expiresAt } });
    if (changed.status !== 200) throw new Error(changed.text);
    world.clock.advance(MINUTE_MS);
    return { params, ...(query && { query }), body: { value: "another", expiresAt: null } };
  },
  async changeSecrets(_example, world) {
    const { params, query } = await newSecret(world);
    const expiresAt = world.clock.now + MINUTE_MS;
    const url = `/v2/secrets/${params.name}?teamId=${world.team.id}`;
    const changed = await world.request("PATCH", url, { token: world.owner.token, body: { expiresAt } });
    if (changed.status !== 200) throw new Error(changed.text);
    world.clock.advance(MINUTE_MS);
    return { ...(query && { query }), body: { secrets: [params.name], expiresAt: null } };
  },
  async changeEnvironments(_example, world) {
    const { query, project, secret } = await referringProject(world);
    const body = { environments: { preview: { set: { KEY: { secret } } } } };
    return { params: { project }, query, body };
  },
  async createEnvironment(_example, world) {
    const { query, project } = await referringProject(world);
    return { params: { project }, query, body: { name: "qa", inheritsFrom: "production" } };
  },
  async updateEnvironment(_example, world) {
    const { query, project } = await referringProject(world);
    return { params: { project, environment: "preview" }, query, body: { inheritsFrom: "production" } };
  },
  async rollBackEnvironment(_example, world) {
    const { query, project, change } = await referringProject(world);
    await change({ remove: ["KEY"] });
    return { params: { project, environment: "production" }, query, body: { version: 1 } };
  },
  async createCustomEnvironment(_example, world) {
    const { query, project } = await referringProject(world);
    return { params: { idOrName: project }, query, body: { slug: "copy", copyEnvVarsFrom: "production" } };
  },
  async createVariables(_example, world) {
    const { query, project, secret } = await referringProject(world);
    return {
      params: { idOrName: project },
      query,
      body: { key: "NEW", value: secret, type: "secret", target: ["preview"] },
    };
  },
  async updateVariable(_example, world) {
    const { query, project } = await referringProject(world);
    const url = `/v10/projects/${project}/env?teamId=${world.team.id}`;
    const [{ id }] = (await world.request("GET", url, { token: world.owner.token })).body.envs;
    return { params: { idOrName: project, id }, query, body: { target: ["production", "preview"] } };
  },
  async deleteVariable(_example, world) {
    const { query, idOrName, id } = await overridingProject(world);
    return { params: { idOrName, id }, query };
  },
  async deleteVariables(_example, world) {
    const { query, idOrName, id } = await overridingProject(world);
    return { params: { idOrName }, query, body: { ids: [id] } };
  },
};

/** An example that hands out what the operation can hand out. */
export async function givingExample(operation: Operation, world: World): Promise<Example> {
  const example = await exampleOf(operation, world);
  const { recordsWhen } = operation.endpoint;
  if (recordsWhen !== undefined) return { ...example, query: { ...example.query, [recordsWhen]: "true" } };
  return (await GIVING[operation.id]?.(example, world)) ?? example;
}
