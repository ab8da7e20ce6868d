// Handlers of environments. Versions and values have services of their own.
import type { Implements } from "../../platform/kernel/contract.ts";
import { isWithin } from "../../platform/kernel/limits.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { requireProject } from "../../teams/projects/existence.ts";
import { changeEntries } from "./change.ts";
import type { environmentsContract } from "./contract.ts";
import { createEnvironment, emitSettings, removeEnvironment, requireRemovable, requireParent } from "./creation.ts";
import { resolveEntries } from "./document-rules.ts";
import {
  getEnvironment,
  inListOrder,
  knownNames,
  loadForChange,
  loadLine,
  loadProject,
  makeRoom,
  storeVersion,
} from "./project.ts";
import type { ProjectState } from "./project.ts";
import { requireReferences } from "./references.ts";
import { listEnvironments } from "./store.ts";
import { ownEntry, publicEnvironment, readSecretNames } from "./view.ts";

/** The environment after a change, with its revision for `ETag`. */
async function reread(tx: Tx, { ownerId, projectId }: ProjectState, name: string) {
  const rows = await listEnvironments(tx, { ownerId, projectId });
  const shown = publicEnvironment(projectId, name, rows.find((row) => row.name === name) ?? null);
  return { ...shown, revision: shown.version };
}

export const environmentsService: Implements<typeof environmentsContract> = {
  async listEnvironments(tx, { scope: { ownerId }, caller, params: { project } }) {
    await requireProject(tx, { ownerId, projectId: project });
    const rows = new Map((await listEnvironments(tx, { ownerId, projectId: project })).map((row) => [row.name, row]));
    const names = knownNames(inListOrder([...rows.keys()]), caller);
    return { environments: names.map((name) => publicEnvironment(project, name, rows.get(name) ?? null)) };
  },

  changeEnvironments(tx, call) {
    const { environments: changes, expectedVersions, note } = call.body;
    const { project } = call.params;
    return changeEntries(tx, call, project, { changes, expectedVersions, note, isDryRun: call.query.dryRun });
  },

  async createEnvironment(tx, call) {
    const { name, inheritsFrom } = call.body;
    const state = await loadForChange(tx, call.scope.ownerId, call.params.project);
    await createEnvironment(tx, call, state, { name, inheritsFrom, field: "body.name" });
    return await reread(tx, state, name);
  },

  async getEnvironment(tx, call) {
    const { ownerId } = call.scope;
    const { project, environment: name } = call.params;
    await requireProject(tx, { ownerId, projectId: project });
    const line = await loadLine(tx, ownerId, project, name);
    const [{ row, version }] = line;
    const resolved = resolveEntries(line).filter(({ key }) => isWithin(call.caller, "name", key));
    const names = await readSecretNames(
      tx,
      ownerId,
      resolved.map(({ entry }) => entry),
      call.now,
    );
    return {
      ...publicEnvironment(project, name, row),
      entryCount: resolved.filter(({ from }) => from === name).length,
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
    const state = await loadForChange(tx, call.scope.ownerId, project);
    const environment = getEnvironment(state, name);
    requireRevision(call, environment.version);
    requireParent(state, name, inheritsFrom);
    const { content } = environment;
    if (content.inheritsFrom === inheritsFrom) return await reread(tx, state, name);
    const next = { ...content, inheritsFrom };
    requireReferences(call, state, new Map([[name, next]]));
    const { grownBytes } = await storeVersion(tx, call, state, environment, { content: next, changeCount: 0 });
    await emitSettings(tx, call, state, "environment-updated", {
      environment: name,
      previous: { inheritsFrom: content.inheritsFrom },
      next: { inheritsFrom },
    });
    await makeRoom(tx, call, state, grownBytes);
    return await reread(tx, state, name);
  },

  async deleteEnvironment(tx, call) {
    const { project, environment: name } = call.params;
    const state = await loadProject(tx, call.scope.ownerId, project);
    const environment = getEnvironment(state, name);
    if (call.query.dryRun) requireRemovable(call, state, environment);
    else await removeEnvironment(tx, call, state, environment);
    return publicEnvironment(project, name, environment.row);
  },
};
