// What a version holds of its owner's making, and how what is wanted becomes that: ids stay, and what was absent stays absent.
import { CRS_CATEGORIES, MANAGED_SETS } from "../../evaluator/config.ts";
import type {
  CategorySwitch,
  CrsCategory,
  IpEntry,
  ManagedSet,
  ManagedSwitch,
  Rule,
  SharedCondition,
} from "../../evaluator/config.ts";
import { newId } from "../../kernel/ids.ts";
import type { IdKind } from "../../kernel/ids.ts";
import type { StoredMitigation } from "./mitigation-rules.ts";

/** A rule, address or shared condition that has no id of its own yet may come without. */
export type New<T> = Omit<T, "id"> & { readonly id?: string };

/** What is stored has more members than what decides. */
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

/** A switch with who changed it last. */
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

/** What a version holds of its owner's making. What was absent stays absent, but for `crs`, which older clients insist on. */
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

/** Who changes a switch, and when. */
export interface Stamp {
  readonly updatedAt: string;
  readonly userId?: string;
  readonly username: string;
}

const OFF: CategorySwitch = { active: false, action: "log" };

/** All categories: clients refuse a part of them. */
export function wholeCrs(crs: Partial<Crs>): Crs {
  return Object.fromEntries(CRS_CATEGORIES.map((category) => [category, crs[category] ?? OFF])) as Record<
    CrsCategory,
    CategorySwitch
  >;
}

/** A project without a configuration, as a change sees it. */
export const EMPTY: Content = { firewallEnabled: true, crs: wholeCrs({}), rules: [], ips: [] };

/** Whether two parts say the same. Readers write members in one order, so equal parts are equal texts. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The switch with the stamp of whoever changed it: the earlier one when nothing is new. */
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

/** The text of an item without its id: two with the same text are the same item. */
function textOf({ id: _id, ...rest }: { readonly id?: string }): string {
  return JSON.stringify(rest);
}

/** Gives ids to the items that come without: that of an earlier item that says the same, else a new one. */
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

/** The content that a PUT asks for, given the active one. */
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
  // One client sends `{}` for whatever it was given, so that says nothing.
  const isUnsaid = managedRules !== undefined && Object.keys(managedRules).length === 0;
  const managed = isUnsaid
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

/** The members of a content in the one order in which they are stored; what else an object has is left behind. */
export function inOrder(content: Content): Content {
  const entries = ORDER.flatMap((name) => (content[name] === undefined ? [] : [[name, content[name]] as const]));
  return Object.fromEntries(entries) as unknown as Content;
}

/** An item with an id, its own when it has one. */
export function identified<T extends { readonly id: string }>(item: New<T>, kind: IdKind): T {
  const { id = newId(kind), ...rest } = item;
  return { id, ...rest } as unknown as T;
}
