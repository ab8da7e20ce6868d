// The document of an environment's version, and what follows from it: inheritance and differences.
import { LIMITS } from "./environment-schema.ts";

/** Either `secret` or `value` is there. */
export interface Entry {
  readonly id: string;
  /** The id of a secret of the owner. */
  readonly secret?: string;
  /** The secret was made for this entry, so that a new value of the entry is a version of it. */
  readonly isOwn?: true;
  readonly value?: string;
  /** Of a secret: the endpoints of variables never show its value. */
  readonly isSensitive?: true;
  readonly comment?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Content {
  readonly inheritsFrom: string | null;
  readonly entries: ReadonlyMap<string, Entry>;
}

export const EMPTY: Content = { inheritsFrom: null, entries: new Map() };

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

export function renderContent({ inheritsFrom, entries }: Content): string {
  return JSON.stringify({ inheritsFrom, entries: [...entries].toSorted(byKey) });
}

/** What a version inherits from, by the beginning of its document: a list of versions does not read them whole. */
export function readParent(head: string): string | null {
  return /^\{"inheritsFrom":"([^"]*)"/.exec(head)?.[1] ?? null;
}

export function parseContent(document: string): Content {
  const { inheritsFrom, entries } = JSON.parse(document) as {
    readonly inheritsFrom: string | null;
    readonly entries: readonly (readonly [string, Entry])[];
  };
  return { inheritsFrom, entries: new Map(entries) };
}

/** The environment and those that it inherits from, nearest first; null: they form a circle or are too many. */
export function lineage(name: string, parentOf: (name: string) => string | null): readonly string[] | null {
  const line = [name];
  for (let at = parentOf(name); at !== null; at = parentOf(at)) {
    if (line.includes(at) || line.length > LIMITS.depth) return null;
    line.push(at);
  }
  return line;
}

export interface Resolved {
  readonly key: string;
  readonly entry: Entry;
  readonly from: string;
}

/** The entries that apply, by key. `line` is nearest first. */
export function resolveEntries(line: readonly { readonly name: string; readonly content: Content }[]): Resolved[] {
  const resolved = new Map<string, Resolved>();
  for (const { name, content } of line.toReversed()) {
    for (const [key, entry] of content.entries) resolved.set(key, { key, entry, from: name });
  }
  return [...resolved].toSorted(byKey).map(([, one]) => one);
}

export type Aspect = "kind" | "secret" | "value" | "isSensitive" | "comment";

export interface Differences {
  readonly added: readonly string[];
  readonly changed: readonly { readonly key: string; readonly changes: readonly Aspect[] }[];
  readonly removed: readonly string[];
}

/** `isNewValue`: the secret that both have got another value. */
function aspects(before: Entry, after: Entry, isNewValue: boolean): Aspect[] {
  const isKind = (before.secret === undefined) !== (after.secret === undefined);
  return [
    ...(isKind ? (["kind"] as const) : []),
    ...(!isKind && before.secret !== after.secret ? (["secret"] as const) : []),
    ...(!isKind && (before.value !== after.value || isNewValue) ? (["value"] as const) : []),
    ...(before.isSensitive === after.isSensitive ? [] : (["isSensitive"] as const)),
    ...(before.comment === after.comment ? [] : (["comment"] as const)),
  ];
}

/** The differences of own entries, by key. `newValues` are the keys whose secret got another value. */
export function diffEntries(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
  newValues: ReadonlySet<string> = new Set(),
): Differences {
  const keys = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return {
    added: keys.filter((key) => !before.has(key)),
    changed: keys.flatMap((key) => {
      const [old, next] = [before.get(key), after.get(key)];
      const changes = old && next ? aspects(old, next, newValues.has(key)) : [];
      return changes.length === 0 ? [] : [{ key, changes }];
    }),
    removed: keys.filter((key) => !after.has(key)),
  };
}

export function countChanges({ added, changed, removed }: Differences): number {
  return added.length + changed.length + removed.length;
}

/** Whether two entries would be one variable with several targets. */
export function isAlike(one: Entry, other: Entry): boolean {
  return (
    one.secret === other.secret &&
    one.value === other.value &&
    one.isSensitive === other.isSensitive &&
    one.comment === other.comment
  );
}

/** An entry of one key in an environment. */
export interface Placed {
  readonly environment: string;
  readonly entry: Entry;
}

/**
 * The ids of the entries of one key that are set together, by environment: equal ones share an id. They keep one that they have, where
 * no other entry has it that differs. So entries with one id are always equal. `unchanged` were set to what they were, `rest` are
 * the other entries of the key in the project; a new entry has the id "".
 */
export function shareIds(
  set: readonly Placed[],
  unchanged: readonly Entry[],
  rest: readonly Entry[],
  newId: () => string,
): ReadonlyMap<string, string> {
  const groups: [Placed, ...Placed[]][] = [];
  for (const one of set) {
    const group = groups.find(([first]) => isAlike(first.entry, one.entry));
    if (group) group.push(one);
    else groups.push([one]);
  }
  const others = [...unchanged, ...rest];
  const taken = new Set<string>();
  const ids = new Map<string, string>();
  for (const group of groups) {
    const { entry } = group[0];
    const isFree = (id: string) =>
      id !== "" && !taken.has(id) && others.every((other) => other.id !== id || isAlike(other, entry));
    const known = [...unchanged.filter((other) => isAlike(other, entry)), ...group.map((one) => one.entry)];
    const id = known.map((one) => one.id).find(isFree) ?? newId();
    taken.add(id);
    for (const { environment } of group) ids.set(environment, id);
  }
  return ids;
}
