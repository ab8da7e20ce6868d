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

/** An item of the file is the stored one with its id; one without an id is an equal stored one, as the server sees it. */
function diffItems(part: string, before: readonly Item[], after: readonly Item[]): Difference[] {
  const left = new Map(before.map((item, index) => [item, index]));
  const differences: Difference[] = [];
  const kept: number[] = [];
  after.forEach((item, to) => {
    const old = [...left.keys()].find((one) =>
      item.id === undefined ? withoutId(one) === withoutId(item) : one.id === item.id,
    );
    if (old === undefined) differences.push({ kind: "added", part, after: item });
    else {
      const from = left.get(old) ?? 0;
      if (withoutId(old) !== withoutId(item))
        differences.push({ kind: "changed", part, id: old.id ?? "", before: old, after: item });
      if (kept.some((place) => place > from))
        differences.push({ kind: "moved", part, id: old.id ?? "", after: item, from, to });
      kept.push(from);
      left.delete(old);
    }
  });
  return [
    ...[...left.keys()].map((item) => ({ kind: "removed", part, id: item.id ?? "", before: item }) as const),
    ...differences,
  ];
}

const ITEMS: ReadonlySet<string> = new Set(["rules", "ips", "conditions"]);
const items = (value: unknown): readonly Item[] => (Array.isArray(value) ? (value as Item[]) : []);

/** What the file would change. `managedRules` and `crs` that a file leaves out are not compared: the server says what becomes of them. */
export function diffConfig(active: Config | null, file: ConfigFile): readonly Difference[] {
  const before: Members = active ?? { ...FIRST, rules: [] };
  return MEMBERS.flatMap((name): Difference[] => {
    if (ITEMS.has(name)) return diffItems(name, items(before[name]), items(file[name]));
    if (textOf(before[name]) === textOf(file[name]) || file[name] === undefined) return [];
    return [{ kind: "changed", part: name, before: before[name], after: file[name] }];
  });
}
