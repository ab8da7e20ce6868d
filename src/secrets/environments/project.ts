// The environments of a project as a request finds them, and how a new version of one is stored. Changes hold the owner's lock, so
// that what they have read stays true.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import { hasPlaces, isWithin } from "../../platform/kernel/limits.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { MOST_REMOVED, removeOldest } from "../../platform/kernel/version-history.ts";
import { beginProject } from "../../teams/projects/existence.ts";
import { EMPTY, lineage, parseContent, renderContent } from "./document-rules.ts";
import type { Content } from "./document-rules.ts";
import { BUILT_IN, LIMITS } from "./environment-schema.ts";
import {
  deleteVersion,
  deleteVersionsUpTo,
  insertVersion,
  listLineWithDocuments,
  listOldest,
  listWithDocuments,
  putEnvironment,
  sumSizes,
} from "./store.ts";
import type { EnvironmentRow } from "./store.ts";

const MIB = 1_048_576;

export type ChangeCall = Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring" | "instance">;

export interface Environment {
  readonly name: string;
  /** Null: every project has it, and nothing is stored yet. */
  readonly row: EnvironmentRow | null;
  readonly version: number;
  readonly content: Content;
  /** Bytes of its document. */
  readonly size: number;
}

export interface ProjectState {
  readonly ownerId: string;
  readonly projectId: string;
  /** By name: those that every project has first. */
  readonly environments: ReadonlyMap<string, Environment>;
}

/** A project as a change finds it. */
export interface ChangedProject extends ProjectState {
  /** The bytes of all versions of the owner, and of those that the change has added: at least what is stored. */
  readonly stored: { bytes: number };
}

export function isBuiltIn(name: string): boolean {
  return (BUILT_IN as readonly string[]).includes(name);
}

/** The names of a project's environments in the order of lists. */
export function inListOrder(stored: readonly string[]): readonly string[] {
  return [...BUILT_IN, ...stored.filter((name) => !isBuiltIn(name))];
}

function stateOf(
  ownerId: string,
  projectId: string,
  rows: readonly (EnvironmentRow & { readonly document: string })[],
): ProjectState {
  const stored = new Map(
    rows.map(({ document, ...row }): [string, Environment] => [
      row.name,
      {
        name: row.name,
        row,
        version: row.version,
        content: parseContent(document),
        size: Buffer.byteLength(document),
      },
    ]),
  );
  const names = inListOrder([...stored.keys()]);
  const none = { row: null, version: 0, content: EMPTY, size: 0 };
  return {
    ownerId,
    projectId,
    environments: new Map(names.map((name) => [name, stored.get(name) ?? { name, ...none }])),
  };
}

export async function loadProject(tx: Tx, ownerId: string, projectId: string): Promise<ProjectState> {
  return stateOf(ownerId, projectId, await listWithDocuments(tx, { ownerId, projectId }));
}

export async function loadForChange(tx: Tx, ownerId: string, projectId: string): Promise<ChangedProject> {
  // Together, because statements travel to PostgreSQL.
  const [state, total] = await Promise.all([loadProject(tx, ownerId, projectId), sumSizes(tx, { ownerId })]);
  return { ...state, stored: { bytes: total?.bytes ?? 0 } };
}

/** The environment and those that it inherits from, nearest first. Throws `not_found` when the project has no such environment. */
export async function loadLine(
  tx: Tx,
  ownerId: string,
  projectId: string,
  name: string,
): Promise<readonly [Environment, ...Environment[]]> {
  const state = stateOf(ownerId, projectId, await listLineWithDocuments(tx, { ownerId, projectId, name }));
  const line = lineage(name, (at) => state.environments.get(at)?.content.inheritsFrom ?? null);
  if (!line) throw new Error(`the environments of ${projectId} inherit in a circle`);
  return [getEnvironment(state, name), ...line.slice(1).map((at) => getEnvironment(state, at))];
}

/** The names of the environments that a caller may know of. */
export function knownNames(names: Iterable<string>, caller: Call["caller"]): string[] {
  return [...names].filter((name) => isWithin(caller, "environment", name));
}

/** What a caller may know of a project. Changes are made of the whole project (`changeEntries`). */
export async function loadKnown(
  tx: Tx,
  { scope: { ownerId }, caller }: Pick<Call, "scope" | "caller">,
  projectId: string,
): Promise<ProjectState> {
  return knownPart(await loadProject(tx, ownerId, projectId), caller);
}

/** What a caller may know of a project. */
export function knownPart(state: ProjectState, caller: Call["caller"]): ProjectState {
  if (!hasPlaces(caller.limits)) return state;
  const isKnown = ([key]: readonly [string, unknown]) => isWithin(caller, "name", key);
  const environments = knownNames(state.environments.keys(), caller).map((name): [string, Environment] => {
    const { content, ...environment } = getEnvironment(state, name);
    return [name, { ...environment, content: { ...content, entries: new Map([...content.entries].filter(isKnown)) } }];
  });
  return { ...state, environments: new Map(environments) };
}

/** Throws `not_found` when the project has no such environment. */
export function getEnvironment({ environments }: ProjectState, name: string): Environment {
  const found = environments.get(name);
  if (!found) throw notFound("Environment");
  return found;
}

interface NewVersion {
  readonly content: Content;
  readonly changeCount: number;
  readonly restoredFrom?: number | undefined;
  readonly note?: string | undefined;
}

/** The documents of new versions, by the name of their environment. Throws when one of them, or the project, is too large. */
export function renderVersions(
  state: ProjectState,
  contents: ReadonlyMap<string, Content>,
): ReadonlyMap<string, { readonly document: string; readonly size: number }> {
  const sizes = new Map([...state.environments].map(([name, { size }]) => [name, size]));
  const counts = new Map([...state.environments].map(([name, { content }]) => [name, content.entries.size]));
  const documents = new Map<string, { readonly document: string; readonly size: number }>();
  for (const [name, content] of contents) {
    const document = renderContent(content);
    const size = Buffer.byteLength(document);
    const refuse = (expected: string, got: number) => {
      throw new ApiError("invalid_environment", `environments.${name}: expected ${expected}, got ${got}`, {
        field: `body.environments.${name}`,
      });
    };
    if (content.entries.size > LIMITS.entries) refuse(`at most ${LIMITS.entries} entries`, content.entries.size);
    if (size > LIMITS.documentBytes) refuse(`at most ${LIMITS.documentBytes} bytes of entries`, size);
    sizes.set(name, size);
    counts.set(name, content.entries.size);
    documents.set(name, { document, size });
  }
  const sum = (numbers: Iterable<number>) => Iterator.from(numbers).reduce((total, one) => total + one, 0);
  for (const [total, most, what] of [
    [sum(sizes.values()), LIMITS.projectBytes, "bytes of entries"],
    [sum(counts.values()), LIMITS.projectEntries, "entries"],
  ] as const) {
    if (total <= most) continue;
    const message = `environments: expected at most ${most} ${what} in a project, got ${total}`;
    throw new ApiError("invalid_environment", message, { field: "body.environments" });
  }
  return documents;
}

/**
 * Stores the next version of an environment. Returns its number, and what it takes more than the version before, for `makeRoom` after the
 * last one of a change.
 */
export async function storeVersion(
  tx: Tx,
  call: ChangeCall,
  { ownerId, projectId, stored }: ChangedProject,
  { name, version: current, size: sizeBefore }: Pick<Environment, "name" | "version" | "size">,
  { content, changeCount, restoredFrom, note }: NewVersion,
  { document, size } = renderedOf(content),
): Promise<{ readonly version: number; readonly grownBytes: number }> {
  const { caller, now } = call;
  const version = current + 1;
  const at = { ownerId, projectId, name };
  await beginProject(tx, call, projectId);
  await putEnvironment(tx, {
    ...at,
    inheritsFrom: content.inheritsFrom,
    version,
    entryCount: content.entries.size,
    now,
  });
  await insertVersion(tx, {
    ...at,
    version,
    document,
    size,
    changeCount,
    restoredFrom: restoredFrom ?? null,
    note: note ?? null,
    creatorId: caller.account?.id ?? null,
    creatorName: caller.keyName ?? caller.account?.username ?? "Reeve",
    now,
    position: positionAt(now),
  });
  await deleteVersionsUpTo(tx, { ...at, last: version - LIMITS.versions });
  stored.bytes += size;
  return { version, grownBytes: size - sizeBefore };
}

/** Removes the versions that new ones leave no room for. Throws `limit_reached` when those that are in use are too large together. */
export async function makeRoom(
  tx: Tx,
  { instance }: Pick<Call, "instance">,
  { ownerId, stored }: ChangedProject,
  grownBytes: number,
): Promise<void> {
  if (stored.bytes <= instance.storageLimits["history-mib"] * MIB) return;
  await removeOldest(instance.storageLimits, grownBytes, {
    sumSizes: () => sumSizes(tx, { ownerId }),
    listOldest: () => listOldest(tx, { ownerId, limit: MOST_REMOVED }),
    remove: (old) => deleteVersion(tx, { ...old, ownerId }),
  });
}

function renderedOf(content: Content): { readonly document: string; readonly size: number } {
  const document = renderContent(content);
  return { document, size: Buffer.byteLength(document) };
}
