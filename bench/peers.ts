// The same calls answered by raw node:http, by the floor of this stack, by Reeve and by a peer, in stores of three sizes.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { PEER, REQUESTS_PER_TOKEN, installEmulate, startEmulate } from "./emulate.ts";
import { encodeRequest } from "./load.ts";
import type { ApiRequest } from "./load.ts";
import { madeAnew } from "./made-anew.ts";
import { RAW_TOKEN, readBody, startFloor, startRaw, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import {
  DURATION_MS,
  MOST_WARM_UPS,
  ROUNDS,
  WARM_UP_MS,
  fullReadLoad,
  fullWriteLoad,
  rotate,
  runRounds,
} from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedTeamOwner } from "./seed-teams.ts";
import { atLeast, besideFinding, missingRow, rateFinding } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";

const SIZES = [0, 1_000, 20_000] as const;
/** The smallest store with whole pages. */
const PAGED = SIZES[1];
/** Above what any of them answers in a second. */
const MOST_PER_SECOND = 25_000;

const RAW = "raw node:http";
const FLOOR = "Fastify + node:sqlite";
const REEVE = "Reeve";
/** While it is not asked the same twice between two commits. */
const REEVE_ANEW = "Reeve, nothing kept";

/** One who answers, in a store of one size. */
interface Side {
  readonly name: string;
  readonly size: number;
  readonly server: ServerProcess;
  /** Of Reeve. */
  readonly dataDir?: string;
  /** A team to read. */
  readonly teamId: string;
  /** Where teams are created: the peer knows another version of that path. */
  readonly createPath: string;
}

interface Call {
  readonly name: string;
  readonly method: "GET" | "POST";
  /** What Reeve is to reach beside the others; none was set where it is missing. */
  readonly goals: Readonly<Partial<Record<string, number>>>;
  /** What it is to reach beside the peer where pages are whole. */
  readonly pagedPeerGoal?: number;
  request(side: Side): Omit<ApiRequest, "method">;
}

let slugCounter = 0;

const CALLS: readonly Call[] = [
  {
    name: "GET user",
    method: "GET",
    goals: { [RAW]: 0.6, [FLOOR]: 0.9, [PEER]: 1.8 },
    request: () => ({ path: "/v2/user" }),
  },
  {
    name: "GET team",
    method: "GET",
    goals: { [RAW]: 0.6, [FLOOR]: 0.9, [PEER]: 1.8 },
    request: ({ teamId }) => ({ path: `/v2/teams/${teamId}` }),
  },
  {
    name: "List teams",
    method: "GET",
    goals: { [RAW]: 0.25, [FLOOR]: 0.9, [PEER]: 1.8 },
    pagedPeerGoal: 20,
    request: () => ({ path: "/v2/teams" }),
  },
  {
    name: "Create team",
    method: "POST",
    goals: { [PEER]: 1.8 },
    request: ({ createPath }) => ({ path: createPath, body: { slug: `new-${slugCounter++}` } }),
  },
];

/** As many tokens as the peer needs for all that it is asked. */
function makeTokens(): string[] {
  const requests = (CALLS.length * (ROUNDS * DURATION_MS + MOST_WARM_UPS * WARM_UP_MS) * MOST_PER_SECOND) / 1_000;
  const count = Math.ceil(requests / REQUESTS_PER_TOKEN);
  return Array.from({ length: count }, () => `bench_${randomBytes(20).toString("hex")}`);
}

/** The newest team; where there is none, one is created. */
async function someTeam(server: ServerProcess, token: string, createPath: string): Promise<string> {
  const text = await readBody(server, token, { method: "GET", path: "/v2/teams" });
  const [newest] = (JSON.parse(text) as { readonly teams: readonly { readonly id: string }[] }).teams;
  if (newest) return newest.id;
  await readBody(server, token, { method: "POST", path: createPath, body: { slug: "first" } });
  return await someTeam(server, token, createPath);
}

async function openSides({ folder, keep }: Bench, tokens: readonly string[], hasPeer: boolean): Promise<Side[]> {
  const sides: Side[] = [];
  async function open(side: Omit<Side, "server" | "teamId">, starting: Promise<ServerProcess>): Promise<void> {
    const server = await keep(starting);
    sides.push({ ...side, server, teamId: await someTeam(server, tokens[0] as string, side.createPath) });
  }
  for (const size of SIZES) {
    const dataDir = join(folder, `peers-${size}`);
    await seedTeamOwner(dataDir, size, tokens);
    const side = { size, createPath: "/v1/teams" };
    await open({ ...side, name: FLOOR }, startFloor(join(folder, `floor-${size}.db`), dataDir));
    await open({ ...side, name: REEVE, dataDir }, startReeve(dataDir));
    if (hasPeer) await open({ ...side, name: PEER, createPath: "/v2/teams" }, startEmulate(folder, size, tokens));
  }
  return sides;
}

const nameOf = (who: string, size: number) => `${who}, ${size} stored`;
/** Pages do not grow any more, so there is no other raw answer in a larger store. */
const rawNameOf = (size: number) => `${RAW}, as with ${Math.min(size, PAGED)}`;

/** Raw node:http with the bytes that Reeve answers. The floor has to answer the same ones to reads. */
async function openRaw({ keep }: Bench, call: Call, sides: readonly Side[], token: string): Promise<Scenario[]> {
  const bodies: Record<string, string> = {};
  const requests: { readonly name: string; readonly bytes: Buffer }[] = [];
  for (const size of [0, PAGED]) {
    const ask = async (who: string) => {
      const side = sides.find((one) => one.name === who && one.size === size) as Side;
      return await readBody(side.server, token, { method: call.method, ...call.request(side) });
    };
    const [floorText, text] = [await ask(FLOOR), await ask(REEVE)];
    if (call.method === "GET" && size === PAGED && floorText !== text) {
      throw new Error(`${call.name}: ${FLOOR} answers ${floorText} instead of ${text}`);
    }
    bodies[`/${size}`] = text;
    const request = { ...call.request(sides[0] as Side), method: call.method, path: `/${size}` };
    requests.push({ name: rawNameOf(size), bytes: encodeRequest(request, RAW_TOKEN) });
  }
  const raw = await keep(startRaw(bodies));
  const load = call.method === "POST" ? fullWriteLoad : fullReadLoad;
  return requests.map(({ name, bytes }) => load(name, raw, () => bytes));
}

function sideScenarios(call: Call, side: Side, tokens: readonly string[]): Scenario[] {
  const { name, size, server, dataDir } = side;
  const encode = (token: string) => encodeRequest({ method: call.method, ...call.request(side) }, token);
  const nextToken = rotate(tokens);
  if (call.method === "POST") return [fullWriteLoad(nameOf(name, size), server, () => encode(nextToken()))];
  const nextRequest = rotate(tokens.map(encode));
  const kept = fullReadLoad(nameOf(name, size), server, nextRequest);
  if (dataDir === undefined) return [kept];
  return [kept, madeAnew(dataDir, fullReadLoad(nameOf(REEVE_ANEW, size), server, nextRequest))];
}

function findingsOf(call: Call, rows: readonly Row[]): Finding[] {
  const ours = call.method === "GET" ? [REEVE, REEVE_ANEW] : [REEVE];
  return SIZES.flatMap((size) =>
    ours.flatMap((our) =>
      [RAW, FLOOR, PEER].map((who) => {
        const goal = who === PEER && size === PAGED ? (call.pagedPeerGoal ?? call.goals[who]) : call.goals[who];
        const wanted = goal === undefined ? undefined : atLeast(goal);
        const one = nameOf(our, size);
        if (who !== RAW) return besideFinding(rows, one, nameOf(who, size), wanted);
        return rateFinding(rows, `${one} / ${rawNameOf(size)}`, one, rawNameOf(size), wanted);
      }),
    ),
  );
}

const NOTES = [
  "Reeve keeps an answer until anybody commits something; “nothing kept”: another process commits every millisecond.",
  "Reeve and the floor keep what they acknowledge in a file (an fsync), the peer keeps it in memory and loses it.",
  "“0 stored” means: none beside the one team that is read. Creates begin in a store of that size, which grows by them.",
];

export async function benchPeers(bench: Bench): Promise<Table[]> {
  const failure = installEmulate();
  const tokens = makeTokens();
  const sides = await openSides(bench, tokens, failure === null);
  const tables: Table[] = [];
  // Creates come last: until then the stores are as they were seeded.
  for (const call of CALLS) {
    const scenarios = await openRaw(bench, call, sides, tokens[0] as string);
    for (const side of sides) scenarios.push(...sideScenarios(call, side, tokens));
    const rows = await runRounds(scenarios);
    if (failure !== null) rows.push(...SIZES.map((size) => missingRow(nameOf(PEER, size))));
    const notes = failure === null ? NOTES : [...NOTES, `${PEER} could not be installed: ${failure}`];
    tables.push({
      title: `${call.name}, side by side`,
      unit: "requests/s",
      rows,
      findings: findingsOf(call, rows),
      notes,
    });
  }
  return tables;
}
