// The examples of environments: each in a project of its own that has versions and an environment of its own.
import { uniqueName } from "../harness/test-app.ts";
import { newSecret } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

type EnvironmentExample = Example & {
  readonly params: { readonly project: string; readonly environment: string };
  readonly query: { readonly teamId: string };
};

/** A new environment with two versions, which has a secret and a plain value. */
async function newEnvironment(world: World): Promise<EnvironmentExample> {
  const { params } = await newSecret(world);
  const query = { teamId: world.team.id };
  const project = uniqueName("project");
  const url = `/v1/environments/${project}?teamId=${query.teamId}`;
  const { token } = world.owner;
  const made = await world.request("POST", url, { token, body: { name: "staging", inheritsFrom: "preview" } });
  const set = { KEY: { secret: params.name }, LEVEL: { value: "info", comment: "example" } };
  const changed = await world.request("PATCH", url, { token, body: { environments: { staging: { set } } } });
  if (made.status !== 200 || changed.status !== 200) throw new Error(made.text + changed.text);
  return { params: { project, environment: "staging" }, query };
}

async function newProjectOnly(world: World) {
  const { params, query } = await newEnvironment(world);
  return { params: { project: params.project }, query };
}

export const ENVIRONMENT_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  listEnvironments: newProjectOnly,
  changeEnvironments: async (world) => ({
    ...(await newProjectOnly(world)),
    body: {
      environments: { staging: { set: { TOKEN: { secretValue: "example" } }, remove: ["LEVEL"] } },
      expectedVersions: { staging: 2 },
      note: "example",
    },
  }),
  createEnvironment: async (world) => ({
    ...(await newProjectOnly(world)),
    body: { name: "qa", inheritsFrom: "staging" },
  }),
  getEnvironment: newEnvironment,
  updateEnvironment: async (world) => ({ ...(await newEnvironment(world)), body: { inheritsFrom: "production" } }),
  deleteEnvironment: newEnvironment,
  getEnvironmentValues: newEnvironment,
  listEnvironmentVersions: newEnvironment,
  getEnvironmentVersion: async (world) => {
    const { params, query } = await newEnvironment(world);
    return { params: { ...params, version: "2" }, query };
  },
  diffEnvironmentVersions: async (world) => {
    const { params, query } = await newEnvironment(world);
    return { params, query: { ...query, from: "1", to: "2" } };
  },
  rollBackEnvironment: async (world) => ({
    ...(await newEnvironment(world)),
    body: { version: 1, expectedVersion: 2 },
  }),
};
