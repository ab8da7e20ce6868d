// Any request is decided without an error, as the naive interpreter decides it, and in time linear in its length.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  CRS_CATEGORIES,
  MANAGED_SETS,
  type Configuration,
  type ConditionType,
  type CrsCategory,
  type Rule,
} from "../../src/firewall/evaluator/config.ts";
import { createCounters } from "../../src/firewall/evaluator/counters.ts";
import { compileConfiguration, decide } from "../../src/firewall/evaluator/evaluator.ts";
import { explain } from "../../src/firewall/evaluator/explain.ts";
import { compileProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";
import type { Decision } from "../../src/firewall/evaluator/decision.ts";
import type { RequestAttributes } from "../../src/firewall/evaluator/request/attributes.ts";
import { ENFORCED } from "../../src/firewall/evaluator/managed.ts";
import { checkScenario, scenarios } from "./agreement.ts";
import { anyConfiguration, storableConfiguration } from "./arbitraries.ts";
import { absurdStart, ATTACKS, hostileRequest } from "./hostile-requests.ts";
import { createNaiveCounters } from "./naive/counters.ts";
import { interpret } from "./naive/interpreter.ts";
import { request, start } from "./requests.ts";

// Shrinking a counterexample may take long.
const LIMIT_MS = 100_000;
const anything = fc.oneof(storableConfiguration, anyConfiguration);

test("hostile requests are decided as the naive interpreter decides them", () => {
  let pairs = 0;
  const fired = new Set<string | null>();
  const decision = ({ by, logged }: Decision) => {
    pairs++;
    for (const { phase, id } of by ? [...logged, by] : logged) if (phase === "managed") fired.add(id);
  };
  fc.assert(
    fc.property(scenarios(anything, hostileRequest, start, 50), (scenario) => checkScenario(scenario, { decision })),
    { numRuns: 400, seed: 7, interruptAfterTimeLimit: LIMIT_MS },
  );
  assert.equal(pairs, 20_000);
  assert.deepEqual(
    ENFORCED.map(({ id }) => id).filter((id) => !fired.has(id)),
    [],
    "sets that no request set off",
  );
});

test("absurd times do not change that", () => {
  fc.assert(
    fc.property(scenarios(anything, request, absurdStart, 50), (scenario) => checkScenario(scenario)),
    { numRuns: 100, seed: 7, interruptAfterTimeLimit: LIMIT_MS },
  );
});

const NOTED = { mitigate: { action: "log" } } as const;

function look(type: ConditionType, key: string | undefined, index: number): Rule {
  const values = ["(?:a+b|/\\.\\.)$", "^.*;.*x$", "%[0-9a-f]{1,40}z"] as const;
  return {
    id: `rule_${index}`,
    name: type,
    active: true,
    conditionGroup: [
      ...values.map((value) => ({ conditions: [{ type, op: "re" as const, value, ...(key && { key }) }] })),
      { conditions: [{ type, op: "sub", value: "\u0130never", ...(key && { key }) }] },
    ],
    action: NOTED,
  };
}

const READS = [
  ["host"],
  ["path"],
  ["raw_path"],
  ["target_path"],
  ["user_agent"],
  ["header", "x-one"],
  ["cookie", "a"],
  ["query", "a"],
] as const;

/** A configuration that evaluates everything and decides nothing. */
const CURIOUS: Configuration = {
  firewallEnabled: true,
  crs: Object.fromEntries(CRS_CATEGORIES.map((name) => [name, { active: true, action: "log" as const }])) as Record<
    CrsCategory,
    { active: true; action: "log" }
  >,
  managedRules: Object.fromEntries(MANAGED_SETS.map((name) => [name, { active: true, action: "log" as const }])),
  rules: [
    ...READS.map(([type, key], index) => look(type, key, index)),
    {
      id: "limit",
      name: "limit",
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/" }] }],
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: {
            algo: "fixed_window",
            window: 60,
            limit: 1_000_000,
            keys: ["ip", "path", "cookie:a", "header:x-one"],
          },
        },
      },
    },
  ],
  ips: [{ id: "ip_1", hostname: "*.example.com", ip: "10.0.0.0/16", action: "log" }],
};

const compiled = compileConfiguration(CURIOUS);
const quiet = compileProtectionContext({ isAttackMode: false, bypasses: [] });

/** Texts of about this length that would make a naive parser backtrack. */
function floods(length: number): ReadonlyMap<string, string> {
  const fill = (part: string) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
  const parts = [
    ..."/ /. /.. /../ /a/.. // % %2 %25 %2f %c0 %ff %e2%84 + = & a=& ;a= ; : @ .. [ ]: \\ ' ( <a < ${ ../ aaaa a;x".split(
      " ",
    ),
    ..." |\t |\r\n|\0|\u0130|\u212a|\u{1f600}|union select |/* |' or '1'='1|<a b=c ".split("|"),
    ...ATTACKS,
  ];
  return new Map(parts.map((part) => [part, fill(part)]));
}

/** A request with the text in every attribute. */
function flooded(text: string): RequestAttributes {
  return {
    url: `https://${text.replace(/[/?#]/g, "")}.example.com/${text.replace(/[?#]/g, "")}?a=${text}`,
    headers: { "User-Agent": text, "x-one": [text, text], Cookie: text, Host: text },
    ip: "10.0.0.1",
    targetPath: text,
    body: text,
  };
}

/** CPU milliseconds of this thread, the lowest of a few runs, so that a busy machine does not matter. */
function time(attributes: RequestAttributes): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const counters = createCounters();
    const before = process.threadCpuUsage();
    decide(compiled, quiet, attributes, counters, 0);
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/** On a busy machine even CPU time is longer now and then: quadratic time exceeds the bound every time. */
const ATTEMPTS = 5;

/** What takes less is not told from the steps in which CPU time is counted. */
const LEAST_MS = 2;

/** A generous bound for linear time: quadratic time would be 64 times as long. */
function assertLinear(name: string, short: RequestAttributes, long: RequestAttributes): void {
  const measured: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [shortMs, longMs] = [time(short), time(long)];
    if (longMs <= 8 * 4 * Math.max(shortMs, LEAST_MS)) return;
    measured.push(`${shortMs.toFixed(2)} ms, ${longMs.toFixed(2)} ms`);
  }
  assert.fail(`${name}: ${measured.join("; ")}`);
}

const LENGTH = 4_000;

test("a request that is eight times as long takes no more than some eight times as long", () => {
  const long = floods(8 * LENGTH);
  for (const [name, text] of floods(LENGTH)) {
    assertLinear(JSON.stringify(name), flooded(text), flooded(long.get(name) as string));
  }
});

test("many headers, cookies and parameters take time linear in their length", () => {
  const many = (count: number): RequestAttributes => ({
    url: `/?${Array.from({ length: count }, (_, index) => `p${index}=${index}`).join("&")}`,
    headers: {
      Cookie: Array.from({ length: count }, (_, index) => `c${index}=${index}`).join(";"),
      "x-one": Array.from({ length: count }, (_, index) => `v${index}`),
      ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, String(index)])),
    },
    rulesets: Array.from({ length: count }, (_, index) => `r${index}`),
  });
  assertLinear("many", many(1_000), many(8_000));
});

test("floods are decided as the naive interpreter decides them", () => {
  for (const [name, text] of floods(300)) {
    const attributes = flooded(text);
    const expected = interpret(CURIOUS, { isAttackMode: false, bypasses: [] }, attributes, createNaiveCounters(), 0);
    assert.deepEqual(decide(compiled, quiet, attributes, createCounters(), 0), expected, JSON.stringify(name));
  }
});

test("half surrogate pairs, empty texts and the names of JavaScript's own members are decided", () => {
  const odd: readonly RequestAttributes[] = [
    { url: "" },
    { url: "\ud800" },
    { url: "/\udc00?\ud800=\udfff", headers: { "\ud83d": "\ude00", Cookie: "\ud800=\udc00" }, body: "\ud800%d8%00" },
    { url: "/", headers: JSON.parse('{"__proto__": "x", "constructor": "y", "toString": ["z"]}') },
    { url: "/?__proto__=1&constructor=2&hasOwnProperty=3", headers: { cookie: "__proto__=1; constructor" } },
    { url: "://", headers: { host: "" }, ip: "", method: "", body: "", rulesets: [""] },
    { url: "//", headers: { host: [], cookie: [] }, rulesets: [] },
    { url: "http://", method: "\u00df" },
  ];
  for (const attributes of odd) {
    const decision = decide(compiled, quiet, attributes, createCounters(), 0);
    assert.deepEqual(explain(compiled, quiet, attributes, createCounters(), 0).decision, decision);
  }
});
