// The managed sets: their tables are data of the evaluator; what a signature reads is said in docs/firewall.md.
import { CRS_CATEGORIES, type Configuration, type ManagedSwitch } from "../../src/evaluator/config.ts";
import { CRS, MANAGED, type Signature, type SignatureSet, type Target } from "../../src/evaluator/managed/sets.ts";
import { valuesOf } from "./naive-conditions.ts";
import { expressionOf } from "./naive-expression.ts";
import { decodeForm, type NaiveRequest } from "./naive-request.ts";

interface Fired {
  readonly set: string;
  readonly signature: string;
  readonly action: "log" | "challenge" | "deny";
}

type RuleGroups = NonNullable<ManagedSwitch["ruleGroups"]>;

const SETS = ["bot_protection", "bot_filter", "ai_bots", "traffic_sources", "vercel_ruleset"] as const;

function valuesOfTarget(target: Target, request: NaiveRequest): readonly string[] {
  switch (target) {
    case "query_names":
      return request.query.map(([name]) => name);
    case "query_values":
      return request.query.map(([, value]) => value);
    case "cookies":
      return request.cookies.map(([, value]) => value);
    case "headers":
      return request.headers.map(([, value]) => value);
    case "body":
      return request.facts.body === undefined ? [] : [request.facts.body, decodeForm(request.facts.body)];
    case "path":
    case "raw_path":
    case "user_agent":
    case "method":
    case "bot_name":
    case "bot_category":
    case "bot_status":
    case "bot_protection":
    case "traffic_source":
      return valuesOf({ type: target }, request);
    default:
      return valuesOf({ type: "header", key: target.slice("header:".length) }, request);
  }
}

function fires({ targets, pattern, isAbsent }: Signature, request: NaiveRequest): boolean {
  const values = targets.flatMap((target) => valuesOfTarget(target, request));
  if (isAbsent) return values.length === 0;
  return pattern !== undefined && values.some((value) => expressionOf(pattern).test(value));
}

/** The active sets that fire, in their order, each with the first of its signatures that does. */
export function findManaged({ managedRules = {}, crs }: Configuration, request: NaiveRequest): readonly Fired[] {
  const active: { set: string; table: SignatureSet; action: Fired["action"]; groups: RuleGroups }[] = [];
  for (const set of SETS) {
    const { active: isActive, action, ruleGroups = {} } = managedRules[set] ?? { active: false };
    if (isActive) {
      active.push({ set, table: MANAGED[set], action: action ?? MANAGED[set].defaultAction, groups: ruleGroups });
    }
  }
  for (const set of CRS_CATEGORIES) {
    const { active: isActive = false, action = "log" } = crs?.[set] ?? {};
    if (isActive && managedRules.owasp?.active !== false) active.push({ set, table: CRS[set], action, groups: {} });
  }
  return active.flatMap(({ set, table, action, groups }) => {
    const first = table.signatures.find(
      (signature) => groups[signature.id]?.active !== false && fires(signature, request),
    );
    return first ? [{ set, signature: first.id, action: groups[first.id]?.action ?? action }] : [];
  });
}
