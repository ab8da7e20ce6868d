// Patterns over event types: exact names and globs. The feed's filters and the subscriptions of webhooks use them.
import { nearestNames } from "../../platform/kernel/text/nearest-name.ts";
import { PUBLIC_EVENT_TYPES } from "../../platform/kernel/clients/public-names.ts";
import { TERRAFORM_SPELLINGS } from "../../platform/kernel/clients/public-webhook-names.ts";
import { ALL_TYPES, VOCABULARY } from "./vocabulary.ts";

const MAX_SHOWN_LENGTH = 64;
const MAX_SUGGESTIONS = 3;

/** Globs of all types with a common prefix, such as `team-*` and `deployment.*`. */
const COMMON_GLOBS: readonly string[] = [
  ...new Set(
    ALL_TYPES.flatMap((name) => [...name.matchAll(/[-.]/g)].map(({ index }) => `${name.slice(0, index + 1)}*`)),
  ),
];

/** Names outside the vocabulary that the feed's filter accepts, since public clients send them. */
const FOREIGN_TYPES: readonly string[] = [...PUBLIC_EVENT_TYPES].filter((name) => !VOCABULARY.has(name));

/** Returns a test of whether a whole name matches `pattern`, where `*` is any characters. Linear time, unlike a RegExp. */
export function compilePattern(pattern: string): (name: string) => boolean {
  // Split once, since many names are compared. A run of `*` means the same as one.
  const [first, ...rest] = pattern.split(/\*+/) as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}

/** The vocabulary's spelling of a name that Terraform spells differently; any other name unchanged. */
export function canonicalName(name: string): string {
  return TERRAFORM_SPELLINGS.get(name) ?? name;
}

/** The types of the vocabulary that match one of the patterns. */
export function expandPatterns(patterns: readonly string[]): readonly string[] {
  const compiled = patterns.map((pattern) => compilePattern(canonicalName(pattern)));
  return ALL_TYPES.filter((type) => compiled.some((matches) => matches(type)));
}

/** An error message: no type is called `name`, and the nearest of `candidates`. */
export function unknownName(name: string, candidates: readonly string[]): string {
  const found = nearestNames(name.slice(0, MAX_SHOWN_LENGTH), candidates, MAX_SUGGESTIONS);
  const hint = found.length === 0 ? "" : ` did you mean ${found.map((near) => `"${near}"`).join(", ")}?`;
  const shown = name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}...` : name;
  return `no event is called "${shown}";${hint} GET /v1/events/types lists them all`;
}

/** An error message: `pattern` matches no type of the vocabulary. */
export function unknownPattern(pattern: string): string {
  return unknownName(pattern, pattern.includes("*") ? COMMON_GLOBS : ALL_TYPES);
}

/** Whether `pattern` matches a name of the vocabulary. */
export function isKnownPattern(pattern: string): boolean {
  const name = canonicalName(pattern);
  return VOCABULARY.has(name) || ALL_TYPES.some(compilePattern(name));
}

/** Whether the feed's filter accepts `pattern`: it matches a name of the vocabulary or one that public clients send. */
export function isFilterPattern(pattern: string): boolean {
  return isKnownPattern(pattern) || FOREIGN_TYPES.some(compilePattern(pattern));
}
