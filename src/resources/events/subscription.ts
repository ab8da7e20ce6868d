// What a webhook subscribes to: names of the vocabulary, as it spells them or as Terraform does, and globs over them.
import { TERRAFORM_SPELLINGS } from "../../kernel/public-webhook-names.ts";
import { isKnownPattern, matchesPattern, unknownPattern } from "./type-pattern.ts";

/** How Terraform spells a name, where it does so otherwise. */
const TERRAFORM_SPELLING_OF: ReadonlyMap<string, string> = new Map(
  [...TERRAFORM_SPELLINGS].map(([spelling, name]) => [name, spelling]),
);

/** Why nothing can ever come of subscribing to `pattern`, with what was probably meant; null when something can. */
export function checkSubscription(pattern: string): string | null {
  return isKnownPattern(pattern) ? null : unknownPattern(pattern);
}

/**
 * Does an event of this type go to who subscribed to `patterns`? In linear time. A glob fits names as the vocabulary
 * spells them; types that only a newer Reeve on the same database knows fit too.
 */
export function matchesSubscription(patterns: readonly string[], type: string): boolean {
  if (patterns.includes(type)) return true;
  const spelling = TERRAFORM_SPELLING_OF.get(type);
  if (spelling !== undefined && patterns.includes(spelling)) return true;
  return patterns.some((pattern) => pattern.includes("*") && matchesPattern(pattern, type));
}
