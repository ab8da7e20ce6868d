// The content of a version, which its owner defines, and how a PUT becomes content: ids are preserved, and absent members stay
// absent.
import { CRS_CATEGORIES, MANAGED_SETS } from "../evaluator/config.ts";
import type {
  CategorySwitch,
  CrsCategory,
  IpEntry,
  ManagedSet,
  ManagedSwitch,
  Rule,
  SharedCondition,
} from "../evaluator/config.ts";
import { newId } from "../../platform/kernel/ids.ts";
import type { IdKind } from "../../platform/kernel/ids.ts";
import type { StoredMitigation } from "./mitigation-rules.ts";

/** An item of a request: a new one may lack an id. */
export type New<T> = Omit<T, "id"> & { readonly id?: string };

/** Stored rules have more members than the evaluator reads. */
export interface StoredRule extends Rule {
  readonly description?: string | null;
  readonly action: { readonly mitigate?: StoredMitigation };
}
export type NewRule = New<StoredRule>;

export interface StoredAddress extends IpEntry {
  readonly notes?: string | null;
}
export type NewAddress = New<StoredAddress>;

export interface StoredShared extends SharedCondition {
  readonly description?: string | null;
}

export type Crs = Readonly<Record<CrsCategory, CategorySwitch>>;

/** A switch with the time and the author of its last change. */
export interface StampedSwitch extends ManagedSwitch {
  readonly updatedAt: string;
  readonly userId?: string;
  readonly username: string;
}
export type ManagedSwitches = Readonly<Partial<Record<ManagedSet, ManagedSwitch>>>;
export type StampedSwitches = Readonly<Partial<Record<ManagedSet, StampedSwitch>>>;

interface Switches {
  readonly botIdEnabled?: boolean;
  readonly logHeaders?: string | readonly string[];
  readonly ja3Enabled?: boolean;
  readonly ja4Enabled?: boolean;
  readonly rulesets?: unknown;
}

/** The content of a version. Absent members stay absent, except `crs`, which older clients require. */
export interface Content extends Switches {
  readonly firewallEnabled: boolean;
  readonly crs: Crs;
  readonly managedRules?: StampedSwitches;
  readonly rules: readonly StoredRule[];
  readonly ips: readonly StoredAddress[];
  readonly conditions?: readonly StoredShared[];
}

/** The body of a PUT. */
export interface RequestedConfig extends Switches {
  readonly firewallEnabled: boolean;
  readonly crs?: Partial<Crs> | null;
  readonly managedRules?: ManagedSwitches;
  readonly rules?: readonly NewRule[];
  readonly ips?: readonly NewAddress[];
  readonly conditions?: readonly New<StoredShared>[];
  readonly note?: string | null;
  readonly expectedVersion?: number;
}

/** The author and the time of a change. */
export interface Stamp {
  readonly updatedAt: string;
  readonly userId?: string;
  readonly username: string;
}

const OFF: CategorySwitch = { active: false, action: "log" };

/** Completes the categories: clients reject an object with only some of them. */
export function wholeCrs(crs: Partial<Crs>): Crs {
  return Object.fromEntries(CRS_CATEGORIES.map((category) => [category, crs[category] ?? OFF])) as Record<
    CrsCategory,
    CategorySwitch
  >;
}

/** The content that the first change of a project starts from. */
export const EMPTY: Content = { firewallEnabled: true, crs: wholeCrs({}), rules: [], ips: [] };

/** Compares by JSON: parsers write members in one order, so equal values have equal texts. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Stamps a switch. An unchanged switch keeps its stamp. */
export function stampSwitch(
  requested: ManagedSwitch,
  previous: StampedSwitch | undefined,
  stamp: Stamp,
): StampedSwitch {
  if (previous) {
    const { updatedAt: _updatedAt, userId: _userId, username: _username, ...before } = previous;
    if (isSame(before, requested)) return previous;
  }
  return { ...requested, ...stamp };
}

function stampSwitches(requested: ManagedSwitches, previous: StampedSwitches, stamp: Stamp): StampedSwitches {
  const given = MANAGED_SETS.flatMap((set) => {
    const one = requested[set];
    return one ? [[set, stampSwitch(one, previous[set], stamp)] as const] : [];
  });
  return Object.fromEntries(given);
}

/** The JSON of an item without its id, by which equal items are found. */
function textOf({ id: _id, ...rest }: { readonly id?: string }): string {
  return JSON.stringify(rest);
}

/** Gives ids to items without one: the id of an equal item of the previous content, else a new id. */
function withIds<T extends { readonly id: string }>(
  requested: readonly New<T>[],
  previous: readonly T[],
  kind: IdKind,
): readonly T[] {
  if (requested.every(({ id }) => id !== undefined)) return requested as unknown as readonly T[];
  const given = new Set(requested.map(({ id }) => id));
  const free = new Map<string, string[]>();
  for (const item of previous.toReversed()) {
    if (given.has(item.id)) continue;
    const text = textOf(item);
    free.set(text, [...(free.get(text) ?? []), item.id]);
  }
  return requested.map((item) => {
    const { id = free.get(textOf(item))?.pop() ?? newId(kind), ...rest } = item;
    return { id, ...rest } as unknown as T;
  });
}

/** Makes the content that a PUT requests, given the active content. */
export function replaceContent(requested: RequestedConfig, active: Content, stamp: Stamp): Content {
  const {
    note: _note,
    expectedVersion: _expectedVersion,
    crs,
    managedRules,
    rules = [],
    ips = [],
    ...rest
  } = requested;
  const { conditions, firewallEnabled, ...switches } = rest;
  // One client sends `{}` whatever it received, so `{}` changes nothing.
  const isUnchanged = managedRules !== undefined && Object.keys(managedRules).length === 0;
  const managed = isUnchanged
    ? active.managedRules
    : managedRules && stampSwitches(managedRules, active.managedRules ?? {}, stamp);
  return inOrder({
    firewallEnabled,
    crs: wholeCrs(crs ?? {}),
    ...(managed && { managedRules: managed }),
    rules: withIds(rules, active.rules, "firewallRule"),
    ips: withIds(ips, active.ips, "firewallAddress"),
    ...(conditions && { conditions: withIds(conditions, active.conditions ?? [], "sharedCondition") }),
    ...switches,
  });
}

const ORDER = [
  "firewallEnabled",
  "crs",
  "rules",
  "ips",
  "managedRules",
  "botIdEnabled",
  "logHeaders",
  "ja3Enabled",
  "ja4Enabled",
  "conditions",
  "rulesets",
] as const satisfies readonly (keyof Content)[];

/** Puts the members in the order in which they are stored. Drops unknown members. */
export function inOrder(content: Content): Content {
  const entries = ORDER.flatMap((name) => (content[name] === undefined ? [] : [[name, content[name]] as const]));
  return Object.fromEntries(entries) as unknown as Content;
}

/** Gives an item a new id unless it has one. */
export function identified<T extends { readonly id: string }>(item: New<T>, kind: IdKind): T {
  const { id = newId(kind), ...rest } = item;
  return { id, ...rest } as unknown as T;
}
