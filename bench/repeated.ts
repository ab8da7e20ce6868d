// What a cache answers: the same requests over and over while nobody changes anything, beside raw node:http. It flatters, so it is the
// last of the report.
import { join } from "node:path";
import {
  CACHED,
  CALLS,
  GET_TEAM,
  GET_USER,
  TEAM_PAGE,
  callRow,
  ownersScenario,
  seedOwners,
  seedStart,
} from "./calls.ts";
import type { Field } from "./calls.ts";
import { RAW_TOKEN, readBody, startRaw, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { runRounds } from "./scenarios.ts";
import { seedStore } from "./seed.ts";
import { atLeast, rateFinding } from "./table.ts";
import type { Table } from "./table.ts";

const RAW = "raw";
/** Beside raw node:http. */
const GOALS: Readonly<Record<string, number>> = { [GET_USER]: 0.6, [GET_TEAM]: 0.6, [TEAM_PAGE]: 0.25 };

/** The calls share servers, so each finds them warm already. */
const WARM_UPS = 4;

const READS = Object.entries(CALLS).filter(([, { kind }]) => kind === "read");

/** What the server answers to the calls that are compared, by path. */
async function readBodies({ server, owners }: Field): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for (const owner of owners) {
    for (const [, { request }] of READS.filter(([call]) => call in GOALS)) {
      const asked = request(owner);
      bodies[asked.path] ??= await readBody(server, owner.token, asked);
    }
  }
  return bodies;
}

export async function benchRepeated({ folder, keep }: Bench): Promise<Table[]> {
  const dataDir = join(folder, "repeated");
  const start = seedStart();
  const owners = await seedStore(dataDir, start, (tx, keyring) => seedOwners(tx, keyring, start));
  const ours = { name: CACHED, server: await keep(startReeve(dataDir)), owners };
  const rawOwners = owners.map((owner) => ({ ...owner, token: RAW_TOKEN }));
  const raw = { name: RAW, server: await keep(startRaw(await readBodies(ours))), owners: rawOwners };
  const rows = await runRounds(
    READS.flatMap(([call]) =>
      [ours, ...(call in GOALS ? [raw] : [])].map((field) => ownersScenario(call, field, { isAwake: true })),
    ),
    WARM_UPS,
  );
  return [
    {
      title: "Cached responses: the same requests repeated while nobody changes anything",
      unit: "requests/s",
      rows,
      findings: Object.entries(GOALS).map(([call, goal]) =>
        rateFinding(rows, `${call}: cached / ${RAW}`, callRow(call, CACHED), callRow(call, RAW), atLeast(goal)),
      ),
      notes: [`${owners.length} owners ask in turn. No instance that is used does so little: the tables above count.`],
    },
  ];
}
