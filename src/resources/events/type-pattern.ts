// Naming event types: exactly, or by glob. What the feed filters by and a webhook subscribes to.
import { PUBLIC_EVENT_TYPES } from "../../kernel/public-names.ts";
import { EVENT_TYPES } from "./types.ts";
import type { EventType } from "./types.ts";

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES) as readonly EventType[];

/** Names that may be asked for: those that are emitted here, and those that clients know from elsewhere. */
const KNOWN_TYPES: readonly string[] = [...new Set([...ALL_EVENT_TYPES, ...PUBLIC_EVENT_TYPES])];

/** Does `pattern`, in which `*` stands for any characters, fit the whole of `name`? In linear time, unlike a RegExp. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first, ...rest] = pattern.split("*") as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** Types that are emitted here and fit one of the patterns; those that never happen here may be asked for too. */
export function expandPatterns(patterns: readonly string[]): readonly EventType[] {
  return ALL_EVENT_TYPES.filter((type) => patterns.some((pattern) => matchesPattern(pattern, type)));
}

export function isKnownPattern(pattern: string): boolean {
  return KNOWN_TYPES.some((name) => matchesPattern(pattern, name));
}

/** Levenshtein's distance: the least number of characters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1));
    }
  }
  return row[b.length] as number;
}

/** The type that somebody who wrote `name` most probably meant; of equals one that happens here. */
export function nearestType(name: string): string {
  let nearest = "";
  let least = Infinity;
  for (const type of KNOWN_TYPES) {
    const distance = editDistance(name.slice(0, 64), type);
    if (distance < least) [nearest, least] = [type, distance];
  }
  return nearest;
}
