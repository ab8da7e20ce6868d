// Calls one after the other while PostgreSQL is so many milliseconds away, by a proxy that delays what it sends.
import { join } from "node:path";
import { CALLS, GET_TEAM, PUBLISH, ownersScenario, seedOwners, seedStart } from "./calls.ts";
import type { Owner } from "./calls.ts";
import type { ApiRequest } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import { startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { DURATION_MS, ROUNDS, warmUp } from "./scenarios.ts";
import { seedStore } from "./seed.ts";
import { atMost, finding, rowOf, rowOfSamples } from "./table.ts";
import type { Row, Table } from "./table.ts";
import { startDistance } from "../test/postgres/distance.ts";

const DISTANCES_MS = [0, 1, 10, 50] as const;
const MEASURED_MS = 10;
/** Each of them is known to the process after its first changes. */
const OWNERS = 4;
const [PUT_FIREWALL, RENAME_TEAM, SET_SECRET] = [
  "publish a firewall",
  "rename a team",
  "new value of a secret",
] as const;
/** Of what the distance may add to a change, in ms: four round trips, and a tenth. */
const MOST_ADDED_MS = 4 * MEASURED_MS * 1.1;

let names = 0;
const ASKED: Readonly<Record<string, (owner: Owner) => ApiRequest>> = {
  [GET_TEAM]: CALLS[GET_TEAM]!.request,
  [RENAME_TEAM]: ({ teamId }) => ({ method: "PATCH", path: `/v2/teams/${teamId}`, body: { name: `Name ${names++}` } }),
  [SET_SECRET]: CALLS[SET_SECRET]!.request,
  [PUT_FIREWALL]: () => ({
    method: "PUT",
    path: "/v1/firewalls?projectId=distance",
    body: { firewallEnabled: names++ % 2 === 0, rules: [] },
  }),
  [PUBLISH]: CALLS[PUBLISH]!.request,
};

const rowName = (call: string, distanceMs: number) => `${call}, ${distanceMs} ms`;

function addedMs(rows: readonly Row[], call: string): number {
  return rowOf(rows, rowName(call, MEASURED_MS)).p50Ms - rowOf(rows, rowName(call, 0)).p50Ms;
}

export async function benchDistance({ folder, keep }: Bench): Promise<Table[]> {
  const database = await keep(openBenchDatabase());
  const url = new URL(database.url);
  const distance = await startDistance({ host: url.hostname, port: Number(url.port) });
  await keep(Promise.resolve({ pid: process.pid, stop: distance.close }));
  url.port = String(distance.port);
  const dataDir = join(folder, "distance");
  const start = seedStart();
  const owners = await seedStore(dataDir, start, (tx, keyring) => seedOwners(tx, keyring, start), database.url);
  const server = await keep(startReeve(dataDir, { REEVE_DATABASE_URL: url.href }));
  const field = { name: "PostgreSQL", server, owners: owners.slice(0, OWNERS) };
  const rows: Row[] = [];
  for (const distanceMs of DISTANCES_MS) {
    distance.delayMs = distanceMs;
    for (const [call, ask] of Object.entries(ASKED)) {
      const scenario = ownersScenario(call, field, { ask, connections: 1 });
      await warmUp(scenario);
      const samples = [];
      for (let round = 0; round < ROUNDS; round++) samples.push(await scenario.measure(DURATION_MS));
      rows.push(rowOfSamples(rowName(call, distanceMs), samples));
    }
  }
  return [
    {
      title: "PostgreSQL far away, one connection, one request after the other",
      unit: "requests/s",
      rows,
      findings: Object.keys(ASKED).map((call) =>
        finding(`${call}: added by ${MEASURED_MS} ms of distance`, addedMs(rows, call), atMost(MOST_ADDED_MS), "ms"),
      ),
      notes: [
        "The proxy is part of the client's process, and delays by timers, which are late by up to a millisecond.",
      ],
    },
  ];
}
