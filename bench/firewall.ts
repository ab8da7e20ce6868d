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
import { printRatio, printTable, rowOf } from "./table.ts";
import type { Row } from "./table.ts";

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

function printTimes(rows: readonly Row[], label: string, name: string, goal?: string): void {
  const { p50Ms, p99Ms } = rowOf(rows, name);
  printRatio(`${label}, p50 and p99 us`, [p50Ms * 1_000, p99Ms * 1_000], goal);
}

export async function benchFirewall(): Promise<void> {
  const scenarios = MIX_NAMES.flatMap((mix) =>
    SIZES.flatMap((size) => bothWays(rulesName(size, mix), rulesConfiguration(size, mix))),
  );
  scenarios.push(...bothWays(entriesName, entriesConfiguration(ENTRIES)));
  for (const mix of MIX_NAMES) {
    const configuration = rulesConfiguration(COMPILED_RULES, mix);
    scenarios.push(workScenario(compileName(mix), () => compileConfiguration(configuration)));
  }
  const rows = await runRounds(scenarios);
  printTable("Deciding requests", rows, "evaluations/s");
  console.log();
  for (const mix of MIX_NAMES)
    printTimes(rows, `100 ${mix} rules`, `compiled: ${rulesName(100, mix)}`, "<= 5.00 (p50)");
  printTimes(rows, entriesName, `compiled: ${entriesName}`);
  for (const mix of MIX_NAMES) {
    const [many, few] = [1_000, 100].map((size) => rowOf(rows, `compiled: ${rulesName(size, mix)}`).p50Ms);
    const goal = mix === "path/host/ip" ? "<= 3" : undefined;
    printRatio(`${mix}: 1000 rules / 100 rules, p50`, [(many as number) / (few as number)], goal);
  }
  for (const name of [...MIX_NAMES.flatMap((mix) => SIZES.map((size) => rulesName(size, mix))), entriesName]) {
    const ratio = rowOf(rows, `compiled: ${name}`).perSecond / rowOf(rows, `naive: ${name}`).perSecond;
    printRatio(`${name}: compiled / naive`, [ratio]);
  }
  for (const mix of MIX_NAMES)
    printRatio(`${compileName(mix)}, p50 ms`, [rowOf(rows, compileName(mix)).p50Ms], "<= 50");
}
