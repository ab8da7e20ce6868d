// What receivers that fail or are slow cost the healthy ones: how long deliveries to these take from the event's commit to their
// arrival, alone and beside the others, on each engine.
import { join } from "node:path";
import { freePort } from "../test/harness/free-port.ts";
import { percentile } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import type { BenchDatabase } from "./postgres.ts";
import { readBody, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { startMeter } from "./scenarios.ts";
import { seedStore } from "./seed.ts";
import { PAYLOAD, PUBLISHED_TYPE, seedHookSet } from "./seed-webhooks.ts";
import type { HookSet } from "./seed-webhooks.ts";
import { atMost, finding, rowOf, spreadRow } from "./table.ts";
import type { Row, Table } from "./table.ts";
import { FAILING_PATHS, LOCAL_EGRESS, machineMs, startReceiver, switchHooks } from "./webhook-processes.ts";
import type { Receiver } from "./webhook-processes.ts";

const OWNERS = 10;
/** Of each owner. Every third one has a receiver that fails or is slow. */
const WEBHOOKS = 100;
const FAILING_EVERY = 3;
const HEALTHY = WEBHOOKS - Math.ceil(WEBHOOKS / FAILING_EVERY);
/** Of each owner, one after the other, as fast as they are recorded. */
const EVENTS = 30;
const CONCURRENCY = 4;

const isFailing = (at: number) => at % FAILING_EVERY === 0;
const publishing = { method: "POST", path: "/v1/events", body: { type: PUBLISHED_TYPE, payload: PAYLOAD } };

interface Field {
  readonly name: string;
  readonly server: ServerProcess;
  readonly database?: BenchDatabase;
  readonly receiver: Receiver;
  readonly sets: readonly HookSet[];
}

/** Of owner 3: the path `/3` of a healthy receiver, each with an origin of its own. */
function urlOf(receiver: Receiver, closedPort: number, owner: number, at: number): string {
  const origin = receiver.origins[owner * WEBHOOKS + at] as string;
  if (!isFailing(at)) return `${origin}/${owner}`;
  const { hang, error, slow } = FAILING_PATHS;
  const failing = [`http://127.0.0.1:${closedPort}`, `${origin}${error}`, `${origin}${hang}`, `${origin}${slow}`];
  return failing[Math.floor(at / FAILING_EVERY) % failing.length] as string;
}

/** Publishes the events of all owners, and returns how long each delivery to a healthy receiver took. */
async function measureDelays({ server, receiver, sets }: Field): Promise<number[]> {
  const arrived = receiver.expect({ requests: OWNERS * HEALTHY * EVENTS, hasTimes: true });
  const committed = new Map<string, number>();
  await Promise.all(
    sets.map(async ({ token }, owner) => {
      for (let count = 0; count < EVENTS; count++) {
        const { sequence } = JSON.parse(await readBody(server, token, publishing)) as { sequence: number };
        committed.set(`/${owner} ${sequence}`, machineMs());
      }
    }),
  );
  const { times } = await arrived;
  return times.map(({ path, sequence, at }) => at - (committed.get(`${path} ${sequence}`) ?? Number.NaN));
}

async function measure(field: Field, name: string): Promise<Row> {
  const readMeter = startMeter(field.server, field.database);
  const sorted = Float64Array.from(await measureDelays(field)).toSorted();
  const { cpuUs, databaseCpuUs = Number.NaN } = readMeter(sorted.length);
  const [p50Ms, p99Ms] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { ...spreadRow(name, [...sorted]), p50Ms, p99Ms, cpuUs, databaseCpuUs };
}

const aloneOn = (engine: string) => `healthy receivers alone, ${engine}`;
const besideOn = (engine: string) => `beside a third that fail or are slow, ${engine}`;

/** First without the failing webhooks, which are switched on afterwards. */
async function measureField(field: Field): Promise<Row[]> {
  const part = (isWanted: (at: number) => boolean) =>
    field.sets.map((set) => ({ ...set, webhookIds: set.webhookIds.filter((_, at) => isWanted(at)) }));
  for (const set of part((at) => !isFailing(at))) await switchHooks(field.server, set, true);
  const alone = await measure(field, aloneOn(field.name));
  for (const set of part(isFailing)) await switchHooks(field.server, set, true);
  return [alone, await measure(field, besideOn(field.name))];
}

async function openField(
  { folder, keep }: Bench,
  name: string,
  receiver: Receiver,
  database?: BenchDatabase,
): Promise<Field> {
  const dataDir = join(folder, `fairness-${name}`);
  const closedPort = await freePort();
  const sets = await seedStore(
    dataDir,
    Date.now(),
    async (tx, keyring) => {
      const seeded: HookSet[] = [];
      for (let owner = 0; owner < OWNERS; owner++) {
        const url = (at: number) => urlOf(receiver, closedPort, owner, at);
        const wish = { username: `fair-${owner}`, url, webhooks: WEBHOOKS, concurrency: CONCURRENCY, events: 0 };
        seeded.push(await seedHookSet(tx, keyring, wish));
      }
      return seeded;
    },
    database?.url,
  );
  const server = await keep(
    startReeve(dataDir, {
      ...LOCAL_EGRESS,
      ...(database && { REEVE_DATABASE_URL: database.url }),
    }),
  );
  return { name, server, receiver, sets, ...(database && { database }) };
}

export async function benchFairness(bench: Bench): Promise<Table> {
  const receiver = await bench.keep(startReceiver(OWNERS * WEBHOOKS));
  const rows: Row[] = [];
  for (const engine of ["SQLite", "PostgreSQL"]) {
    const database = engine === "PostgreSQL" ? await bench.keep(openBenchDatabase()) : undefined;
    const field = await openField(bench, engine, receiver, database);
    rows.push(...(await measureField(field)));
    await field.server.stop();
  }
  return {
    title: `Until a delivery has arrived at a healthy receiver, ${OWNERS * WEBHOOKS} webhooks, ${EVENTS} events each at once`,
    unit: "ms",
    rows,
    findings: ["SQLite", "PostgreSQL"].map((engine) =>
      finding(`${besideOn(engine)}, p99`, rowOf(rows, besideOn(engine)).p99Ms, atMost(5_000), "ms"),
    ),
    notes: [
      "Each webhook has an origin of its own. Of the third, one part refuses connections, one answers 500, one never answers, and one answers 200 after ten seconds.",
      "CPU for a delivery to a healthy receiver, with the event that is published.",
    ],
  };
}
