// `npm run faults`: the long versions of tests in test/faults/, one file after another, with what they counted. Names narrow
// it to some of them, `--engine` to one engine; what the environment says already wins over the table.
import { spawnSync } from "node:child_process";

interface LongRun {
  /** As `npm test` takes it. */
  readonly files: string;
  /** What makes it long. */
  readonly environment: Readonly<Record<string, string>>;
  /** What takes longer on one engine hangs. */
  readonly minutes: number;
}

const LONG_RUNS: readonly LongRun[] = [
  { files: "test/faults/kills.test", environment: { FAULT_ROUNDS: "1000" }, minutes: 90 },
  { files: "test/faults/migration-kills.test", environment: { FAULT_ROUNDS: "200" }, minutes: 30 },
  { files: "test/faults/postgres-failover.test", environment: { FAULT_ROUNDS: "20" }, minutes: 30 },
  { files: "test/faults/overload.test", environment: { OVERLOAD_SECONDS: "60" }, minutes: 10 },
];

const args = process.argv.slice(2);
const engineAt = args.indexOf("--engine");
const engine = engineAt < 0 ? [] : args.splice(engineAt, 2);
for (const { files, environment, minutes } of LONG_RUNS) {
  if (args.length > 0 && !args.some((part) => files.includes(part))) continue;
  console.log(`\n== ${files} ${JSON.stringify(environment)}`);
  const { status } = spawnSync(process.execPath, ["test/run.ts", files, ...engine], {
    stdio: "inherit",
    env: { ...environment, REEVE_TEST_LONG_MINUTES: String(minutes), ...process.env },
  });
  if (status !== 0) process.exitCode = 1;
}
