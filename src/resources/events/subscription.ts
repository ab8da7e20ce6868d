// What a webhook subscribes to: names of the vocabulary, as it spells them or as Terraform does, and globs over them.
import { canonicalName, isKnownPattern, matchesPattern, unknownPattern } from "./type-pattern.ts";

/** Why nothing can ever come of subscribing to `pattern`, with what was probably meant; null when something can. */
export function checkSubscription(pattern: string): string | null {
  return isKnownPattern(pattern) ? null : unknownPattern(pattern);
}

/**
 * Does an event of this type go to who subscribed to `patterns`? In linear time. A glob fits names as the vocabulary
 * spells them; types that only a newer Reeve on the same database knows fit too.
 */
export function matchesSubscription(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matchesPattern(canonicalName(pattern), type));
}
