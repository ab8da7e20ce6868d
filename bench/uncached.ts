// Reads on SQLite of which none is cached, beside the least program that answers the same from a database.
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CALLS, GET_TEAM, GET_USER, OWNERS, SQLITE, TEAM_PAGE } from "./calls.ts";
import { callRow, ownersScenario, seedOwners, seedStart } from "./calls.ts";
import type { Field } from "./calls.ts";
import { startFloor } from "./floor.ts";
import { UNCACHED_NOTE, storeFile, withoutCache } from "./foreign-commits.ts";
import { readBody, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { FULL_LOAD, runRounds } from "./scenarios.ts";
import { seedStore } from "./seed.ts";
import { atLeast, finding, rateFinding, rowOf } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";

const FLOOR = "Fastify + node:sqlite";
/** How fast we are to be, beside it. */
const GOALS: Readonly<Record<string, number>> = { [GET_USER]: 0.9, [GET_TEAM]: 0.9, [TEAM_PAGE]: 1.2 };

const READS = Object.entries(CALLS).filter(([, { kind }]) => kind === "read");

/** What differs is not comparable. */
async function checkFloor(ours: Field, floor: Field): Promise<void> {
  for (const [call, { request }] of READS.filter(([name]) => name in GOALS)) {
    for (const owner of [ours.owners[0], ours.owners.at(-1)]) {
      if (!owner) throw new Error("no owners");
      const bodies: unknown[] = [];
      for (const { server } of [ours, floor]) {
        bodies.push(JSON.parse(await readBody(server, owner.token, request(owner))));
      }
      if (!isDeepStrictEqual(bodies[0], bodies[1])) {
        throw new Error(`${FLOOR} answers ${call} otherwise than Reeve: ${JSON.stringify(bodies)}`);
      }
    }
  }
}

function findingsOf(rows: readonly Row[]): Finding[] {
  return Object.entries(GOALS).flatMap(([call, goal]) => {
    const [ours, floor] = [callRow(call, SQLITE), callRow(call, FLOOR)];
    const cpu = rowOf(rows, floor).cpuUs / rowOf(rows, ours).cpuUs;
    return [
      rateFinding(rows, `${call}: Reeve / ${FLOOR}`, ours, floor, atLeast(goal)),
      finding(`${call}: CPU of ${FLOOR} / of Reeve`, cpu),
    ];
  });
}

export async function benchUncached({ folder, keep }: Bench): Promise<Table[]> {
  const dataDir = join(folder, "uncached");
  const start = seedStart();
  const owners = await seedStore(dataDir, start, (tx, keyring) => seedOwners(tx, keyring, start));
  const ours = { name: SQLITE, server: await keep(startReeve(dataDir)), owners };
  const floorServer = await keep(startFloor(folder, ours.server, owners));
  const floor = { name: FLOOR, server: floorServer, owners };
  await checkFloor(ours, floor);
  const scenarios = READS.flatMap(([call]) => {
    const scenario = (field: Field, file: string) => withoutCache(file, ownersScenario(call, field, { isAwake: true }));
    return [scenario(ours, storeFile(dataDir)), ...(call in GOALS ? [scenario(floor, floorServer.file)] : [])];
  });
  const rows = await runRounds(scenarios);
  return [
    {
      title: `Nothing cached: ${OWNERS} owners in turn, ${FULL_LOAD} connections`,
      unit: "requests/s",
      rows,
      findings: findingsOf(rows),
      notes: [
        `${FLOOR} is bench/floor-server.ts: the least program that answers the same from a database, without any other feature. ` +
          "In each request it looks up the token's hash, the membership and the rows by prepared statements, and Fastify writes them " +
          "by the same response schema.",
        UNCACHED_NOTE,
      ],
    },
  ];
}
