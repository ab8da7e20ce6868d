// What calls cost on PostgreSQL, and changes on SQLite: reads on SQLite are in uncached.ts and repeated.ts.
import { join } from "node:path";
import type { Keyring } from "../src/platform/kernel/keyring.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { CALLS, CREATE_TEAM, DELIVERED, GET_TEAM, ONE_OWNER, POSTGRES, PUBLISH, SQLITE } from "./calls.ts";
import { callRow, ownersScenario, published, seedOwners, seedStart } from "./calls.ts";
import type { Call, Field } from "./calls.ts";
import { UNCACHED_ON_POSTGRES_NOTE, withoutCache } from "./foreign-commits.ts";
import { encodeRequest, runLoad } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import { startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { DURATION_MS, FULL_LOAD, rotate, runRounds, startMeter } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedStore } from "./seed.ts";
import { seedHookSet } from "./seed-webhooks.ts";
import type { HookSet } from "./seed-webhooks.ts";
import { atLeast, cpuFinding, finding, rateFinding, rowOf } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";
import { LOCAL_EGRESS, startReceiver, switchHooks } from "./webhook-processes.ts";
import type { Receiver } from "./webhook-processes.ts";

const LISTENERS = 16;
/** Events that are published and delivered in one measurement. */
const DELIVERIES = Math.max(100, DURATION_MS);
const DELIVERY_DEADLINE_MS = 60_000;
/** The scenarios share servers, so each finds them warm already. */
const WARM_UPS = 4;
/** What it is to be on PostgreSQL: CPU of ours and of the database server, us. */
const CPU_GOALS: Readonly<Record<string, readonly [ours: number, database: number]>> = {
  [CREATE_TEAM]: [450, 900],
  [PUBLISH]: [450, 900],
  [GET_TEAM]: [120, 90],
};

interface DeliveringField extends Field {
  /** Owners of a webhook each. */
  readonly listeners: readonly HookSet[];
}

/** Publishes events of owners whose webhooks listen, until all have arrived. */
function deliveryScenario({ name, server, database, listeners }: DeliveringField, receiver: Receiver): Scenario {
  const request = rotate(listeners.map(({ token }) => encodeRequest(published, token)));
  return {
    name: callRow(DELIVERED, name),
    async measure() {
      const readMeter = startMeter(server, database);
      const arrived = receiver.expect({ requests: DELIVERIES, hasTimes: false });
      const startedAt = performance.now();
      const { requests } = await runLoad({
        ports: [server.port],
        connections: FULL_LOAD,
        durationMs: DELIVERY_DEADLINE_MS,
        isAwake: false,
        limit: DELIVERIES,
        request,
      });
      if (requests < DELIVERIES) throw new Error(`only ${requests} of ${DELIVERIES} were published`);
      await arrived;
      const perSecond = DELIVERIES / ((performance.now() - startedAt) / 1_000);
      return { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, ...readMeter(DELIVERIES) };
    },
  };
}

async function openFields({ folder, keep }: Bench, receiver: Receiver): Promise<DeliveringField[]> {
  const start = seedStart();
  const fill = async (tx: Tx, keyring: Keyring) => {
    const owners = await seedOwners(tx, keyring, start);
    const listeners: HookSet[] = [];
    for (let at = 0; at < LISTENERS; at++) {
      const wish = { username: `listener-${at}`, url: receiver.url, webhooks: 1, concurrency: 4, events: 0 };
      listeners.push(await seedHookSet(tx, keyring, wish));
    }
    return { owners, listeners };
  };
  const [fileDir, dataDir] = [join(folder, "sqlite"), join(folder, "postgres")];
  const fileSeed = await seedStore(fileDir, start, fill);
  const database = await keep(openBenchDatabase());
  const seed = await seedStore(dataDir, start, fill, database.url);
  const shared = await keep(startReeve(dataDir, { ...LOCAL_EGRESS, REEVE_DATABASE_URL: database.url }));
  return [
    { name: SQLITE, server: await keep(startReeve(fileDir, LOCAL_EGRESS)), ...fileSeed },
    { name: POSTGRES, server: shared, ...seed, database },
  ];
}

const CREATE_ALONE = `${CREATE_TEAM}, one connection`;

async function scenariosOf(fields: readonly DeliveringField[], receiver: Receiver): Promise<Scenario[]> {
  const scenarios: Scenario[] = [];
  for (const field of fields) {
    const calls = Object.entries(CALLS).filter(([, { kind }]) => kind !== "read" || field.name === POSTGRES);
    const busyOwner = { ...field, owners: field.owners.slice(0, 1) };
    for (const hooks of field.listeners) await switchHooks(field.server, hooks, true);
    const scenarioOf = (call: string, kind: Call["kind"]) => {
      const scenario = ownersScenario(call, field);
      return kind === "read" && field.database ? withoutCache(field.database, scenario) : scenario;
    };
    scenarios.push(
      ...calls.map(([call, { kind }]) => scenarioOf(call, kind)),
      ownersScenario(CREATE_TEAM, field, { connections: 1, row: callRow(CREATE_ALONE, field.name) }),
      ownersScenario(PUBLISH, busyOwner, { row: callRow(ONE_OWNER, field.name) }),
      deliveryScenario(field, receiver),
    );
  }
  return scenarios;
}

function perSecondFinding(rows: readonly Row[], name: string, least: number): Finding {
  return finding(name, rowOf(rows, name).median, atLeast(least), "a second");
}

export async function benchEngines(bench: Bench): Promise<Table[]> {
  const receiver = await bench.keep(startReceiver());
  const fields = await openFields(bench, receiver);
  const rows = await runRounds(await scenariosOf(fields, receiver), WARM_UPS);
  const isOnFile = ({ name }: Row) => name.endsWith(SQLITE);
  const unit = "requests/s";
  const [create, alone] = [callRow(CREATE_TEAM, SQLITE), callRow(CREATE_ALONE, SQLITE)];
  return [
    {
      title: "Calls on PostgreSQL",
      unit,
      rows: rows.filter((row) => !isOnFile(row)),
      findings: [
        ...Object.entries(CPU_GOALS).map(([call, [ours, database]]) =>
          cpuFinding(rows, callRow(call, POSTGRES), ours, database),
        ),
        perSecondFinding(rows, callRow(ONE_OWNER, POSTGRES), 1_500),
        perSecondFinding(rows, callRow(DELIVERED, POSTGRES), 1_500),
      ],
      notes: [
        `PostgreSQL ${fields[1]?.database?.version} runs without fsync, as the tests start it: its changes do not wait for a disk here.`,
        UNCACHED_ON_POSTGRES_NOTE,
      ],
    },
    {
      title: "Changes on SQLite",
      unit,
      rows: rows.filter(isOnFile),
      findings: [
        perSecondFinding(rows, callRow(DELIVERED, SQLITE), 3_500),
        rateFinding(rows, `${CREATE_TEAM}: ${FULL_LOAD} connections / one`, create, alone),
      ],
    },
  ];
}
