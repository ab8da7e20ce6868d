// Naming event types: exactly, or by glob. What the feed filters by and a webhook subscribes to.
import { nearestNames } from "../../kernel/text/nearest-name.ts";
import { PUBLIC_EVENT_TYPES } from "../../kernel/clients/public-names.ts";
import { TERRAFORM_SPELLINGS } from "../../kernel/clients/public-webhook-names.ts";
import { ALL_TYPES, VOCABULARY } from "./vocabulary.ts";

const MAX_SHOWN_LENGTH = 64;
const MAX_SUGGESTIONS = 3;

/** What fits all that begins with a word, as `team-*` and `deployment.*`. */
const COMMON_GLOBS: readonly string[] = [
  ...new Set(
    ALL_TYPES.flatMap((name) => [...name.matchAll(/[-.]/g)].map(({ index }) => `${name.slice(0, index + 1)}*`)),
  ),
];

/** Names that the feed may be asked for beside those of the vocabulary: clients know them from elsewhere. */
const FOREIGN_TYPES: readonly string[] = [...PUBLIC_EVENT_TYPES].filter((name) => !VOCABULARY.has(name));

/** Which names `pattern` fits as a whole; `*` in it stands for any characters. In linear time, unlike a RegExp. */
export function compilePattern(pattern: string): (name: string) => boolean {
  // Read once, since it is compared with many names: runs of `*` say no more than one.
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

/** A name as the vocabulary spells it; whatever is not spelled otherwise elsewhere stays as it is. */
export function canonicalName(name: string): string {
  return TERRAFORM_SPELLINGS.get(name) ?? name;
}

/** Types of the vocabulary that fit one of the patterns. */
export function expandPatterns(patterns: readonly string[]): readonly string[] {
  const compiled = patterns.map((pattern) => compilePattern(canonicalName(pattern)));
  return ALL_TYPES.filter((type) => compiled.some((fits) => fits(type)));
}

/** For people: that nothing is called `name`, and which of `candidates` was probably meant. */
export function unknownName(name: string, candidates: readonly string[]): string {
  const found = nearestNames(name.slice(0, MAX_SHOWN_LENGTH), candidates, MAX_SUGGESTIONS);
  const hint = found.length === 0 ? "" : ` did you mean ${found.map((near) => `"${near}"`).join(", ")}?`;
  const shown = name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}...` : name;
  return `no event is called "${shown}";${hint} GET /v1/events/types lists them all`;
}

/** For people: that nothing of the vocabulary fits `pattern`. */
export function unknownPattern(pattern: string): string {
  return unknownName(pattern, pattern.includes("*") ? COMMON_GLOBS : ALL_TYPES);
}

/** Does `pattern` fit a name of the vocabulary? */
export function isKnownPattern(pattern: string): boolean {
  const name = canonicalName(pattern);
  return VOCABULARY.has(name) || ALL_TYPES.some(compilePattern(name));
}

/** Does it fit a name of the vocabulary, or one that clients of the feed know from elsewhere? */
export function isAskedFor(pattern: string): boolean {
  return isKnownPattern(pattern) || FOREIGN_TYPES.some(compilePattern(pattern));
}
