// `npm test`: the whole suite, on SQLite and then on PostgreSQL (a real server from npm, or the one that
// REEVE_TEST_DATABASE_URL names). Arguments narrow it to files whose path contains one of them;
// `--engine sqlite|postgres` to one engine.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { startPostgres } from "./postgres-server.ts";

const args = process.argv.slice(2);
const engineAt = args.indexOf("--engine");
const engines = engineAt < 0 ? ["sqlite", "postgres"] : args.splice(engineAt, 2).slice(1);
const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { exclude: ["**/node_modules/**"] })
  .filter((file) => args.length === 0 || args.some((part) => file.includes(part)))
  .toSorted();
// What never touches a database behaves the same on both engines and runs once.
const onBothEngines = files.filter((file) => /harness\.ts"/.test(readFileSync(file, "utf8")));

function runSuite(engine: string, suite: readonly string[], environment: Record<string, string>): boolean {
  if (suite.length === 0) return true;
  console.log(`\n== ${engine}: ${suite.length} files`);
  const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=dot", "--test-timeout=300000", ...suite], {
    stdio: "inherit",
    env: { ...process.env, REEVE_TEST_ENGINE: engine, ...environment },
  });
  return status === 0;
}

let isPassed = true;
if (engines.includes("sqlite")) isPassed = runSuite("sqlite", files, {});
if (engines.includes("postgres")) {
  const server = await startPostgres();
  try {
    isPassed = runSuite("postgres", onBothEngines, { REEVE_TEST_DATABASE_URL: server.url }) && isPassed;
  } finally {
    await server.stop();
  }
}
process.exitCode = isPassed ? 0 : 1;
