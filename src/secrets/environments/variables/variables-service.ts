// Handlers of variables. What they store and record is what a change of environments does.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { ApiError, notFound } from "../../../platform/kernel/errors.ts";
import { hasPermission, requirePermission } from "../../../platform/kernel/permission.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { requireProject } from "../../../teams/projects/existence.ts";
import { findReferenced, openReferenced, stateOf } from "../../secrets/references.ts";
import { getEnvironment, knownPart, loadKnown } from "../project.ts";
import type { ChangeCall, ProjectState } from "../project.ts";
import { emitValuesRead, findReadable, openValues, refuseMissing, unreadableOf } from "../values/read-values.ts";
import { READ } from "../environment-schema.ts";
import { changeVariables, placeChange, placeNew } from "./variable-changes.ts";
import { entryOf, kindOf, listVariables, publicVariable } from "./variable-rules.ts";
import type { Grouped } from "./variable-rules.ts";
import { REVEAL } from "./variable-schema.ts";
import type { Variable } from "./variable-schema.ts";
import type { variablesContract } from "./variables-contract.ts";

/** What `vercel link` pulls for as soon as it has linked a folder, which is before a project begins. */
const LINKING = "vercel-cli:link";

type ListQuery = Call<typeof variablesContract.listVariables>["query"];

/** The environment that a query chooses; undefined: all of them. Throws for one that the project has not. */
function chosenEnvironment(state: ProjectState, query: ListQuery): string | undefined {
  const name = query.target ?? query.customEnvironmentId ?? query.customEnvironmentSlug;
  return name === undefined ? undefined : getEnvironment(state, name).name;
}

function getVariable(state: ProjectState, id: string): Grouped {
  const found = listVariables(state).find((one) => one.id === id);
  if (!found) throw notFound("Variable");
  return found;
}

/**
 * The values of those variables that are `encrypted` and can be read, by the id of their secret, after recording the read for each
 * environment; or the refusal to return.
 */
async function revealValues(
  tx: Tx,
  call: ChangeCall,
  state: ProjectState,
  variables: readonly Grouped[],
): Promise<ReadonlyMap<string, string> | ApiError> {
  const { ownerId, projectId } = state;
  const ids = variables.flatMap((one) => (kindOf(one) === "encrypted" ? (entryOf(one).secret ?? []) : []));
  const known = await findReferenced(tx, ownerId, new Set(ids));
  const secrets = new Map([...known].filter(([, secret]) => stateOf(secret, call.now) === "ready"));
  const values = await openReferenced(tx, call, [...secrets.values()]);
  if (values instanceof ApiError) return values;
  const shown = variables.filter((one) => kindOf(one) === "encrypted" && values.has(entryOf(one).secret ?? ""));
  for (const { name, version } of state.environments.values()) {
    const chosen = shown
      .filter(({ environments }) => environments.includes(name))
      .map((one) => ({ key: one.key, entry: entryOf(one) }));
    if (chosen.length === 0) continue;
    await emitValuesRead(tx, call, { project: projectId, environment: name, version, chosen, secrets });
  }
  return values;
}

/** The value to show of a variable. */
function shownOf(variable: Grouped, values: ReadonlyMap<string, string>): string | undefined {
  return kindOf(variable) === "encrypted" ? values.get(entryOf(variable).secret ?? "") : undefined;
}

function listedVariable(variable: Grouped, shown?: string) {
  return { ...publicVariable(variable, shown), securityIssues: [] };
}

/** Variables in one turn of the event loop: a project has up to ten thousand. */
const LISTED_BATCH = 1_000;

async function listed(variables: readonly Grouped[], values: ReadonlyMap<string, string> | null) {
  const envs: ReturnType<typeof listedVariable>[] = [];
  for (let at = 0; at < variables.length; at += LISTED_BATCH) {
    if (at > 0) await nextTurn();
    const batch = variables.slice(at, at + LISTED_BATCH);
    envs.push(...batch.map((one) => listedVariable(one, values ? shownOf(one, values) : undefined)));
  }
  return { envs };
}

/** A variable in the response to a change: a value that the caller may not see stays empty. */
function changedVariable(scope: Call["scope"], variable: Variable): Variable {
  return hasPermission(scope, READ.permission) ? variable : { ...variable, value: "" };
}

/** The variables that entries belong to after a change. */
function changedVariables(
  { caller }: Pick<Call, "caller">,
  after: ProjectState,
  entries: readonly { readonly environment: string; readonly key: string }[],
): readonly Variable[] {
  const variables = listVariables(knownPart(after, caller));
  return entries.map(({ environment, key }) => {
    const found = variables.find((one) => one.key === key && one.environments.includes(environment));
    if (!found) throw new Error(`no variable ${key} in ${environment} after it was set`);
    return publicVariable(found);
  });
}

export const variablesService: Implements<typeof variablesContract> = {
  async listVariables(tx, call) {
    const { query } = call;
    const state = await loadKnown(tx, call, call.params.idOrName);
    const environment = chosenEnvironment(state, query);
    // No variable is of one branch.
    const variables =
      query.gitBranch === undefined
        ? listVariables(state).filter((one) => environment === undefined || one.environments.includes(environment))
        : [];
    if (!query.decrypt) return await listed(variables, null);
    requirePermission(call.scope, REVEAL);
    const values = await revealValues(tx, call, state, variables);
    return values instanceof ApiError ? values : await listed(variables, values);
  },

  async createVariables(tx, call) {
    const { body } = call;
    const { idOrName } = call.params;
    const state = await loadKnown(tx, call, idOrName);
    const isList = Array.isArray(body);
    const variables = isList
      ? body.map((variable, index) => ({ variable, at: `body[${index}]` }))
      : [{ variable: body, at: "body" }];
    const placed = placeNew(state, variables, call.query.upsert === true);
    const after = await changeVariables(tx, call, idOrName, { placed });
    const first = variables.map(({ at }) => placed.find((one) => one.at === at) as (typeof placed)[number]);
    const created = changedVariables(call, after, first);
    return { created: isList ? [...created] : (created[0] as Variable), failed: [] };
  },

  async getVariable(tx, call) {
    requirePermission(call.scope, REVEAL);
    const state = await loadKnown(tx, call, call.params.idOrName);
    const variable = getVariable(state, call.params.id);
    if (kindOf(variable) === "encrypted") {
      const entry = entryOf(variable);
      const secrets = await findReferenced(tx, state.ownerId, new Set([entry.secret as string]));
      refuseMissing("The value cannot be read", unreadableOf([{ key: variable.key, entry }], secrets, call.now));
    }
    const values = await revealValues(tx, call, state, [variable]);
    if (values instanceof ApiError) return values;
    const { decrypted, ...shown } = publicVariable(variable, shownOf(variable, values));
    // Early releases of the SDK drop the value beside this member.
    return decrypted === false ? { ...shown, decrypted } : shown;
  },

  async updateVariable(tx, call) {
    const { idOrName, id } = call.params;
    const state = await loadKnown(tx, call, idOrName);
    const change = placeChange(state, getVariable(state, id), call.body);
    const after = await changeVariables(tx, call, idOrName, change);
    const [changed] = changedVariables(call, after, change.placed.slice(0, 1));
    return changedVariable(call.scope, changed as Variable);
  },

  async deleteVariable(tx, call) {
    const { idOrName, id } = call.params;
    const { customEnvironmentId } = call.query;
    const state = await loadKnown(tx, call, idOrName);
    const variable = getVariable(state, id);
    const { key, environments } = variable;
    const names = environments.filter((name) => customEnvironmentId === undefined || name === customEnvironmentId);
    if (names.length === 0) throw notFound("Variable");
    await changeVariables(tx, call, idOrName, { removed: names.map((environment) => ({ environment, key })) });
    return changedVariable(call.scope, publicVariable(variable));
  },

  async deleteVariables(tx, call) {
    const { idOrName } = call.params;
    const state = await loadKnown(tx, call, idOrName);
    const asked = new Set(call.body.ids);
    const variables = listVariables(state).filter(({ id }) => asked.has(id));
    const removed = variables.flatMap(({ key, environments }) =>
      environments.map((environment) => ({ environment, key })),
    );
    if (removed.length > 0) await changeVariables(tx, call, idOrName, { removed });
    const ids = variables.map(({ id }) => id);
    return { deleted: ids.length, ids };
  },

  async pullEnvironment(tx, call) {
    requirePermission(call.scope, REVEAL);
    const { idOrName: project, target: environment = "development" } = call.params;
    // Without values a client writes an empty file, as if the project had none.
    if (call.query.source !== LINKING) await requireProject(tx, { ownerId: call.scope.ownerId, projectId: project });
    const values = await openValues(tx, call, await findReadable(tx, call, { project, environment }));
    if (values instanceof ApiError) return values;
    const env = Object.fromEntries(values);
    return { env, buildEnv: env };
  },
};
