// The examples of secrets.
import { uniqueName } from "../harness/test-app.ts";
import { newSecret } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

export const SECRET_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
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
  setSecretValues: async (world) => {
    const { params, query } = await newSecret(world);
    const values = [
      { name: params.name, value: "another", expectedVersion: 1 },
      { name: uniqueName("SECRET"), value: "new", expectedVersion: 0 },
    ];
    return { query: { ...query }, body: { values, decryptable: true } };
  },
  changeSecrets: async (world) => {
    const { params, query } = await newSecret(world);
    return { query: { ...query }, body: { secrets: [params.name], addTags: ["many"], removeTags: ["example"] } };
  },
  deleteSecrets: async (world) => {
    const { params, query } = await newSecret(world);
    return { query: { ...query }, body: { secrets: [params.name] } };
  },
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
};
