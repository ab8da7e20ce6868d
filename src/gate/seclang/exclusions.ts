// Rules of a configuration that exempt requests from rules of the core rule set: `bypass` with a condition on `ruleset`, which names
// what is left out, or with `bypassSystem`, which leaves out everything. What cannot be said exactly is not rendered: an exclusion that
// covers more than was meant lets attacks through.
import { PROSE } from "../../firewall/evaluator/config.ts";
import type { Condition, Configuration, Rule } from "../../firewall/evaluator/config.ts";
import { formatNetwork, networkAddress, parseNetwork } from "../../platform/kernel/network/network.ts";
import { UNREADABLE, rulesNamed } from "./categories.ts";
import { PROSE_ACTIONS, PROSE_LINES } from "./prose.ts";

export interface Exclusions {
  /** Lines of SecLang. */
  readonly lines: readonly string[];
  /** Why a rule is not rendered, for the operator. */
  readonly notes: readonly string[];
}

/** Of all rules: each is tried on every request. */
const MAX_CHAINS = 1_000;
const FIRST_ID = 87_200;
const withoutRule = (ids: string) => `ctl:ruleRemoveById=${ids}`;
const EVERYTHING = [rulesNamed("crs") as string, ...[...UNREADABLE.keys()].map(String)].map(withoutRule);

/** The path has one spelling only, so that no other path is taken for it. */
const PLAIN_PATH = String.raw`SecRule REQUEST_URI_RAW "@rx ^(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?(?:\?|$)"`;
const PATH = /^\/[A-Za-z0-9._~/-]*$/;
const HOST = /^[A-Za-z0-9.-]{1,253}$/;
const METHOD = /^[A-Za-z]{1,20}$/;

const escapeDots = (value: string) => value.replaceAll(".", String.raw`\.`);
const anyOf = (values: readonly string[]) => `(?:${values.map(escapeDots).join("|")})`;

function textsOf({ value = [] }: Condition): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

const networkOf = (text: string) => parseNetwork(text);

/** The tests that stand for a condition; null: SecLang cannot say it exactly. */
function testsOf(condition: Condition): readonly string[] | null {
  const { type, op, neg } = condition;
  const values = textsOf(condition);
  const isEqual = op === "eq" || op === "inc" || op === "list";
  const isPrefix = type === "path" && op === "pre";
  if (neg || values.length === 0 || !(isEqual || isPrefix)) return null;
  const areAll = (pattern: RegExp) => values.every((value) => pattern.test(value));
  if (type === "path" && areAll(PATH)) {
    const end = isPrefix ? "" : String.raw`(?:\?|$)`;
    return [`SecRule REQUEST_URI_RAW "@rx (?i)^${anyOf(values)}${end}"`, PLAIN_PATH];
  }
  if (type === "host" && areAll(HOST)) {
    // The host that the web server chose. libmodsecurity before 3.0.13 takes the Host header, which deploy/gate/nginx.conf makes the same.
    return [String.raw`SecRule SERVER_NAME "@rx (?i)^${anyOf(values)}\.?(?::[0-9]*)?$"`];
  }
  if (type === "method" && areAll(METHOD)) return [`SecRule REQUEST_METHOD "@rx (?i)^${anyOf(values)}$"`];
  if (type === "ip_address") {
    const networks = values.map(networkOf).filter((network) => network !== null);
    if (networks.length !== values.length) return null;
    const shown = networks.map((network) => formatNetwork(networkAddress(network)));
    return [`SecRule REMOTE_ADDR "@ipMatch ${shown.join(",")}"`];
  }
  return null;
}

const isRuleset = ({ type }: Condition) => type === "ruleset";

/** What leaves out the rules that a name stands for; null: it stands for none. */
function exemptionFrom(name: string): readonly string[] | null {
  if (name === "crs") return EVERYTHING;
  if (name === PROSE) return PROSE_ACTIONS;
  const ids = rulesNamed(name);
  return ids === null ? null : [withoutRule(ids)];
}

/** What leaves out the rules that a group names; null: its names are not understood. */
function exemptionOf(conditions: readonly Condition[]): readonly string[] | null {
  const named = conditions.filter(isRuleset);
  if (named.length === 0) return EVERYTHING;
  const [only] = named;
  const isPlain = named.length === 1 && only && !only.neg && ["eq", "inc", "list"].includes(only.op);
  if (!isPlain) return null;
  const actions = textsOf(only).map(exemptionFrom);
  return actions.length === 0 || actions.includes(null) ? null : (actions.flat() as string[]);
}

function renderGroup(conditions: readonly Condition[], id: number): readonly string[] | null {
  const actions = exemptionOf(conditions);
  const tests = conditions.filter((condition) => !isRuleset(condition)).map(testsOf);
  if (!actions || conditions.length === 0 || tests.includes(null)) return null;
  const chain = tests.flat() as string[];
  const without = actions.join(",");
  const first = `id:${id},phase:1,pass,nolog`;
  if (chain.length === 0) return [`SecAction "${first},${without}"`];
  return chain.map((test, at) => {
    const start = at === 0 ? `${first},t:none` : "t:none";
    return `${test} "${start},${at === chain.length - 1 ? without : "chain"}"`;
  });
}

const hasRuleset = ({ conditionGroup }: Rule) => conditionGroup.some(({ conditions }) => conditions.some(isRuleset));

/** A group without a condition on `ruleset` bypasses the managed rules with `bypassSystem` alone. */
function groupsOf({ action: { mitigate }, conditionGroup }: Rule) {
  const groups = conditionGroup.map(({ conditions }) => conditions);
  return mitigate?.bypassSystem ? groups : groups.filter((conditions) => conditions.some(isRuleset));
}

export function renderExclusions({ rules }: Pick<Configuration, "rules">): Exclusions {
  const lines: string[] = [];
  const notes: string[] = [];
  let chains = 0;
  const exempting = rules.filter(
    (rule) =>
      rule.active &&
      rule.action.mitigate?.action === "bypass" &&
      (rule.action.mitigate.bypassSystem || hasRuleset(rule)),
  );
  for (const rule of exempting) {
    for (const conditions of groupsOf(rule)) {
      const rendered = chains < MAX_CHAINS ? renderGroup(conditions, FIRST_ID + chains) : null;
      if (rendered) {
        lines.push(...rendered);
        chains++;
      } else if (!notes.some((note) => note.startsWith(`rule ${rule.id} `))) {
        notes.push(
          `rule ${rule.id} (${rule.name}) exempts no request from the core rule set: expected path, host, method or ip_address with ` +
            `eq, inc or list (path also pre) and plain values, a ruleset of categories, ids of rules or ${PROSE}, and ${MAX_CHAINS} groups at most`,
        );
      }
    }
  }
  const isProse = lines.some((line) => line.includes(PROSE_ACTIONS.join()));
  return { lines: isProse ? [...PROSE_LINES, ...lines] : lines, notes };
}
