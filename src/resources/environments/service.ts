// Handlers of environments. Versions and values have services of their own.
import type { Call, Implements } from "../../kernel/contract.ts";
import { ApiError, fieldError } from "../../kernel/errors.ts";
import { isWithin } from "../../kernel/limits.ts";
import { requireRevision } from "../../kernel/revision.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { changeEntries } from "./change.ts";
import type { environmentsContract } from "./contract.ts";
import { EMPTY, lineage, resolveEntries } from "./document-rules.ts";
import { LIMITS } from "./environment-schema.ts";
import { getEnvironment, inListOrder, isBuiltIn, lineOf, loadProject, storeVersion } from "./project.ts";
import type { ProjectState } from "./project.ts";
import { deleteEnvironment, listEnvironments } from "./store.ts";
import { ownEntry, publicEnvironment, readSecretNames } from "./view.ts";

/** Refuses what `name` cannot inherit from. */
function requireParent({ environments }: ProjectState, name: string, parent: string | null): void {
  if (parent === null) return;
  const field = "body.inheritsFrom";
  if (!environments.has(parent)) {
    throw fieldError("invalid_environment", field, `expected one of ${[...environments.keys()].join(", ")}, or null`);
  }
  const parentOf = (at: string) => (at === name ? parent : (environments.get(at)?.content.inheritsFrom ?? null));
  // Those that inherit from it must not become too deep either.
  const isValid = [name, ...environments.keys()].every((at) => lineage(at, parentOf) !== null);
  if (isValid) return;
  const expected = `expected an environment that does not inherit from ${name}, and at most ${LIMITS.depth} in a line`;
  throw fieldError("invalid_environment", field, expected);
}

async function emitSettings(
  tx: Tx,
  call: Pick<Call, "caller" | "origin" | "now">,
  { ownerId, projectId }: ProjectState,
  type: "environment-created" | "environment-updated" | "environment-deleted",
  {
    environment,
    ...states
  }: {
    readonly environment: string;
    readonly previous?: { readonly inheritsFrom: string | null };
    readonly next?: { readonly inheritsFrom: string | null };
  },
): Promise<void> {
  const verb = type === "environment-updated" ? "changed" : type.slice("environment-".length);
  await emit(tx, call, {
    type,
    ownerId,
    entityId: projectId,
    text: `${verb} the environment ${environment} of ${projectId}`,
    payload: { projectId, projectName: projectId, environment },
    ...states,
  });
}

/** The environment after a change, with its revision for `ETag`. */
async function reread(tx: Tx, { ownerId, projectId }: ProjectState, name: string) {
  const rows = await listEnvironments(tx, { ownerId, projectId });
  const shown = publicEnvironment(projectId, name, rows.find((row) => row.name === name) ?? null);
  return { ...shown, revision: shown.version };
}

export const environmentsService: Implements<typeof environmentsContract> = {
  async listEnvironments(tx, { scope: { ownerId }, caller, params: { project } }) {
    const rows = new Map((await listEnvironments(tx, { ownerId, projectId: project })).map((row) => [row.name, row]));
    const names = inListOrder([...rows.keys()]).filter((name) => isWithin(caller, "environment", name));
    return { environments: names.map((name) => publicEnvironment(project, name, rows.get(name) ?? null)) };
  },

  changeEnvironments(tx, call) {
    const { environments: changes, expectedVersions, note } = call.body;
    const { project } = call.params;
    return changeEntries(tx, call, project, { changes, expectedVersions, note, isDryRun: call.query.dryRun });
  },

  async createEnvironment(tx, call) {
    const { name, inheritsFrom = null } = call.body;
    const state = await loadProject(tx, call.scope.ownerId, call.params.project);
    if (state.environments.has(name)) {
      const problem = isBuiltIn(name)
        ? "every project has this environment"
        : "the project has this environment already";
      throw fieldError("environment_exists", "body.name", problem, { name });
    }
    if (state.environments.size >= LIMITS.environments) {
      throw new ApiError("invalid_environment", `expected at most ${LIMITS.environments} environments in a project`, {
        limit: LIMITS.environments,
      });
    }
    requireParent(state, name, inheritsFrom);
    await storeVersion(tx, call, state, { name, version: 0 }, { content: { ...EMPTY, inheritsFrom }, changeCount: 0 });
    await emitSettings(tx, call, state, "environment-created", { environment: name, next: { inheritsFrom } });
    return await reread(tx, state, name);
  },

  async getEnvironment(tx, call) {
    const { ownerId } = call.scope;
    const { project, environment: name } = call.params;
    const state = await loadProject(tx, ownerId, project);
    const { row, version } = getEnvironment(state, name);
    const resolved = resolveEntries(lineOf(state, name)).filter(({ key }) => isWithin(call.caller, "name", key));
    const names = await readSecretNames(
      tx,
      ownerId,
      resolved.map(({ entry }) => entry),
      call.now,
    );
    return {
      ...publicEnvironment(project, name, row),
      entries: resolved.map(({ key, entry, from }) => ({
        ...ownEntry(key, entry, names),
        from,
        isInherited: from !== name,
      })),
      revision: version,
    };
  },

  async updateEnvironment(tx, call) {
    const { project, environment: name } = call.params;
    const { inheritsFrom } = call.body;
    const state = await loadProject(tx, call.scope.ownerId, project);
    const environment = getEnvironment(state, name);
    requireRevision(call, environment.version);
    requireParent(state, name, inheritsFrom);
    const { content } = environment;
    if (content.inheritsFrom === inheritsFrom) return await reread(tx, state, name);
    await storeVersion(tx, call, state, environment, { content: { ...content, inheritsFrom }, changeCount: 0 });
    await emitSettings(tx, call, state, "environment-updated", {
      environment: name,
      previous: { inheritsFrom: content.inheritsFrom },
      next: { inheritsFrom },
    });
    return await reread(tx, state, name);
  },

  async deleteEnvironment(tx, call) {
    const { project, environment: name } = call.params;
    const state = await loadProject(tx, call.scope.ownerId, project);
    const { row, version, content } = getEnvironment(state, name);
    requireRevision(call, version);
    if (isBuiltIn(name)) {
      throw new ApiError("environment_in_use", `every project has the environment ${name}: remove its entries instead`);
    }
    const heirs = [...state.environments.values()].filter((one) => one.content.inheritsFrom === name);
    if (heirs.length > 0) {
      const names = heirs.map((heir) => heir.name);
      throw new ApiError("environment_in_use", `${names.join(", ")} inherit from ${name}: change that first`, {
        environments: names,
      });
    }
    await deleteEnvironment(tx, { ownerId: state.ownerId, projectId: project, name });
    await emitSettings(tx, call, state, "environment-deleted", {
      environment: name,
      previous: { inheritsFrom: content.inheritsFrom },
    });
    return publicEnvironment(project, name, row);
  },
};
