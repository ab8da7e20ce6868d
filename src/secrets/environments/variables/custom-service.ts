// Handlers of the environments that were created, for existing clients of the hosted API.
import type { Implements } from "../../../platform/kernel/contract.ts";
import { fieldError, notFound } from "../../../platform/kernel/errors.ts";
import { storeChanges } from "../change.ts";
import { createEnvironment, removeEnvironment } from "../creation.ts";
import { diffEntries } from "../document-rules.ts";
import { LIMITS } from "../environment-schema.ts";
import { getEnvironment, isBuiltIn, loadForChange, loadKnown, loadProject } from "../project.ts";
import type { Environment, ProjectState } from "../project.ts";
import { requireReferences } from "../references.ts";
import type { customEnvironmentsContract } from "./custom-contract.ts";

/** Those that every project has are not found here. */
function getCustom(state: ProjectState, name: string): Environment {
  if (isBuiltIn(name)) throw notFound("Environment");
  return getEnvironment(state, name);
}

function publicCustom({ name, row, version }: Environment) {
  if (!row) throw new Error(`nothing is stored of ${name}, which was created`);
  const times = { createdAt: row.createdAt, updatedAt: row.updatedAt };
  return { id: name, slug: name, type: "preview", ...times, revision: version } as const;
}

/** For what changes nothing that a revision would tell, or is gone. */
function withoutRevision(environment: Environment) {
  const { revision: _, ...shown } = publicCustom(environment);
  return shown;
}

export const customEnvironmentsService: Implements<typeof customEnvironmentsContract> = {
  async listCustomEnvironments(tx, call) {
    const { params, query } = call;
    const { environments } = await loadKnown(tx, call, params.idOrName);
    const created = [...environments.values()].filter(({ name }) => !isBuiltIn(name));
    return {
      accountLimit: { total: LIMITS.environments },
      // None follows a branch.
      environments: query.gitBranch === undefined ? created.map(publicCustom) : [],
    };
  },

  async createCustomEnvironment(tx, call) {
    const { slug: name, copyEnvVarsFrom } = call.body;
    const { idOrName } = call.params;
    const state = await loadForChange(tx, call.scope.ownerId, idOrName);
    const source = copyEnvVarsFrom === undefined ? undefined : state.environments.get(copyEnvVarsFrom);
    if (copyEnvVarsFrom !== undefined && !source) {
      const expected = `expected one of ${[...state.environments.keys()].join(", ")}`;
      throw fieldError("invalid_environment", "body.copyEnvVarsFrom", expected);
    }
    const environment = await createEnvironment(tx, call, state, { name, field: "body.slug" });
    if (source) {
      const made = { ...state, environments: new Map([...state.environments, [name, environment]]) };
      const content = { ...environment.content, entries: source.content.entries };
      requireReferences(call, made, new Map([[name, content]]));
      const differences = diffEntries(environment.content.entries, content.entries);
      await storeChanges(tx, call, made, [{ environment, content, differences }]);
    }
    return publicCustom(getCustom(await loadProject(tx, call.scope.ownerId, idOrName), name));
  },

  async getCustomEnvironment(tx, { scope: { ownerId }, params }) {
    return publicCustom(getCustom(await loadProject(tx, ownerId, params.idOrName), params.environmentSlugOrId));
  },

  async updateCustomEnvironment(tx, call) {
    const { idOrName, environmentSlugOrId: name } = call.params;
    const environment = getCustom(await loadProject(tx, call.scope.ownerId, idOrName), name);
    const { slug = name } = call.body;
    if (slug !== name) {
      const expected = `expected ${name}: environments keep their names; create another one with copyEnvVarsFrom`;
      throw fieldError("invalid_environment", "body.slug", expected);
    }
    return withoutRevision(environment);
  },

  async deleteCustomEnvironment(tx, call) {
    const { idOrName, environmentSlugOrId: name } = call.params;
    const state = await loadProject(tx, call.scope.ownerId, idOrName);
    const environment = getCustom(state, name);
    await removeEnvironment(tx, call, state, environment);
    return withoutRevision(environment);
  },
};
