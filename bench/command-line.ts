// What a command takes from its start to its end: the help, and a program that `reeve run` starts beside the program alone.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { BENCH_TOKEN, readBody, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { atMost, finding, median, spreadRow } from "./table.ts";
import type { Table } from "./table.ts";

const ROUNDS = 15;
const MAIN = join(import.meta.dirname, "../dist/reeve.js");
const RUN = [process.execPath, MAIN, "run", "--project", "shop", "--env", "production"];
const COMMANDS = {
  "a program alone": ["true"],
  "reeve run": [...RUN, "--", "true"],
  "reeve run --offline-max-age": [...RUN, "--offline-max-age", "1h", "--", "true"],
  "reeve --help": [process.execPath, MAIN, "--help"],
} satisfies Readonly<Record<string, readonly string[]>>;
type Name = keyof typeof COMMANDS;
const NAMES = Object.keys(COMMANDS) as Name[];

export async function benchCommandLine({ folder, keep }: Bench): Promise<Table[]> {
  const server = await keep(startReeve(join(folder, "server")));
  const set = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`VARIABLE_${at}`, { value: `value ${at}` }]));
  const body = { environments: { production: { set } } };
  await readBody(server, BENCH_TOKEN, { method: "PATCH", path: "/v1/environments/shop", body });
  const remote = { REEVE_SERVER: `http://127.0.0.1:${server.port}`, REEVE_TOKEN: BENCH_TOKEN };
  const env = { PATH: process.env["PATH"], XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, ...remote };
  const times: Record<Name, number[]> = {
    "a program alone": [],
    "reeve run": [],
    "reeve run --offline-max-age": [],
    "reeve --help": [],
  };
  for (let round = -1; round < ROUNDS; round++) {
    for (const name of NAMES) {
      const [program = "", ...args] = COMMANDS[name];
      const startedAt = performance.now();
      const { status, stderr } = spawnSync(program, args, { env, encoding: "utf8" });
      const tookMs = performance.now() - startedAt;
      if (status !== 0 || stderr !== "") throw new Error(`${name} ended with ${status}: ${stderr}`);
      // The first round fills the caches of the system.
      if (round >= 0) times[name].push(tookMs);
    }
  }
  const added = (name: Name) => median(times[name]) - median(times["a program alone"]);
  return [
    {
      title: "Command line",
      unit: "ms",
      rows: NAMES.map((name) => spreadRow(name, times[name])),
      findings: [
        finding("reeve --help", median(times["reeve --help"]), atMost(120), "ms"),
        finding("reeve run: added to a start", added("reeve run"), atMost(250), "ms"),
        finding(
          "reeve run --offline-max-age: added to a start",
          added("reeve run --offline-max-age"),
          atMost(250),
          "ms",
        ),
      ],
    },
  ];
}
