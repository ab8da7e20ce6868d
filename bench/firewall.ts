// Deciding requests: the compiled evaluator beside a naive loop over the same rules, and how both grow with them.
import type { Configuration } from "../src/evaluator/config.ts";
import { createCounters } from "../src/evaluator/counters.ts";
import { compileConfiguration, decide } from "../src/evaluator/evaluator.ts";
import type { RequestFacts } from "../src/evaluator/facts.ts";
import { compileSurroundings } from "../src/evaluator/surroundings.ts";
import { entriesConfiguration, MIXES, REQUESTS, rulesConfiguration } from "./firewall-samples.ts";
import type { Mix } from "./firewall-samples.ts";
import { naiveFirewall } from "./naive-firewall.ts";
import { rotate, runRounds, workScenario } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { atMost, finding, rateFinding, rowOf } from "./table.ts";
import type { Finding, Goal, Row, Table } from "./table.ts";

const SIZES = [1, 10, 100, 1_000] as const;
const ENTRIES = 10_000;
const MIX_NAMES = Object.keys(MIXES) as Mix[];

const CALM = compileSurroundings({ isAttackMode: false, bypasses: [] });

type Deny = (facts: RequestFacts) => string | null;

function compiledFirewall(configuration: Configuration): Deny {
  const compiled = compileConfiguration(configuration);
  const counters = createCounters();
  return (facts) => decide(compiled, CALM, facts, counters, 0).by?.id ?? null;
}

/** Both ways over the same requests, whose outcome is compared beforehand. */
function bothWays(name: string, configuration: Configuration): Scenario[] {
  const compiled = compiledFirewall(configuration);
  const naive = naiveFirewall(configuration);
  for (const facts of REQUESTS) {
    const [one, other] = [compiled(facts), naive(facts)];
    if (one !== other) throw new Error(`${name}: ${one} and ${other} for ${facts.url}`);
  }
  const scenario = (way: string, deny: Deny): Scenario => {
    const next = rotate(REQUESTS);
    return workScenario(`${way}: ${name}`, () => deny(next()));
  };
  return [scenario("compiled", compiled), scenario("naive", naive)];
}

const rulesName = (size: number, mix: Mix) => `${size} ${mix} rules`;
const entriesName = `${ENTRIES} ip entries`;
const COMPILED_RULES = 1_000;
const compileName = (mix: Mix) => `compile ${COMPILED_RULES} ${mix} rules`;

function timeFindings(rows: readonly Row[], label: string, name: string, goal?: Goal): Finding[] {
  const { p50Ms, p99Ms } = rowOf(rows, name);
  return [
    finding(`${label}, p50`, p50Ms * 1_000, goal, "us"),
    finding(`${label}, p99`, p99Ms * 1_000, undefined, "us"),
  ];
}

function decisionFindings(rows: readonly Row[]): Finding[] {
  const names = [...MIX_NAMES.flatMap((mix) => SIZES.map((size) => rulesName(size, mix))), entriesName];
  return [
    ...MIX_NAMES.flatMap((mix) =>
      timeFindings(rows, `100 ${mix} rules`, `compiled: ${rulesName(100, mix)}`, atMost(5)),
    ),
    ...timeFindings(rows, entriesName, `compiled: ${entriesName}`),
    ...MIX_NAMES.map((mix) => {
      const [many, few] = [1_000, 100].map((size) => rowOf(rows, `compiled: ${rulesName(size, mix)}`).p50Ms);
      const goal = mix === "path/host/ip" ? atMost(3) : undefined;
      return finding(`${mix}: 1000 rules / 100 rules, p50`, (many as number) / (few as number), goal);
    }),
    ...names.map((name) => rateFinding(rows, `${name}: compiled / naive`, `compiled: ${name}`, `naive: ${name}`)),
  ];
}

export async function benchFirewall(): Promise<Table[]> {
  const deciding = MIX_NAMES.flatMap((mix) =>
    SIZES.flatMap((size) => bothWays(rulesName(size, mix), rulesConfiguration(size, mix))),
  );
  deciding.push(...bothWays(entriesName, entriesConfiguration(ENTRIES)));
  const decisions = await runRounds(deciding);
  const compilations = await runRounds(
    MIX_NAMES.map((mix) => {
      const configuration = rulesConfiguration(COMPILED_RULES, mix);
      return workScenario(compileName(mix), () => compileConfiguration(configuration));
    }),
  );
  return [
    { title: "Deciding requests", unit: "evaluations/s", rows: decisions, findings: decisionFindings(decisions) },
    {
      title: "Compiling a configuration",
      unit: "compilations/s",
      rows: compilations,
      findings: compilations.map(({ name, p50Ms }) => finding(`${name}, p50`, p50Ms, atMost(50), "ms")),
    },
  ];
}
