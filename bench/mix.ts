// Reads with changes among them, as an instance is used: 200 owners, each request by another of them, some of them a PATCH of the team's
// name. Beside raw node:http that answers the same bytes to the same mix, and beside a peer that stores nothing.
import { join } from "node:path";
import { PEER, startEmulate } from "./emulate.ts";
import { encodeRequest } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import type { BenchDatabase } from "./postgres.ts";
import { RAW_TOKEN, readBody, startRaw, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { callScenario, rotate, runRounds } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedOwner, seedStore } from "./seed.ts";
import { seedTeam } from "./seed-teams.ts";
import { atLeast, atMost, finding, rateFinding, rowOf } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";

const OWNERS = 200;
const CONNECTIONS = 32;
/** Changes among a hundred requests. */
const SHARES = [0, 1, 5, 20] as const;
/** What is compared is warm after as many: the way of a mix is short. */
const WARM_UPS = 2;
const GOALS: Readonly<Record<number, { readonly raw: number; readonly peer: number }>> = {
  5: { raw: 0.45, peer: 2.2 },
  20: { raw: 0.25, peer: 1 },
};
const MOST_OF_A_CHANGE = 14;

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

const rowName = (share: number, field: string) => `${share} % changes, ${field}`;

interface Field {
  readonly name: string;
  readonly server: ServerProcess;
  readonly owners: readonly Owner[];
  readonly database?: BenchDatabase;
  readonly token?: string;
}

function scenariosOf({ name, server, owners, database, token }: Field): Scenario[] {
  return SHARES.map((share) =>
    callScenario(rowName(share, name), {
      server,
      database,
      connections: CONNECTIONS,
      isAwake: true,
      request: mixOf(owners, share, token),
    }),
  );
}

const [RAW, SQLITE, POSTGRES] = ["raw", "SQLite", "PostgreSQL"];

/** What a change takes, in requests of raw node:http: the mix with 20 % has as much more than the one with none. */
function costOfChange(rows: readonly Row[]): number {
  const timeOf = (share: number, field: string) => 1 / rowOf(rows, rowName(share, field)).median;
  const read = timeOf(0, SQLITE);
  return (timeOf(20, SQLITE) - 0.8 * read) / 0.2 / timeOf(0, RAW);
}

function findingsOf(rows: readonly Row[]): Finding[] {
  const besideFindings = (field: string, goalOf: (share: number) => number | undefined) =>
    SHARES.map((share) => {
      const goal = goalOf(share);
      const label = `${share} % changes: SQLite / ${field}`;
      const [of, beside] = [rowName(share, SQLITE), rowName(share, field)];
      return rateFinding(rows, label, of, beside, goal === undefined ? undefined : atLeast(goal));
    });
  return [
    ...besideFindings(RAW, (share) => GOALS[share]?.raw),
    ...besideFindings(PEER, (share) => GOALS[share]?.peer),
    finding("a PATCH of 20 % on SQLite, in requests of raw", costOfChange(rows), atMost(MOST_OF_A_CHANGE)),
  ];
}

export async function benchMix({ folder, keep }: Bench): Promise<Table[]> {
  const [fileDir, dataDir] = [join(folder, "sqlite"), join(folder, "postgres")];
  const fileOwners = await seedMix(fileDir);
  const database = await keep(openBenchDatabase());
  const owners = await seedMix(dataDir, database.url);
  const server = await keep(startReeve(fileDir));
  const shared = await keep(startReeve(dataDir, { REEVE_DATABASE_URL: database.url }));
  const bodies: Record<string, string> = {};
  for (const { token, team } of fileOwners) {
    const path = `/v2/teams/${team}`;
    bodies[path] = await readBody(server, token, { method: "GET", path });
  }
  const raw = await keep(startRaw(bodies));
  const peerOwners = fileOwners.map(({ token }, at) => ({ token, team: slugOf(at) }));
  const peer = await keep(
    startEmulate(
      folder,
      peerOwners.map(({ team }) => team),
      peerOwners.map(({ token }) => token),
    ),
  );
  const fields: readonly Field[] = [
    { name: RAW, server: raw, owners: fileOwners, token: RAW_TOKEN },
    { name: PEER, server: peer, owners: peerOwners },
    { name: SQLITE, server, owners: fileOwners },
    { name: POSTGRES, server: shared, owners, database },
  ];
  const rows = await runRounds(fields.flatMap(scenariosOf), WARM_UPS);
  return [
    {
      title: `GET team with PATCH among it, ${OWNERS} owners in turn, ${CONNECTIONS} connections`,
      unit: "requests/s",
      rows,
      findings: findingsOf(rows),
      notes: [
        "Raw answers the same bytes to the same mix. CPU is that of one request of either kind.",
        `${PEER} and raw store nothing: their changes are lost with the process.`,
        "The client never sleeps, so that it wakes for no server sooner than for another: it takes one of the two cores.",
        `PostgreSQL ${database.version} runs without fsync, as the tests start it: its changes do not wait for a disk here.`,
      ],
    },
  ];
}
