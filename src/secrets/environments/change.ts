// Changes entries of several environments of a project, all or none: plans what differs, which a dry run shows, then stores it.
import { fieldError } from "../../platform/kernel/errors.ts";
import { newId } from "../../platform/kernel/ids.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { readChanges } from "./change-input.ts";
import type { Changes, ReadChanges, SetEntry } from "./change-input.ts";
import { countChanges, diffEntries, shareIds } from "./document-rules.ts";
import type { Content, Differences, Entry } from "./document-rules.ts";
import { planSecrets, storeSecrets } from "./entry-secrets.ts";
import type { StoredSecret, ValueGroup } from "./entry-secrets.ts";
import { knownNames, loadForChange, renderVersions, makeRoom, storeVersion } from "./project.ts";
import type { ChangeCall, ChangedProject, Environment, ProjectState } from "./project.ts";
import { requireReferences } from "./references.ts";
import { differing, maskedDifferences, readSecretNames, withStored } from "./view.ts";

/** What a change does to one environment. */
interface Planned {
  readonly environment: Environment;
  readonly after: Map<string, Entry>;
  /** The keys whose secret gets another value. */
  readonly newValues: Set<string>;
}

export interface EnvironmentsChange {
  readonly changes: Changes;
  readonly expectedVersions?: Readonly<Record<string, number>> | undefined;
  readonly note?: string | undefined;
  readonly isDryRun?: boolean | undefined;
  /** An entry that another one of `key` takes the place of: under another key, or in further environments. */
  readonly origin?: Origin | undefined;
}

interface Origin {
  readonly key: string;
  readonly entry: Entry;
  /** The other entry keeps its secret. */
  readonly isKept: boolean;
}

function requireVersions(
  state: ProjectState,
  caller: ChangeCall["caller"],
  expected: Readonly<Record<string, number>> = {},
): void {
  const known = knownNames(state.environments.keys(), caller);
  for (const [name, version] of Object.entries(expected)) {
    const field = `body.expectedVersions.${name}`;
    const environment = state.environments.get(name);
    if (!environment || !known.includes(name)) {
      throw fieldError("invalid_environment", field, `expected one of ${known.join(", ")}`);
    }
    if (environment.version === version) continue;
    throw fieldError("version_conflict", field, `expected ${environment.version}, the current one, got ${version}`, {
      environment: name,
      currentVersion: environment.version,
    });
  }
}

/** The entry that a change sets, in place of `before`. */
function nextEntry(before: Entry | undefined, set: SetEntry, group: ValueGroup | undefined, now: number): Entry {
  const comment = set.comment === undefined ? before?.comment : (set.comment ?? undefined);
  const secret = group?.id ?? set.secret;
  const isOwn = group !== undefined || (before?.isOwn === true && before.secret === secret);
  const isSensitive = secret !== undefined && (set.isSensitive ?? before?.isSensitive ?? false);
  return {
    id: before?.id ?? "",
    ...(secret === undefined ? { value: set.value as string } : { secret, ...(isOwn ? { isOwn } : {}) }),
    ...(isSensitive ? { isSensitive } : {}),
    ...(comment === undefined ? {} : { comment }),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
}

/** Gives the entries of each key that differ their ids. */
function assignIds(state: ProjectState, plans: ReadonlyMap<string, Planned>, set: readonly SetEntry[]): void {
  for (const [key, entries] of Map.groupBy(set, (one) => one.key)) {
    const names = new Set(entries.map(({ environment }) => environment));
    const isKept = (name: string) => {
      const { environment, after, newValues } = plans.get(name) as Planned;
      return environment.content.entries.get(key) === after.get(key) && !newValues.has(key);
    };
    const entryOf = (name: string) => (plans.get(name) as Planned).after.get(key) as Entry;
    const kept = [...names].filter(isKept).map(entryOf);
    const changed = [...names].filter((name) => !isKept(name));
    const rest = [...state.environments.values()]
      .filter(({ name }) => !names.has(name))
      .flatMap(({ name, content }) => (plans.get(name)?.after ?? content.entries).get(key) ?? []);
    const placed = changed.map((environment) => ({ environment, entry: entryOf(environment) }));
    for (const [name, id] of shareIds(placed, kept, rest, () => newId("environmentEntry"))) {
      (plans.get(name) as Planned).after.set(key, { ...entryOf(name), id });
    }
  }
}

function planEntries(
  state: ProjectState,
  { set, remove }: ReadChanges,
  groups: readonly ValueGroup[],
  now: number,
  origin?: Origin,
): ReadonlyMap<string, Planned> {
  const plans = new Map<string, Planned>();
  for (const [name, keys] of remove) {
    const environment = state.environments.get(name) as Environment;
    const after = new Map([...environment.content.entries].filter(([key]) => !keys.has(key)));
    plans.set(name, { environment, after, newValues: new Set() });
  }
  const groupOf = new Map(groups.flatMap((group) => group.entries.map((entry) => [entry, group] as const)));
  for (const one of set) {
    const { after, newValues } = plans.get(one.environment) as Planned;
    const group = groupOf.get(one);
    const before = after.get(one.key);
    const next = nextEntry(before ?? (origin?.key === one.key ? origin.entry : undefined), one, group, now);
    if (group?.newName === null) newValues.add(one.key);
    const isSame =
      before !== undefined && countChanges(diffEntries(new Map([["", before]]), new Map([["", next]]))) === 0;
    // What does not differ keeps its times and its id.
    if (!isSame || newValues.has(one.key)) after.set(one.key, next);
  }
  assignIds(state, plans, set);
  return plans;
}

/** The entries with the ids of secrets that were made meanwhile. */
function withMade(
  entries: ReadonlyMap<string, Entry>,
  made: ReadonlyMap<string, StoredSecret>,
): ReadonlyMap<string, Entry> {
  return new Map(
    [...entries].map(([key, entry]) => {
      const secret = entry.secret === undefined ? undefined : made.get(entry.secret)?.uid;
      return [key, secret === undefined ? entry : { ...entry, secret }];
    }),
  );
}

export interface StoredChange {
  readonly environment: Environment;
  readonly content: Content;
  readonly differences: Differences;
  readonly restoredFrom?: number;
  readonly note?: string | undefined;
}

/** Stores the next versions of environments whose entries differ, each with its event. Returns their numbers by name. */
export async function storeChanges(
  tx: Tx,
  call: ChangeCall,
  state: ChangedProject,
  changes: readonly StoredChange[],
): Promise<ReadonlyMap<string, number>> {
  const made = changes.filter(({ differences }) => countChanges(differences) > 0);
  const documents = renderVersions(state, new Map(made.map(({ environment, content }) => [environment.name, content])));
  const versions = new Map<string, number>();
  let grown = 0;
  for (const { environment, content, differences, restoredFrom, note } of made) {
    const { name, version: previousVersion } = environment;
    const { version, grownBytes } = await storeVersion(
      tx,
      call,
      state,
      environment,
      {
        content,
        changeCount: countChanges(differences),
        ...(restoredFrom === undefined ? {} : { restoredFrom }),
        note,
      },
      documents.get(name),
    );
    versions.set(name, version);
    grown += grownBytes;
    const { projectId } = state;
    const what = restoredFrom === undefined ? "changed" : `restored version ${restoredFrom} of`;
    await emit(tx, call, {
      type: "environment-values-changed",
      ownerId: state.ownerId,
      entityId: projectId,
      text: `${what} the environment ${name} of ${projectId}`,
      payload: {
        projectId,
        projectName: projectId,
        environment: name,
        version,
        previousVersion,
        added: differences.added,
        changed: differences.changed.map(({ key }) => key),
        removed: differences.removed,
        ...(restoredFrom === undefined ? {} : { restoredFrom }),
        ...(note === undefined ? {} : { note }),
      },
    });
  }
  await makeRoom(tx, call, state, grown);
  return versions;
}

/** What a change makes of a project: nothing is stored yet. */
async function planChange(
  tx: Tx,
  call: ChangeCall,
  projectId: string,
  { changes, expectedVersions, origin }: EnvironmentsChange,
) {
  const state = await loadForChange(tx, call.scope.ownerId, projectId);
  requireVersions(state, call.caller, expectedVersions);
  const input = await readChanges(tx, call, state, changes, origin?.isKept ? origin.entry.secret : undefined);
  const groups = await planSecrets(tx, state, input.set);
  const plans = planEntries(state, input, groups, call.now, origin);
  const planned = [...plans.values()].map(({ environment, after, newValues }) => {
    const { content } = environment;
    return { environment, after, differences: diffEntries(content.entries, after, newValues) };
  });
  const contents = new Map(
    planned.map(({ environment: { name, content }, after }) => [name, { ...content, entries: after }]),
  );
  requireReferences(call, state, contents, new Set(groups.map(({ id }) => id)));
  // What is too large is refused before a secret is made; an id of a secret is only a little longer than its placeholder.
  renderVersions(state, contents);
  return { state, groups, planned };
}

/** Stores a change: the environments, their versions by name, and the secrets. */
async function storePlanned(
  tx: Tx,
  call: ChangeCall,
  { state, groups, planned }: Awaited<ReturnType<typeof planChange>>,
  note?: string,
) {
  const made = await storeSecrets(tx, call, groups);
  const results = planned.map(({ environment, after, differences }) => ({
    environment,
    differences,
    note,
    content: { ...environment.content, entries: withMade(after, made) },
  }));
  return { made, results, versions: await storeChanges(tx, call, state, results) };
}

/** Makes the change, and returns the project as it is then. */
export async function applyChange(
  tx: Tx,
  call: ChangeCall,
  projectId: string,
  change: EnvironmentsChange,
): Promise<ProjectState> {
  const plan = await planChange(tx, call, projectId, change);
  const { results } = await storePlanned(tx, call, plan, change.note);
  const changed = results.map(({ environment, content }) => [environment.name, { ...environment, content }] as const);
  return { ...plan.state, environments: new Map([...plan.state.environments, ...changed]) };
}

/** Makes the change, or shows what it would do, and returns the differences without values. */
export async function changeEntries(tx: Tx, call: ChangeCall, projectId: string, change: EnvironmentsChange) {
  const { isDryRun = false } = change;
  const plan = await planChange(tx, call, projectId, change);
  const { groups, planned } = plan;
  // Before anything is stored: on PostgreSQL all of that is sent with the commit.
  const names = await readSecretNames(
    tx,
    call.scope.ownerId,
    planned.flatMap(({ environment, differences, after }) => [
      ...differing(differences, environment.content.entries, after),
    ]),
    call.now,
    new Map(groups.flatMap(({ id, newName }) => (newName === null ? [] : [[id, newName]]))),
  );
  const stored = isDryRun ? null : await storePlanned(tx, call, plan, change.note);
  const shown = stored ? withStored(names, stored.made) : names;
  return {
    project: projectId,
    isDryRun,
    environments: planned.map(({ environment: { name, version, content }, differences, after }, at) => ({
      name,
      previousVersion: version,
      version: stored?.versions.get(name) ?? version,
      ...maskedDifferences(differences, content.entries, stored?.results[at]?.content.entries ?? after, shown),
    })),
  };
}
