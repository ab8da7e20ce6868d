// `npm run fuzz`: every fuzzer of the table by turns, each time on a fresh seed, for FUZZ_SECONDS (60) in all; arguments
// choose fuzzers by name, `--engine postgres` the store. FUZZ_SEED begins at a known seed. Prints what was done, and of a
// failure the smallest thing that shows it.
import type { Fuzzer } from "./fuzz/fuzzer.ts";
import { startPostgres } from "./postgres/server.ts";

/** Milliseconds of a setting in seconds. */
function readSeconds(name: string, otherwise: number): number {
  const seconds = Number(process.env[name] ?? otherwise);
  if (!(seconds > 0)) throw new Error(`${name}: expected seconds above 0`);
  return seconds * 1000;
}

const args = process.argv.slice(2);
const engineAt = args.indexOf("--engine");
const [, engine = "sqlite"] = engineAt < 0 ? [] : args.splice(engineAt, 2);
process.env["REEVE_TEST_ENGINE"] = engine;
const server = engine === "postgres" ? await startPostgres() : null;
Object.assign(process.env, server?.environment);

// They read the engine when they are loaded.
const FUZZERS: Readonly<Record<string, Fuzzer>> = {
  firewall: (await import("./firewall/fuzzer.ts")).firewallFuzzer,
  laboratory: (await import("./gate/laboratory/fuzzer.ts")).laboratoryFuzzer,
  requests: (await import("./fuzz/fuzzer.ts")).requestFuzzer,
};
const unknown = args.filter((name) => !(name in FUZZERS));
if (unknown.length > 0)
  throw new Error(`no fuzzer ${unknown.join(", ")}: there are ${Object.keys(FUZZERS).join(", ")}`);
const chosen = Object.entries(FUZZERS).filter(([name]) => args.length === 0 || args.includes(name));

const durationMs = readSeconds("FUZZ_SECONDS", 60);
const startedAt = performance.now();
const leftMs = () => durationMs - (performance.now() - startedAt);
const firstSeed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 0x7fff_ffff);
const done = new Map(chosen.map(([name]) => [name, { count: 0, ms: 0 }]));
let failure: string | null = null;
let seeds = 0;
console.log(`seed ${firstSeed}, ${durationMs / 1000} s, ${chosen.map(([name]) => name).join(" and ")} on ${engine}`);

for (; leftMs() > 0 && failure === null; seeds++) {
  const seed = (firstSeed + seeds) % 0x7fff_ffff;
  for (const [name, { run }] of chosen) {
    if (leftMs() <= 0 || failure !== null) break;
    const beganAt = performance.now();
    const outcome = await run(seed, leftMs());
    const total = done.get(name) as { count: number; ms: number };
    total.count += outcome.count;
    total.ms += performance.now() - beganAt;
    if (outcome.failure !== null) failure = `FAIL ${name}, FUZZ_SEED=${seed}\n${outcome.failure}`;
  }
}
for (const [name, { unit }] of chosen) {
  const { count, ms } = done.get(name) as { count: number; ms: number };
  console.log(`${name}: ${seeds} seeds, ${count} ${unit}, ${Math.round((count * 1000) / Math.max(ms, 1))} per second`);
}
if (failure !== null) console.log(failure);
await server?.stop();
process.exitCode = failure === null ? 0 : 1;
