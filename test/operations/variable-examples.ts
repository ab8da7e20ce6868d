// The examples of variables: each in a project of its own that has a variable and an environment of its own.
import { uniqueName } from "../harness/test-app.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

interface Made {
  readonly idOrName: string;
  readonly id: string;
  readonly query: { readonly teamId: string };
}

/** A new project with the environment `staging` and a variable that is a secret. */
async function newVariable(world: World): Promise<Made> {
  const idOrName = uniqueName("project");
  const { token } = world.owner;
  const query = { teamId: world.team.id };
  const at = (path: string) => `${path}?teamId=${query.teamId}`;
  const slug = "staging";
  const made = await world.request("POST", at(`/v9/projects/${idOrName}/custom-environments`), {
    token,
    body: { slug },
  });
  const body = {
    key: "TOKEN",
    value: "example",
    type: "encrypted",
    target: ["preview", "development"],
    customEnvironmentIds: [slug],
  };
  const created = await world.request("POST", at(`/v10/projects/${idOrName}/env`), { token, body });
  if (made.status !== 201 || created.status !== 201) throw new Error(made.text + created.text);
  return { idOrName, id: created.body.created.id, query };
}

async function newProject(world: World) {
  const { idOrName, query } = await newVariable(world);
  return { params: { idOrName }, query };
}

async function oneVariable(world: World) {
  const { idOrName, id, query } = await newVariable(world);
  return { params: { idOrName, id }, query };
}

async function ownEnvironment(world: World) {
  const { params, query } = await newProject(world);
  return { params: { ...params, environmentSlugOrId: "staging" }, query };
}

export const VARIABLE_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  listVariables: async (world) => {
    const { params, query } = await newProject(world);
    return { params, query: { ...query, target: "preview", decrypt: "true", source: "example" } };
  },
  createVariables: async (world) => ({
    ...(await newProject(world)),
    body: [
      {
        key: "LEVEL",
        value: "info",
        type: "plain",
        target: ["production", "preview"],
        gitBranch: null,
        comment: "example",
      },
      { key: "KEY", value: "example", type: "sensitive", visibility: "secret", customEnvironmentIds: ["staging"] },
    ],
  }),
  getVariable: oneVariable,
  updateVariable: async (world) => ({
    ...(await oneVariable(world)),
    body: { key: "OTHER", value: "changed", target: ["production"], comment: "example" },
  }),
  deleteVariable: oneVariable,
  deleteVariables: async (world) => {
    const { idOrName, id, query } = await newVariable(world);
    return { params: { idOrName }, query, body: { ids: [id, "env_none"] } };
  },
  pullEnvironment: async (world) => {
    const { params, query } = await newProject(world);
    return {
      params: { ...params, target: "preview", gitBranch: "feature" },
      query: { ...query, source: "example" },
    };
  },
  listCustomEnvironments: newProject,
  createCustomEnvironment: async (world) => ({
    ...(await newProject(world)),
    body: { slug: "qa", description: "", branchMatcher: null, copyEnvVarsFrom: "staging" },
  }),
  getCustomEnvironment: ownEnvironment,
  updateCustomEnvironment: async (world) => ({ ...(await ownEnvironment(world)), body: { slug: "staging" } }),
  deleteCustomEnvironment: async (world) => ({
    ...(await ownEnvironment(world)),
    body: { deleteUnassignedEnvironmentVariables: true },
  }),
};
