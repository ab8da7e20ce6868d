// Finds rules that probably do not do what is meant: they match more, or nothing, or never get their turn. The API takes them: each can
// be meant. docs/firewall.md says how requests are read.
import { valueDoubts } from "../../../../src/firewall/evaluator/value-doubts.ts";
import type { Condition, Rule, SharedCondition } from "../config-types.ts";
import { valuesOf } from "./rule-words.ts";

/** Comparisons of two conditions, so that a thousand rules of a thousand conditions do not stop the page. */
const MOST_COMPARISONS = 300_000;

type Groups = Rule["conditionGroup"];
interface Meaning {
  readonly subject: string;
  readonly kind: "in" | "pre" | "suf" | "sub" | "re" | "ex" | "other";
  readonly isNegative: boolean;
  readonly values: readonly string[];
}

const KINDS: Readonly<Partial<Record<Condition["op"], readonly [kind: Meaning["kind"], isNegative: boolean]>>> = {
  eq: ["in", false],
  inc: ["in", false],
  list: ["in", false],
  neq: ["in", true],
  ninc: ["in", true],
  ex: ["ex", false],
  nex: ["ex", true],
  pre: ["pre", false],
  suf: ["suf", false],
  sub: ["sub", false],
  re: ["re", false],
};

function meaningOf(condition: Condition): Meaning {
  const { type, op, neg = false, key = "" } = condition;
  const [kind, isNegative] = KINDS[op] ?? (["other", false] as const);
  const values = valuesOf(condition);
  return {
    subject: `${type} ${type === "header" ? key.toLowerCase() : key}${kind === "other" ? ` ${op}` : ""}`,
    kind,
    isNegative: isNegative !== neg,
    values: kind === "re" ? values : values.map((value) => value.toLowerCase()),
  };
}

const HOLDS: Readonly<Record<"pre" | "suf" | "sub", (value: string, part: string) => boolean>> = {
  pre: (value, part) => value.startsWith(part),
  suf: (value, part) => value.endsWith(part),
  sub: (value, part) => value.includes(part),
};

/** Whether a value that is, begins with, ... `value` always meets the other one. */
function valueImplies(from: Meaning["kind"], value: string, to: Meaning["kind"], part: string): boolean {
  if (from === to && value === part) return true;
  if (to !== "pre" && to !== "suf" && to !== "sub") return false;
  return (
    (from === "in" || from === to || (to === "sub" && (from === "pre" || from === "suf"))) && HOLDS[to](value, part)
  );
}

function positiveImplies(one: Meaning, other: Meaning): boolean {
  if (other.kind === "ex") return true;
  return one.values.every((value) => other.values.some((part) => valueImplies(one.kind, value, other.kind, part)));
}

/** Whether a request that meets the one always meets the other. False where that is not plain. */
function implies(one: Meaning, other: Meaning): boolean {
  if (one.subject !== other.subject || one.isNegative !== other.isNegative) return false;
  return one.isNegative ? positiveImplies(other, one) : positiveImplies(one, other);
}

/** What can have one value only, so that two values at once are impossible. */
const SINGLE = new Set(["path", "raw_path", "method", "host", "scheme", "protocol", "geo_country", "geo_continent"]);

function isImpossible(meanings: readonly Meaning[]): boolean {
  return meanings.some(
    (one) =>
      one.kind === "in" &&
      !one.isNegative &&
      SINGLE.has(one.subject.trim()) &&
      meanings.some(
        (other) =>
          other.subject === one.subject &&
          other.kind === "in" &&
          (other.isNegative
            ? one.values.every((value) => other.values.includes(value))
            : one.values.every((value) => !other.values.includes(value))),
      ),
  );
}

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const CLIENT_CHOSEN = new Set(["header", "query", "cookie", "user_agent"]);

/** `.` between letters of an expression about hosts stands for any character. */
const PLAIN_DOT = /(?:^|[^\\])[a-z0-9]\.[a-z]/i;

interface Doubt {
  /** `all` are the conditions of the rule. */
  readonly applies: (condition: Condition, value: string, all: readonly Meaning[]) => boolean;
  /** `bare`: the value without what makes it cover only what is below it. */
  readonly text: (value: string, bare: string) => string;
}

/** An expression for what is below a path, and the path in it: `^/admin/`, `^\/admin\/.*$`. */
const BELOW = /^(?:\(\?[a-z-]+\))?\^((?:\\?\/[\w~-]+)+)\\?\/(?:\.[*+]\$?)?$/;

/** `/admin/` without its end, and `.example.com` without its beginning: what is not below itself. */
function bareOf({ op }: Condition, value: string): string {
  if (op === "re") return (BELOW.exec(value)?.[1] ?? "").replaceAll("\\", "");
  return op === "suf" ? value.replace(/^\./, "") : value.replace(/\/$/, "");
}

/** Whether a condition of the rule names the top of what the value covers. A regular expression may. */
function isTopNamed(condition: Condition, value: string, all: readonly Meaning[]): boolean {
  const { subject } = meaningOf(condition);
  const bare = bareOf(condition, value).toLowerCase();
  return all.some(
    ({ subject: other, kind, values }) =>
      other === subject && (kind === "re" || values.some((part) => valueImplies("in", bare, kind, part))),
  );
}

const onPath = ({ type }: Condition): boolean => type === "path" || type === "target_path" || type === "raw_path";

/** What a value of one condition may do that was not meant. */
const DOUBTS: readonly Doubt[] = [
  {
    applies: (condition, value) =>
      condition.op === "re" && (onPath(condition) || condition.type === "host") && !/^(?:\(\?[a-z-]+\))?\^/.test(value),
    text: (value) => `${value} has no ^ at its beginning, so it is found anywhere in the text.`,
  },
  {
    applies: ({ type, op }, value) => type === "host" && op === "re" && PLAIN_DOT.test(value),
    text: (value) => `In ${value} a dot stands for any character. Write \\. for a dot.`,
  },
  {
    applies: (condition, value) =>
      condition.op === "pre" && onPath(condition) && value.length > 1 && ENDS_IN_WORD.test(value),
    text: (value) =>
      `${value} is also the beginning of longer names, such as ${value}s. To mean it and what is below it, use two groups: path is ${value}, and path begins with ${value}/.`,
  },
  {
    applies: (condition, value, all) =>
      condition.op === "pre" && onPath(condition) && /[^/]\/$/.test(value) && !isTopNamed(condition, value, all),
    text: (value, bare) => `${bare} itself does not begin with ${value}. To mean both, name it too: path is ${bare}.`,
  },
  {
    applies: ({ type, op }, value) => type === "host" && op === "suf" && !value.startsWith("."),
    text: (value) =>
      `Other people’s names can end with ${value}, too. To mean the domain and what is below it, use two groups: host is ${value}, and host ends with .${value}.`,
  },
  {
    applies: (condition, value, all) =>
      condition.op === "re" &&
      onPath(condition) &&
      BELOW.test(value) &&
      !all.some(({ kind, values }) => kind === "in" && values.includes(bareOf(condition, value).toLowerCase())),
    text: (value, bare) => `${bare} itself does not match ${value}. To mean both, write ^${bare}(/|$).`,
  },
  {
    applies: (condition, value, all) =>
      condition.type === "host" &&
      condition.op === "suf" &&
      /^\.[^.]/.test(value) &&
      !isTopNamed(condition, value, all),
    text: (value, bare) => `${bare} itself does not end with ${value}. To mean both, name it too: host is ${bare}.`,
  },
  {
    applies: (condition, value) =>
      (condition.op === "pre" || condition.op === "sub") && onPath(condition) && value === "/",
    text: (value) => `Every path has ${value} in it.`,
  },
];

function doubtsOf(groups: Groups): string[] {
  const all = meaningsOf(groups).flat();
  return groups.flatMap(({ conditions }) =>
    conditions.flatMap((condition) =>
      valuesOf(condition).flatMap((value) =>
        DOUBTS.filter(({ applies }) => applies(condition, value, all)).map(({ text }) =>
          text(value, bareOf(condition, value)),
        ),
      ),
    ),
  );
}

function meaningsOf(groups: Groups): readonly (readonly Meaning[])[] {
  return groups.map(({ conditions }) => conditions.map(meaningOf));
}

/** What values of conditions are, in sentences. */
const valuesDoubted = (conditions: readonly Condition[]) =>
  conditions.flatMap(valueDoubts).map(({ text }) => `${text}.`);

const conditionsOf = (groups: Groups) => groups.flatMap(({ conditions }) => conditions);

/** Doubts about the shared conditions that some conditions name. */
function sharedDoubted(conditions: readonly Condition[], shared: readonly SharedCondition[]): string[] {
  const named = new Set(conditions.flatMap((one) => (one.type === "shared_condition" ? valuesOf(one) : [])));
  return shared
    .filter(({ id }) => named.has(id))
    .flatMap(({ name, conditionGroup }) =>
      valuesDoubted(conditionsOf(conditionGroup)).map((text) => `The shared condition “${name}”: ${text}`),
    );
}

/** Doubts about a rule by itself. */
export function lintRule(
  { conditionGroup: groups, action: { mitigate } }: Pick<Rule, "conditionGroup" | "action">,
  shared: readonly SharedCondition[],
): string[] {
  const meanings = meaningsOf(groups);
  const all = conditionsOf(groups);
  const found = [...doubtsOf(groups), ...valuesDoubted(all), ...sharedDoubted(all, shared)];
  if (groups.length === 0) found.push("It has no conditions, so it matches nothing.");
  meanings.forEach((group, at) => {
    if (isImpossible(group)) found.push(`The conditions of group ${at + 1} cannot hold at once.`);
    const isAll = group.length > 0 && group.every(({ isNegative }) => isNegative);
    if (isAll && mitigate && mitigate.action !== "log" && mitigate.action !== "bypass")
      found.push(`Group ${at + 1} only says what a request is not, so it matches nearly everything.`);
  });
  if (mitigate?.action === "bypass" && all.length > 0 && all.every(({ type }) => CLIENT_CHOSEN.has(type)))
    found.push(
      "A client that knows it can send it: headers, parameters, cookies and user agents are chosen by the client.",
    );
  const keys = mitigate?.rateLimit?.keys ?? [];
  if (keys.length > 0 && keys.every((key) => CLIENT_CHOSEN.has(key.split(":")[0] ?? "")))
    found.push("A client that changes what is counted by is not limited. Add ip.");
  return [...new Set(found)];
}

const ENDING = new Set(["deny", "challenge", "redirect", "bypass"]);

/** The rule before it that ends each group of the rule; null: it has its turn. Both are active. */
function findShadow(
  rule: readonly (readonly Meaning[])[],
  earlier: readonly { readonly name: string; readonly groups: readonly (readonly Meaning[])[] }[],
  budget: { left: number },
): string | null {
  const shadows = rule.map((group) =>
    earlier.find(({ groups }) =>
      groups.some((other) => {
        budget.left -= group.length * other.length;
        return budget.left > 0 && other.every((wanted) => group.some((one) => implies(one, wanted)));
      }),
    ),
  );
  return shadows.length > 0 && shadows.every((shadow) => shadow !== undefined) ? (shadows[0]?.name ?? null) : null;
}

/** Doubts about each rule, by its id. */
export function lintRules(
  rules: readonly Rule[],
  shared: readonly SharedCondition[],
): ReadonlyMap<string, readonly string[]> {
  const budget = { left: MOST_COMPARISONS };
  const earlier: { name: string; groups: readonly (readonly Meaning[])[] }[] = [];
  return new Map(
    rules.map((rule) => {
      const groups = meaningsOf(rule.conditionGroup);
      const shadow = rule.active ? findShadow(groups, earlier, budget) : null;
      const action = rule.action.mitigate?.action ?? "log";
      if (rule.active && ENDING.has(action))
        earlier.push({ name: rule.name, groups: groups.filter((group) => group.length > 0) });
      return [
        rule.id,
        [
          ...lintRule(rule, shared),
          ...(shadow === null
            ? []
            : [`It never gets its turn: “${shadow}” before it decides about all that it matches.`]),
        ],
      ];
    }),
  );
}
