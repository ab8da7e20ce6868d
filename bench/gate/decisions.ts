// What one decision takes within the process, by the number of rules, and the longest that any accepted configuration takes.
import { createCounters } from "../../src/firewall/evaluator/counters.ts";
import type { Condition, Rule } from "../../src/firewall/evaluator/config.ts";
import { TimeLimitError } from "../../src/firewall/evaluator/time-limit.ts";
import { compileProtection } from "../../src/gate/protection.ts";
import type { Protection } from "../../src/gate/protection.ts";
import { ROUNDS } from "../scenarios.ts";
import { atMost, finding, spreadRow } from "../table.ts";
import type { Table } from "../table.ts";

const SIZES = [10, 100, 1_000] as const;
const DECISIONS = 5_000;
const MOST_US = 5;
const MOST_EVER_MS = 5;

/** As people write them: paths, addresses, programs, headers, countries and a few expressions, each with another value. */
function conditionsOf(at: number): Condition[] {
  const kinds: readonly Condition[][] = [
    [{ type: "path", op: "pre", value: `/admin-${at}` }],
    [
      { type: "path", op: "eq", value: `/p/${at}` },
      { type: "method", op: "eq", value: "POST" },
    ],
    [{ type: "user_agent", op: "sub", value: `bot-${at}` }],
    [{ type: "ip_address", op: "inc", value: [`10.${at % 250}.0.0/16`, `192.0.2.${at % 250}`] }],
    [{ type: "query", op: "re", key: "q", value: `(?:union|select)\\s+column_${at}` }],
    [{ type: "header", op: "eq", key: `x-header-${at}`, value: "1" }],
    [{ type: "path", op: "re", value: `^/api/v${at}/.*\\.php$` }],
    [{ type: "cookie", op: "ex", key: `cookie-${at}` }],
    [{ type: "path", op: "suf", value: `.${at}.bak` }],
    [{ type: "host", op: "eq", value: `host-${at}.test` }],
  ];
  return kinds[at % kinds.length] as Condition[];
}

export function ruleOf(at: number, conditions = conditionsOf(at)): Rule {
  const name = `rule ${at}`;
  return {
    id: `rule_${at}`,
    name,
    active: true,
    conditionGroup: [{ conditions }],
    action: { mitigate: { action: "deny" } },
  };
}

const HEADERS = {
  host: "shop.test",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "accept-language": "en-US,en;q=0.9",
  "accept-encoding": "gzip, deflate, br",
  cookie: "session=0123456789abcdef; theme=dark",
};

export const requestOf = (at: number, path = `/shop/items/${at}`) => ({
  url: `https://shop.test${path}?q=red+shoes&page=${at}`,
  method: "GET",
  headers: HEADERS,
  ip: `203.0.113.${at}`,
});

export async function protect(rules: readonly Rule[]): Promise<Protection> {
  return await compileProtection(
    {
      ownerId: "team",
      projectId: "shop",
      configuration: { version: 1, firewallEnabled: true, rules, ips: [] },
      attackMode: { isEnabled: false, activeUntil: null },
      bypasses: [],
      bypassRules: [],
      challengeKeys: [],
    },
    Date.now(),
  );
}

/** us for one, in each round. */
async function timesOf(rules: readonly Rule[]): Promise<number[]> {
  const protection = await protect(rules);
  const counters = createCounters();
  const requests = Array.from({ length: 64 }, (_, at) => requestOf(at));
  const times: number[] = [];
  for (let round = 0; round < 3 * ROUNDS; round++) {
    const startedAt = performance.now();
    for (let at = 0; at < DECISIONS; at++) protection.decide(requests[at % 64] as (typeof requests)[0], counters, 0);
    times.push(((performance.now() - startedAt) * 1_000) / DECISIONS);
  }
  // The first are compiled as they run.
  return times.slice(ROUNDS);
}

/** CPU of the decision in ms, whether it was given up or not. */
function cpuMs(protection: Protection, path: string): number {
  const before = process.threadCpuUsage();
  try {
    protection.decide(requestOf(1, path), createCounters(), 0);
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The most expensive that the limit of costs allows: two expressions, or a hundred thousand comparisons. */
const WORST: Readonly<Record<string, readonly Rule[]>> = {
  expressions: [0, 1].map((at) => ruleOf(at, [{ type: "raw_path", op: "re", value: "[a-z/]{900}\\d{900}" }])),
  comparisons: Array.from({ length: 1_000 }, (_, at) =>
    ruleOf(at, [
      ...Array.from({ length: 99 }, (_one, k): Condition => ({
        type: "raw_path",
        op: "sub",
        value: `${"ab".repeat(20)}${k}`,
        neg: true,
      })),
      { type: "raw_path", op: "sub", value: "zq" },
    ]),
  ),
};

export async function benchDecisions(): Promise<Table[]> {
  const rows = [];
  const findings = [];
  for (const size of SIZES) {
    const row = spreadRow(`${size} rules`, await timesOf(Array.from({ length: size }, (_, at) => ruleOf(at))));
    rows.push(row);
    findings.push(finding(`a decision by ${size} rules`, row.median, atMost(MOST_US), "us"));
  }
  const longest = [];
  for (const [name, rules] of Object.entries(WORST)) {
    const protection = await protect(rules);
    const path = `/${"ab".repeat(7_500)}`;
    const row = spreadRow(
      `${name} at the limit, 15 kB of path`,
      Array.from({ length: 3 * ROUNDS }, () => cpuMs(protection, path)),
    );
    longest.push(row);
    findings.push(
      finding(`a decision by ${name} at the limit of costs`, row.median, atMost(MOST_EVER_MS), "ms of CPU"),
    );
  }
  return [
    { title: "Gate: a decision in process", unit: "us", rows, findings: findings.slice(0, SIZES.length) },
    {
      title: "Gate: the longest decisions, given up after about 5 ms",
      unit: "ms",
      rows: longest,
      findings: findings.slice(SIZES.length),
    },
  ];
}
