// Reads with changes among them, as an instance is used: 200 owners, each request by another of them, some of them a PATCH of the team's
// name, to one process and to two. Beside raw node:http that answers the same bytes to the same mix, and beside a peer that stores
// nothing.
import { join } from "node:path";
import { OWNERS, POSTGRES, SQLITE } from "./calls.ts";
import { PEER, startEmulate } from "./emulate.ts";
import { encodeRequest } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import type { BenchDatabase } from "./postgres.ts";
import { RAW_TOKEN, readBody, startRaw, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { ROUNDS, callScenario, rotate, takeTurns, warmUp } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedOwner, seedStore } from "./seed.ts";
import { seedTeam } from "./seed-teams.ts";
import { atLeast, atMost, finding, rateFinding, rowOf } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";

const CONNECTIONS = 32;
/** Changes among a hundred requests. */
const SHARES = [0, 1, 5, 20] as const;
/** The shares that warm both calls up. */
const WARMING = [20, 0] as const;
/** Two minutes are to do for all of it. */
const WARM_UPS = 3;
const MIX_ROUNDS = Math.ceil(ROUNDS / 2);
const GOALS: Readonly<Record<number, { readonly raw: number; readonly peer: number }>> = {
  5: { raw: 0.45, peer: 2.2 },
  20: { raw: 0.25, peer: 1 },
};
const MOST_OF_A_CHANGE = 14;
/** In CPU of raw node:http; 31.0 when it was first measured. */
const MOST_ON_POSTGRES = 18.6;

interface Owner {
  readonly token: string;
  /** The id of their team, or its slug. */
  readonly team: string;
}

const slugOf = (at: number) => `team-${at}`;

async function seedMix(dataDir: string, databaseUrl?: string): Promise<Owner[]> {
  const start = Date.now() - OWNERS;
  const fill = async (tx: Parameters<Parameters<typeof seedStore>[2]>[0]): Promise<Owner[]> => {
    const owners: Owner[] = [];
    for (let at = 0; at < OWNERS; at++) {
      const { ownerId, token } = await seedOwner(tx, start + at, `owner-${at}`);
      owners.push({ token, team: await seedTeam(tx, slugOf(at), ownerId, start + at) });
    }
    return owners;
  };
  return await seedStore(dataDir, start, fill, databaseUrl);
}

/** What asks in turn: reads, and after so many of them a change, of a name that is another one each time. */
function mixOf(owners: readonly Owner[], share: number, token?: string): () => Buffer {
  const path = ({ team }: Owner) => `/v2/teams/${team}`;
  const read = rotate(owners.map((owner) => encodeRequest({ method: "GET", path: path(owner) }, token ?? owner.token)));
  // Another order than that of the reads, so that what was changed is not what is read next.
  const changed = rotate(owners.toReversed());
  let due = 0;
  let count = 0;
  return () => {
    due += share / 100;
    if (due < 1) return read();
    due -= 1;
    const owner = changed();
    const body = { name: `Name ${count++ % 1_000}` };
    return encodeRequest({ method: "PATCH", path: path(owner), body }, token ?? owner.token);
  };
}

const RAW = "raw";
const two = (engine: string) => `${engine}, two processes`;
const rowName = (share: number, field: string) => `${share} % changes: ${field}`;

interface Field {
  readonly name: string;
  /** Several share one store, and the connections. */
  readonly servers: readonly ServerProcess[];
  readonly owners: readonly Owner[];
  readonly database?: BenchDatabase;
  readonly token?: string;
}

function mixScenario({ name, servers, owners, database, token }: Field, share: number): Scenario {
  const request = mixOf(owners, share, token);
  return callScenario(rowName(share, name), { servers, database, connections: CONNECTIONS, isAwake: true, request });
}

async function openFields({ folder, keep }: Bench): Promise<Field[]> {
  const [fileDir, dataDir] = [join(folder, "sqlite"), join(folder, "postgres")];
  const fileOwners = await seedMix(fileDir);
  const database = await keep(openBenchDatabase());
  const sharedOwners = await seedMix(dataDir, database.url);
  const shared = { REEVE_DATABASE_URL: database.url };
  const files = [await keep(startReeve(fileDir)), await keep(startReeve(fileDir))] as const;
  const databases = [await keep(startReeve(dataDir, shared)), await keep(startReeve(dataDir, shared))] as const;
  const bodies: Record<string, string> = {};
  for (const { token, team } of fileOwners) {
    const path = `/v2/teams/${team}`;
    bodies[path] = await readBody(files[0], token, { method: "GET", path });
  }
  const peerOwners = fileOwners.map(({ token }, at) => ({ token, team: slugOf(at) }));
  const slugs = peerOwners.map(({ team }) => team);
  const tokens = peerOwners.map(({ token }) => token);
  return [
    { name: RAW, servers: [await keep(startRaw(bodies))], owners: fileOwners, token: RAW_TOKEN },
    { name: PEER, servers: [await keep(startEmulate(folder, slugs, tokens))], owners: peerOwners },
    { name: SQLITE, servers: files.slice(0, 1), owners: fileOwners },
    { name: two(SQLITE), servers: files, owners: fileOwners },
    { name: POSTGRES, servers: databases.slice(0, 1), owners: sharedOwners, database },
    { name: two(POSTGRES), servers: databases, owners: sharedOwners, database },
  ];
}

/** What a change takes, in requests of raw node:http: the mix with 20 % has as much more than the one with none. */
function costOfChange(rows: readonly Row[]): number {
  const timeOf = (share: number, field: string) => 1 / rowOf(rows, rowName(share, field)).median;
  const change = (timeOf(20, SQLITE) - 0.8 * timeOf(0, SQLITE)) / 0.2;
  // Rounds that were too short, or disturbed, say nothing.
  return change > 0 ? change / timeOf(0, RAW) : Number.NaN;
}

/** CPU of both servers for a request, in that of raw node:http. */
function cpuOnPostgres(rows: readonly Row[], share: number): number {
  const { cpuUs, databaseCpuUs } = rowOf(rows, rowName(share, POSTGRES));
  return (cpuUs + databaseCpuUs) / rowOf(rows, rowName(share, RAW)).cpuUs;
}

function findingsOf(rows: readonly Row[]): Finding[] {
  const compare = (share: number, of: string, beside: string, goal?: number) =>
    rateFinding(
      rows,
      `${share} % changes: ${of} / ${beside}`,
      rowName(share, of),
      rowName(share, beside),
      goal === undefined ? undefined : atLeast(goal),
    );
  return [
    ...SHARES.map((share) => compare(share, SQLITE, RAW, GOALS[share]?.raw)),
    ...SHARES.map((share) => compare(share, SQLITE, PEER, GOALS[share]?.peer)),
    finding("a PATCH of 20 % on SQLite, in requests of raw", costOfChange(rows), atMost(MOST_OF_A_CHANGE)),
    finding(
      "5 % changes on PostgreSQL: CPU of Reeve + of the database, in requests of raw",
      cpuOnPostgres(rows, 5),
      atMost(MOST_ON_POSTGRES),
    ),
    ...SHARES.map((share) => compare(share, POSTGRES, PEER)),
    ...[SQLITE, POSTGRES].map((engine) => compare(5, two(engine), engine)),
  ];
}

export async function benchMix(bench: Bench): Promise<Table[]> {
  const fields = await openFields(bench);
  // Those with two processes warm the first ones too.
  for (const field of fields) {
    if (fields.some(({ name }) => name === two(field.name))) continue;
    for (const share of WARMING) await warmUp(mixScenario(field, share), WARM_UPS);
  }
  const scenarios = SHARES.flatMap((share) => fields.map((field) => mixScenario(field, share)));
  const rows = await takeTurns(scenarios, MIX_ROUNDS);
  const version = fields.at(-1)?.database?.version;
  return [
    {
      title: `GET team with PATCH among it, ${OWNERS} owners in turn, ${CONNECTIONS} connections`,
      unit: "requests/s",
      rows,
      findings: findingsOf(rows),
      notes: [
        "Raw answers the same bytes to the same mix. CPU is that of one request of either kind, of all processes of a row. " +
          `${MIX_ROUNDS} rounds.`,
        `${PEER} and raw store nothing: their changes are lost with the process.`,
        "The client never sleeps, so that it wakes for no server sooner than for another: it takes one of the two cores, and two " +
          "processes share the other one. What they can do on more cores shows in their CPU alone.",
        `PostgreSQL ${version} runs without fsync, as the tests start it: its changes do not wait for a disk here.`,
      ],
    },
  ];
}
