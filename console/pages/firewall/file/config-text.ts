// A configuration as the text of a file, as `PUT /v1/firewalls` takes it, and what such a text changes.

import type { Config, Difference } from "../config-types.ts";

/** What a file has; the rest of a response says where and when the configuration was stored. */
const MEMBERS = [
  "firewallEnabled",
  "rules",
  "ips",
  "conditions",
  "managedRules",
  "crs",
  "botIdEnabled",
  "logHeaders",
  "ja3Enabled",
  "ja4Enabled",
  "rulesets",
] as const satisfies readonly (keyof Config)[];

type Members = Readonly<Record<string, unknown>>;
export type ConfigFile = Members;

/** What a project without a configuration begins with. */
const FIRST: Members = { firewallEnabled: true, rules: [], ips: [] };

export function configText(config: Config | null): string {
  const from: Members = config ?? FIRST;
  return `${JSON.stringify(Object.fromEntries(MEMBERS.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))), null, 2)}\n`;
}

/** Reads a text. Throws what is wrong with it. */
export function readConfigText(text: string): ConfigFile {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as ConfigFile;
  throw new Error("");
}

/** As JSON with its members in one order: files are written by people and programs. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
}

const textOf = (value: unknown): string => JSON.stringify(ordered(value));

interface Item {
  readonly id?: string;
}

function withoutId({ id: _id, ...rest }: Item): string {
  return textOf(rest);
}

/** Positions by a text, taken from the first to the last. */
function groupPositions(texts: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [at, text] of texts.entries()) positions.set(text, [...(positions.get(text) ?? []), at]);
  return positions;
}

/** An item of the file is the stored one with its id; one without an id is an equal stored one, as the server sees it. */
function diffItems(part: string, before: readonly Item[], after: readonly Item[]): Difference[] {
  const texts = before.map(withoutId);
  const byId = groupPositions(before.map(({ id }) => id ?? ""));
  const byText = groupPositions(texts);
  const left = new Set(before.keys());
  const take = (positions: readonly number[] = []): number | undefined => positions.find((at) => left.has(at));
  const differences: Difference[] = [];
  let last = -1;
  for (const [to, item] of after.entries()) {
    const text = withoutId(item);
    const from = item.id === undefined ? take(byText.get(text)) : take(byId.get(item.id));
    const old = from === undefined ? undefined : before[from];
    if (from === undefined || old === undefined) {
      differences.push({ kind: "added", part, after: item });
      continue;
    }
    const id = old.id ?? "";
    if (texts[from] !== text) differences.push({ kind: "changed", part, id, before: old, after: item });
    if (from < last) differences.push({ kind: "moved", part, id, after: item, from, to });
    last = Math.max(last, from);
    left.delete(from);
  }
  const removed = [...left].map((at): Difference => {
    const item = before[at] ?? {};
    return { kind: "removed", part, id: item.id ?? "", before: item };
  });
  return [...removed, ...differences];
}

const ITEMS: ReadonlySet<string> = new Set(["rules", "ips", "conditions"]);
/** Those of a list that are objects: the server says what is wrong with the others. */
function items(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value.filter((item): item is Item => typeof item === "object" && item !== null) : [];
}

/** What the file would change. `managedRules` and `crs` that a file leaves out are not compared: the server says what becomes of them. */
export function diffConfig(active: Config | null, file: ConfigFile): readonly Difference[] {
  const before: Members = active ?? { ...FIRST, rules: [] };
  return MEMBERS.flatMap((name): Difference[] => {
    if (ITEMS.has(name)) return diffItems(name, items(before[name]), items(file[name]));
    if (textOf(before[name]) === textOf(file[name]) || file[name] === undefined) return [];
    return [{ kind: "changed", part: name, before: before[name], after: file[name] }];
  });
}
