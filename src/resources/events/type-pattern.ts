// Naming event types: exactly, or by glob. What the feed filters by and a webhook subscribes to.
import { nearestName } from "../../kernel/nearest-name.ts";
import { PUBLIC_EVENT_TYPES } from "../../kernel/public-names.ts";
import { EVENT_TYPES } from "./types.ts";
import type { EventType } from "./types.ts";

const MAX_NAME_LENGTH = 64;

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

/** The type that somebody who wrote `name` probably meant; of equals one that happens here. */
export function nearestType(name: string): string | undefined {
  return nearestName(name.slice(0, MAX_NAME_LENGTH), KNOWN_TYPES);
}
