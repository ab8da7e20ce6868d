// Creates and deletes environments, and records what was done to them as a whole.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { EMPTY, lineage } from "./document-rules.ts";
import { LIMITS } from "./environment-schema.ts";
import { isBuiltIn, knownNames, makeRoom, storeVersion } from "./project.ts";
import type { ChangeCall, ChangedProject, Environment, ProjectState } from "./project.ts";
import { requireReferences } from "./references.ts";
import { deleteEnvironment } from "./store.ts";

/** Refuses what `name` cannot inherit from. */
export function requireParent({ environments }: ProjectState, name: string, parent: string | null): void {
  if (parent === null) return;
  const field = "body.inheritsFrom";
  if (!environments.has(parent)) {
    throw fieldError("invalid_environment", field, `expected one of ${[...environments.keys()].join(", ")}, or null`);
  }
  const parentOf = (at: string) => (at === name ? parent : (environments.get(at)?.content.inheritsFrom ?? null));
  // Those that inherit from it must not become too deep either.
  const isValid = [name, ...environments.keys()].every((at) => lineage(at, parentOf) !== null);
  if (isValid) return;
  const expected = `expected an environment that does not inherit from ${name}, and at most ${LIMITS.depth} levels of inheritance`;
  throw fieldError("invalid_environment", field, expected);
}

export async function emitSettings(
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

/** Creates an environment without entries, and returns it. `field` names the place of its name in the body. */
export async function createEnvironment(
  tx: Tx,
  call: ChangeCall,
  state: ChangedProject,
  {
    name,
    inheritsFrom = null,
    field,
  }: { readonly name: string; readonly inheritsFrom?: string | null | undefined; readonly field: string },
): Promise<Environment> {
  if (state.environments.has(name)) {
    const problem = isBuiltIn(name) ? "every project has this environment" : "the project has this environment already";
    throw fieldError("environment_exists", field, problem, { name });
  }
  if (state.environments.size >= LIMITS.environments) {
    throw new ApiError("invalid_environment", `expected at most ${LIMITS.environments} environments in a project`, {
      limit: LIMITS.environments,
    });
  }
  requireParent(state, name, inheritsFrom);
  const content = { ...EMPTY, inheritsFrom };
  requireReferences(call, state, new Map([[name, content]]));
  const none = { name, version: 0, size: 0 };
  const { version, grownBytes: size } = await storeVersion(tx, call, state, none, { content, changeCount: 0 });
  await makeRoom(tx, call, state, size);
  await emitSettings(tx, call, state, "environment-created", { environment: name, next: { inheritsFrom } });
  return { name, row: null, version, content, size };
}

/** Throws where an environment cannot be deleted. */
export function requireRemovable(
  call: ChangeCall & Pick<Call, "ifMatch">,
  state: ProjectState,
  { name, version }: Environment,
): void {
  requireRevision(call, version);
  if (isBuiltIn(name)) {
    throw new ApiError("environment_in_use", `every project has the environment ${name}: remove its entries instead`);
  }
  const heirs = [...state.environments.values()].filter((one) => one.content.inheritsFrom === name);
  if (heirs.length > 0) {
    const names = knownNames(
      heirs.map((heir) => heir.name),
      call.caller,
    );
    const who = names.length === 0 ? "Others" : names.join(", ");
    throw new ApiError("environment_in_use", `${who} inherit from ${name}: change that first`, { environments: names });
  }
}

/** Deletes an environment that was created, with its versions. */
export async function removeEnvironment(
  tx: Tx,
  call: ChangeCall & Pick<Call, "ifMatch">,
  state: ProjectState,
  environment: Environment,
): Promise<void> {
  requireRemovable(call, state, environment);
  const { name, content } = environment;
  await deleteEnvironment(tx, { ownerId: state.ownerId, projectId: state.projectId, name });
  await emitSettings(tx, call, state, "environment-deleted", {
    environment: name,
    previous: { inheritsFrom: content.inheritsFrom },
  });
}
