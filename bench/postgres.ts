// A PostgreSQL for the benchmark, as the tests start it, and what of the CPU it takes.
import { readFileSync } from "node:fs";
import pg from "pg";
import { startPostgres } from "../test/postgres/server.ts";
import { cpuSeconds } from "./processes.ts";

export interface BenchDatabase {
  /** Of an empty database. */
  readonly url: string;
  readonly version: string;
  /** CPU seconds of the server so far, its ended backends included; NaN where it runs elsewhere. */
  cpuSeconds(): number;
  readonly pid: number;
  stop(): Promise<void>;
}

async function query(url: string, sql: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(sql)).rows[0] ?? {};
  } finally {
    await client.end();
  }
}

/** The process that starts all others; NaN where it is not on this machine. */
async function findPostmaster(url: string): Promise<number> {
  try {
    const { data_directory: folder = "" } = await query(url, "show data_directory");
    return Number(readFileSync(`${folder}/postmaster.pid`, "utf8").split("\n")[0]);
  } catch {
    return Number.NaN;
  }
}

function familyCpuSeconds(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
    return cpuSeconds(pid, "with ended children") + children.reduce((sum, child) => sum + (cpuSeconds(child) || 0), 0);
  } catch {
    return Number.NaN;
  }
}

/** Opens an empty database. Several of different names may be open at once. */
export async function openBenchDatabase(purpose = "calls"): Promise<BenchDatabase> {
  const name = `reeve_bench_${purpose}`;
  const server = await startPostgres();
  await query(server.url, `drop database if exists ${name} with (force)`);
  await query(server.url, `create database ${name}`);
  const { server_version: version = "" } = await query(server.url, "show server_version");
  const pid = await findPostmaster(server.url);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    version,
    pid,
    cpuSeconds: () => familyCpuSeconds(pid),
    async stop() {
      await query(server.url, `drop database if exists ${name} with (force)`);
      await server.stop();
    },
  };
}
