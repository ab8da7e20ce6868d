// `npm run bench`: what Reeve's calls cost beside raw node:http answering the same bytes, interleaved in one run,
// medians of the rounds. Ratios hold on a noisy machine; absolute figures do not.
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { buildRequest, runLoad } from "./load.ts";
import { BENCH_TOKEN, buildFsyncShim, cpuSeconds, residentMb, startRaw, startReeve } from "./processes.ts";
import type { ServerProcess } from "./processes.ts";
import { seed } from "./seed.ts";
import type { Seed } from "./seed.ts";
import { figures, median, printTable } from "./table.ts";
import type { Sample } from "./table.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const DURATION_MS = Number(process.env["BENCH_MS"] ?? 1_000);
const SIZES = [10, 1_000, 100_000] as const;
const READERS = 64;
const MIXED_READERS = 32;
const MIXED_WRITERS = 16;

interface Scenario {
  readonly name: string;
  readonly server: ServerProcess;
  readonly connections: number;
  readonly isAwake: boolean;
  request(): Buffer;
  readonly samples: Sample[];
}

async function measure(scenario: Omit<Scenario, "samples" | "name">, durationMs: number): Promise<Sample> {
  const { server, connections, isAwake, request } = scenario;
  const cpuBefore = cpuSeconds(server.pid);
  const result = await runLoad({ port: server.port, connections, durationMs, isAwake, request: () => request() });
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} answers were refusals`);
  return { ...result, cpuUs: ((cpuSeconds(server.pid) - cpuBefore) * 1e6) / result.requests };
}

let slugCounter = 0;
function createRequest(token: string): Buffer {
  return buildRequest("POST", "/v1/teams", token, JSON.stringify({ slug: `new-${process.pid}-${slugCounter++}` }));
}

const folder = mkdtempSync(join(tmpdir(), "reeve-bench-"));
const running: ServerProcess[] = [];
async function keep(server: Promise<ServerProcess>): Promise<ServerProcess> {
  const started = await server;
  running.push(started);
  return started;
}

async function readBodies(
  server: ServerProcess,
  token: string,
  paths: readonly string[],
): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for (const path of paths) {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    bodies[path] = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${bodies[path]}`);
  }
  return bodies;
}

/** Reads and creates beside raw node:http. */
async function benchCalls(): Promise<void> {
  const seeds = new Map<number, Seed>();
  const servers = new Map<number, ServerProcess>();
  for (const size of SIZES) {
    const dataDir = join(folder, `size-${size}`);
    seeds.set(size, await seed(dataDir, size));
    servers.set(size, await keep(startReeve(dataDir)));
  }
  const writeServer = await keep(startReeve(join(folder, "writes")));
  const scenarios: Scenario[] = [];
  const add = (name: string, server: ServerProcess, connections: number, request: () => Buffer) =>
    scenarios.push({ name, server, connections, isAwake: connections === READERS, request, samples: [] });

  const { token: smallToken, teamId: smallTeam } = seeds.get(10) as Seed;
  const pages = ["/v2/teams", `/v2/teams/${smallTeam}/members`];
  const middle = seeds.get(1_000) as Seed;
  const rawBodies = {
    ...(await readBodies(servers.get(10) as ServerProcess, smallToken, ["/v2/user", `/v2/teams/${smallTeam}`])),
    // A full page of 20, as the larger stores answer it.
    ...(await readBodies(servers.get(1_000) as ServerProcess, middle.token, ["/v2/teams"])),
    "/members": Object.values(
      await readBodies(servers.get(1_000) as ServerProcess, middle.token, [`/v2/teams/${middle.teamId}/members`]),
    )[0] as string,
    "/v1/teams": JSON.stringify({ id: smallTeam, slug: "team-1" }),
  };
  const raw = await keep(startRaw(rawBodies));
  const addGet = (name: string, server: ServerProcess, token: string, path: string) => {
    const bytes = buildRequest("GET", path, token);
    add(name, server, READERS, () => bytes);
  };
  addGet("raw: user", raw, "x".repeat(46), "/v2/user");
  addGet("raw: team", raw, "x".repeat(46), `/v2/teams/${smallTeam}`);
  addGet("raw: page of 20 teams", raw, "x".repeat(46), pages[0] as string);
  addGet("raw: page of 20 members", raw, "x".repeat(46), "/members");
  for (const size of SIZES) {
    const { token, teamId } = seeds.get(size) as Seed;
    const server = servers.get(size) as ServerProcess;
    addGet(`GET user, ${size} stored`, server, token, "/v2/user");
    addGet(`GET team, ${size} stored`, server, token, `/v2/teams/${teamId}`);
    addGet(`GET teams, ${size} stored`, server, token, "/v2/teams");
    addGet(`GET members, ${size} stored`, server, token, `/v2/teams/${teamId}/members`);
  }
  const rawCreate = buildRequest("POST", "/v1/teams", "x".repeat(46), JSON.stringify({ slug: "new-12345-678" }));
  add("raw: POST, 64 connections", raw, 64, () => rawCreate);
  add("POST team, 1 connection", writeServer, 1, () => createRequest(BENCH_TOKEN));
  add("POST team, 64 connections", writeServer, 64, () => createRequest(BENCH_TOKEN));

  for (const scenario of scenarios) await measure(scenario, DURATION_MS / 2);
  for (let round = 0; round < ROUNDS; round++) {
    for (const scenario of scenarios) scenario.samples.push(await measure(scenario, DURATION_MS));
  }

  const perSecond = (name: string) =>
    median(scenarios.find((one) => one.name === name)?.samples.map((one) => one.perSecond) ?? []);
  const rows = scenarios.map(({ name, samples }) => ({ name, ...figures(samples) }));
  printTable("Calls", rows);
  const ratio = (label: string, a: string, b: string, goal: string) =>
    console.log(`${label.padEnd(58)} ${(perSecond(a) / perSecond(b)).toFixed(2).padStart(6)}   to reach ${goal}`);
  console.log();
  ratio("GET user / raw", "GET user, 10 stored", "raw: user", ">= 0.55");
  ratio("GET team / raw", "GET team, 10 stored", "raw: team", ">= 0.45");
  ratio("page of 20 teams / raw", "GET teams, 1000 stored", "raw: page of 20 teams", ">= 0.15");
  ratio("page of 20 members / raw", "GET members, 1000 stored", "raw: page of 20 members", ">= 0.15");
  ratio("creates, 64 connections / 1 connection", "POST team, 64 connections", "POST team, 1 connection", ">= 3");
  for (const call of ["user", "team", "teams", "members"]) {
    const small = call === "teams" || call === "members" ? 1_000 : 10;
    const of = (size: number) => rows.find((row) => row.name === `GET ${call}, ${size} stored`);
    const p50 = (of(100_000)?.p50Ms ?? Number.NaN) / (of(small)?.p50Ms ?? Number.NaN);
    const cpu = (of(100_000)?.cpuUs ?? Number.NaN) / (of(small)?.cpuUs ?? Number.NaN);
    console.log(
      `GET ${call}: 100 000 stored / ${small} stored, p50 and CPU`.padEnd(58),
      p50.toFixed(2).padStart(6),
      cpu.toFixed(2).padStart(6),
      "  to reach <= 1.2",
    );
  }
}

/** Reads beside writers, with the disk as it is and with a slow one. */
async function benchMixed(): Promise<void> {
  const shim = buildFsyncShim(folder);
  for (const delayUs of shim === null ? [0] : [0, 5_000]) {
    const environment: Record<string, string> =
      delayUs === 0 || shim === null ? {} : { LD_PRELOAD: shim, FSYNC_DELAY_US: String(delayUs) };
    const server = await keep(startReeve(join(folder, `mixed-${delayUs}`), environment));
    const bytes = buildRequest("GET", "/v2/user", BENCH_TOKEN);
    const read = { server, connections: MIXED_READERS, isAwake: false, request: () => bytes };
    const write = { server, connections: MIXED_WRITERS, isAwake: false, request: () => createRequest(BENCH_TOKEN) };
    const alone: Sample[] = [];
    const beside: Sample[] = [];
    const writes: Sample[] = [];
    await measure(read, DURATION_MS / 2);
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await measure(read, DURATION_MS));
      const [reads, written] = await Promise.all([measure(read, DURATION_MS), measure(write, DURATION_MS)]);
      beside.push(reads);
      writes.push(written);
    }
    printTable(`Reads beside ${MIXED_WRITERS} writing connections, fsync + ${delayUs / 1000} ms`, [
      { name: `GET user alone, ${MIXED_READERS} connections`, ...figures(alone) },
      { name: "GET user beside writers", ...figures(beside) },
      { name: `POST team, ${MIXED_WRITERS} connections`, ...figures(writes) },
    ]);
    const share = median(beside.map((one) => one.perSecond)) / median(alone.map((one) => one.perSecond));
    console.log(`GET/s beside writers / alone: ${share.toFixed(2)}   to reach >= 0.4`);
  }
  if (shim === null) console.log("no C compiler: the run with a delayed fsync was left out");
}

/** From spawning the process to its first 200, and its memory a moment later. */
async function benchStart(): Promise<void> {
  const starts: number[] = [];
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startReeve(join(folder, "start"));
    starts.push(server.startMs);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    sizes.push(residentMb(server.pid));
    await server.stop();
  }
  console.log(`\nStart to first 200: ${median(starts).toFixed(0)} ms   to reach < 400`);
  console.log(`Resident memory, idle: ${median(sizes).toFixed(0)} MB   to reach < 130`);
}

try {
  console.log(
    `Node ${process.version}, ${cpus().length} cores, ${ROUNDS} rounds of ${DURATION_MS} ms, medians (lowest..highest)`,
  );
  await benchStart();
  await benchCalls();
  await benchMixed();
} finally {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
