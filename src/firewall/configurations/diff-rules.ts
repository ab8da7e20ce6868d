// Computes the differences between two contents.
import type { Content } from "./content-rules.ts";
import { isSame } from "./content-rules.ts";

export interface Difference {
  readonly kind: "added" | "removed" | "changed" | "moved";
  /** A member of the configuration. */
  readonly part: keyof Content;
  /** The id of a rule, address entry or shared condition, or the name of a category or managed set. */
  readonly id?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The positions of a moved item before and after, from 0. */
  readonly from?: number;
  readonly to?: number;
}

type Item = { readonly id: string };

/**
 * The smallest set of indexes whose items have to move so that the remaining positions are ascending. The remaining ones are
 * a longest increasing subsequence, found by patience sorting. All positions differ.
 */
function outOfOrder(positions: readonly number[]): ReadonlySet<number> {
  const tops: number[] = [];
  const before: (number | undefined)[] = [];
  const at: number[] = [];
  positions.forEach((position, index) => {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle] as number) < position) low = middle + 1;
      else high = middle;
    }
    tops[low] = position;
    at[low] = index;
    before[index] = low === 0 ? undefined : at[low - 1];
  });
  const inOrder = new Set<number>();
  for (let index = at.at(-1); index !== undefined; index = before[index]) inOrder.add(index);
  return new Set(positions.keys().filter((index) => !inOrder.has(index)));
}

function diffItems(part: keyof Content, before: readonly Item[], after: readonly Item[]): Difference[] {
  const old = new Map(before.map((item, index) => [item.id, { item, index }]));
  const kept = after.filter(({ id }) => old.has(id));
  const left = new Set(after.map(({ id }) => id));
  const moved = outOfOrder(kept.map(({ id }) => old.get(id)?.index ?? 0));
  const movedIds = new Set(kept.filter((_, index) => moved.has(index)).map(({ id }) => id));
  return [
    ...before
      .filter(({ id }) => !left.has(id))
      .map((item) => ({ kind: "removed", part, id: item.id, before: item }) as const),
    ...after.flatMap((item, to): Difference[] => {
      const { id } = item;
      const known = old.get(id);
      if (!known) return [{ kind: "added", part, id, after: item }];
      return [
        ...(isSame(known.item, item) ? [] : [{ kind: "changed", part, id, before: known.item, after: item } as const]),
        ...(movedIds.has(id) ? [{ kind: "moved", part, id, after: item, from: known.index, to } as const] : []),
      ];
    }),
  ];
}

function difference(part: keyof Content, before: unknown, after: unknown, id?: string): Difference[] {
  if (isSame(before, after)) return [];
  const named = { part, ...(id !== undefined && { id }) };
  if (before === undefined) return [{ kind: "added", ...named, after }];
  if (after === undefined) return [{ kind: "removed", ...named, before }];
  return [{ kind: "changed", ...named, before, after }];
}

/** Differences of a part whose members have names. */
function diffMembers(part: keyof Content, before: object = {}, after: object = {}): Difference[] {
  const [old, next] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...names].flatMap((name) => difference(part, old[name], next[name], name));
}

const ITEMS = ["rules", "ips", "conditions"] as const;
const MEMBERS = ["crs", "managedRules"] as const;
const WHOLE = ["firewallEnabled", "botIdEnabled", "logHeaders", "ja3Enabled", "ja4Enabled", "rulesets"] as const;

/** The differences that turn `before` into `after`. */
export function diffContents(before: Content, after: Content): Difference[] {
  return [
    ...WHOLE.flatMap((part) => difference(part, before[part], after[part])),
    ...MEMBERS.flatMap((part) => diffMembers(part, before[part], after[part])),
    ...ITEMS.flatMap((part) =>
      // An empty list differs from an absent one.
      before[part]?.length || after[part]?.length
        ? diffItems(part, before[part] ?? [], after[part] ?? [])
        : difference(part, before[part], after[part]),
    ),
  ];
}
