// Decides what a push of a file changes: only what differs, each value as a secret or a plain value.
import type { Values } from "./formats.ts";

/** An entry of an environment, as the API shows it. */
export interface PresentEntry {
  readonly key: string;
  readonly kind: "secret" | "value";
  readonly value?: string;
  readonly from: string;
  readonly isInherited: boolean;
}

export interface PushRules {
  /** Keys to store as secrets, exact or with `*`; they come before `plain`. */
  readonly secret: readonly string[];
  readonly plain: readonly string[];
  /** Remove own entries that the file does not have. */
  readonly prune: boolean;
}

export interface PushPlan {
  readonly set: Readonly<Record<string, { readonly secretValue: string } | { readonly value: string }>>;
  readonly remove: readonly string[];
  /** Inherited entries that the file does not have, with where they come from: they stay. */
  readonly inherited: readonly PresentEntry[];
}

function fits(key: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => RegExp.escape(part));
    return new RegExp(`^${parts.join(".*")}$`).test(key);
  });
}

/** Those that fit no key: they may be mistyped. */
export function patternsWithoutKey(patterns: readonly string[], keys: Iterable<string>): readonly string[] {
  const all = [...keys];
  return patterns.filter((pattern) => !all.some((key) => fits(key, [pattern])));
}

/** A new entry is a secret, and one that is there keeps its kind, unless a pattern decides. */
function isSecret(key: string, present: PresentEntry | undefined, { secret, plain }: PushRules): boolean {
  if (fits(key, secret)) return true;
  return !fits(key, plain) && present?.kind !== "value";
}

/** `known`: the values that could be read; a secret whose value is not among them is set again. */
export function planPush(
  file: ReadonlyMap<string, string>,
  entries: readonly PresentEntry[],
  known: Values,
  rules: PushRules,
): PushPlan {
  const present = new Map(entries.map((entry) => [entry.key, entry]));
  const set = [...file].flatMap(([key, value]) => {
    const entry = present.get(key);
    const secret = isSecret(key, entry, rules);
    const isSame = Object.hasOwn(known, key) && known[key] === value && (entry?.kind === "secret") === secret;
    return isSame ? [] : [[key, secret ? { secretValue: value } : { value }] as const];
  });
  const absent = rules.prune ? entries.filter(({ key }) => !file.has(key)) : [];
  return {
    set: Object.fromEntries(set),
    remove: absent.filter(({ isInherited }) => !isInherited).map(({ key }) => key),
    inherited: absent.filter(({ isInherited }) => isInherited),
  };
}

export function changesNothing({ set, remove }: PushPlan): boolean {
  return Object.keys(set).length === 0 && remove.length === 0;
}

export const sayInherited = ({ key, from }: PresentEntry): string => `${key} stays: it is inherited from ${from}`;

/** The differences of a file and an environment, without values. */
interface Difference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What a plan changes, by the keys of the entries. */
export function differenceOf({ set, remove }: PushPlan, entries: readonly PresentEntry[]): Difference {
  const present = new Set(entries.map(({ key }) => key));
  const keys = Object.keys(set).toSorted();
  return {
    added: keys.filter((key) => !present.has(key)),
    changed: keys.filter((key) => present.has(key)),
    removed: remove.toSorted(),
  };
}

export function describeDifference({ added, changed, removed }: Difference): string {
  const lines = [
    ...added.map((key) => [key, `+ ${key}  only in the file`]),
    ...changed.map((key) => [key, `~ ${key}  another value`]),
    ...removed.map((key) => [key, `- ${key}  not in the file`]),
  ];
  return lines
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
    .map(([, line]) => line)
    .join("\n");
}
