// The enforced managed sets: every entry of the package's list is matched with the pattern as the list gives it.
import crawlers from "crawler-user-agents";
import type { Configuration, ManagedSwitch } from "../../../src/firewall/evaluator/config.ts";
import { valuesOf } from "./conditions.ts";
import type { NaiveRequest } from "./request.ts";

type Action = NonNullable<ManagedSwitch["action"]>;

interface Fired {
  readonly set: string;
  readonly tag: string;
  readonly action: Action;
}

/** Copied from docs/firewall.md. */
const SETS = [
  { set: "bot_protection", usual: "challenge", tags: ["http-library", "browser-automation"] },
  { set: "bot_filter", usual: "challenge", tags: ["seo", "archiver", "scanner"] },
  { set: "ai_bots", usual: "deny", tags: ["ai-crawler"] },
] as const;

const LISTED = (crawlers as readonly { readonly pattern: string; readonly tags?: readonly string[] }[]).map(
  ({ pattern, tags = [] }) => ({ expression: new RegExp(pattern), tags }),
);

/** The active sets that match, in order, each with the first of its tags that matches. */
export function findManaged({ managedRules = {} }: Configuration, request: NaiveRequest): readonly Fired[] {
  if (!SETS.some(({ set }) => managedRules[set]?.active)) return [];
  const agents = valuesOf({ type: "user_agent" }, request);
  const matching = LISTED.filter(({ expression }) => agents.some((agent) => expression.test(agent)));
  const found = new Set(matching.flatMap(({ tags }) => tags));
  return SETS.flatMap(({ set, usual, tags }) => {
    const { active, action = usual, ruleGroups = {} } = managedRules[set] ?? { active: false };
    const first = active && tags.find((tag) => found.has(tag) && ruleGroups[tag]?.active !== false);
    return first ? [{ set, tag: first, action: ruleGroups[first]?.action ?? action }] : [];
  });
}
