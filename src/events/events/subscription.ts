// Subscriptions of webhooks: names of event types, in the vocabulary's spelling or in Terraform's, and globs over them.
import { canonicalName, compilePattern, isKnownPattern, unknownPattern } from "./type-pattern.ts";

/** Why a subscription to `pattern` would never match, with suggestions; null when it can match. */
export function checkSubscription(pattern: string): string | null {
  return isKnownPattern(pattern) ? null : unknownPattern(pattern);
}

/**
 * Returns a test of whether a type matches one of `patterns`. A glob matches the vocabulary's spelling of a name. It also matches
 * types that only a newer Reeve on the same database knows.
 */
export function compileSubscription(patterns: readonly string[]): (type: string) => boolean {
  const names = new Set(patterns.map(canonicalName));
  const globs = patterns.filter((pattern) => pattern.includes("*")).map(compilePattern);
  return (type) => names.has(type) || globs.some((matches) => matches(type));
}
