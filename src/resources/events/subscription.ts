// What a webhook subscribes to: names of the vocabulary, as it spells them or as Terraform does, and globs over them.
import { canonicalName, compilePattern, isKnownPattern, unknownPattern } from "./type-pattern.ts";

/** Why nothing can ever come of subscribing to `pattern`, with what was probably meant; null when something can. */
export function checkSubscription(pattern: string): string | null {
  return isKnownPattern(pattern) ? null : unknownPattern(pattern);
}

/**
 * Which types of events go to who subscribed to `patterns`. A glob fits names as the vocabulary spells them; types that
 * only a newer Reeve on the same database knows fit too.
 */
export function compileSubscription(patterns: readonly string[]): (type: string) => boolean {
  const names = new Set(patterns.map(canonicalName));
  const globs = patterns.filter((pattern) => pattern.includes("*")).map(compilePattern);
  return (type) => names.has(type) || globs.some((fits) => fits(type));
}
