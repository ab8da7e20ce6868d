// What calls cost on each engine, and what a second process on PostgreSQL adds to the first.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { encodeRequest, runLoad } from "./load.ts";
import type { ApiRequest } from "./load.ts";
import { madeAnew } from "./made-anew.ts";
import { openBenchDatabase } from "./postgres.ts";
import type { BenchDatabase } from "./postgres.ts";
import { cpuSeconds, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { DURATION_MS, rotate, runRounds } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedOwner, seedStore } from "./seed.ts";
import { seedChain } from "./seed-events.ts";
import { newSecretValue, seedSecret } from "./seed-secrets.ts";
import { seedTeam } from "./seed-teams.ts";
import { PAYLOAD, PUBLISHED_TYPE, seedHookSet } from "./seed-webhooks.ts";
import type { HookSet } from "./seed-webhooks.ts";
import { atLeast, finding, rateFinding, rowOf } from "./table.ts";
import type { Finding, Row, Sample, Table } from "./table.ts";
import { startReceiver, switchHooks } from "./webhook-processes.ts";
import type { Receiver } from "./webhook-processes.ts";

/** Each has a lock of its own, which its changes take one after the other. */
const OWNERS = 64;
/** Of each owner: teams, secrets and events. A page shows 20. */
const STORED = 30;
const LISTENERS = 16;
const CONNECTIONS = 64;
/** Events that are published and delivered in one measurement. */
const DELIVERIES = Math.max(100, DURATION_MS);
const DELIVERY_DEADLINE_MS = 60_000;

interface Owner {
  readonly token: string;
  readonly teamId: string;
  readonly nextSecretId: () => string;
}

interface Seed {
  readonly owners: readonly Owner[];
  /** Owners of a webhook each. */
  readonly listeners: readonly HookSet[];
}

async function seedEngine(dataDir: string, receiver: Receiver, databaseUrl?: string): Promise<Seed> {
  const start = Date.now() - OWNERS * STORED;
  return await seedStore(
    dataDir,
    start,
    async (tx, keyring) => {
      const owners: Owner[] = [];
      for (let at = 0; at < OWNERS; at++) {
        const { ownerId, token } = await seedOwner(tx, start + at, `owner-${at}`);
        let teamId = "";
        const secretIds: string[] = [];
        for (let i = 0; i < STORED; i++) {
          teamId = await seedTeam(tx, `team-${at}-${i}`, ownerId, start + at * STORED + i);
          secretIds.push(await seedSecret(tx, keyring, ownerId, `secret-${i}`, start + i));
        }
        await seedChain(tx, ownerId, STORED, start);
        owners.push({ token, teamId, nextSecretId: rotate(secretIds) });
      }
      const listeners: HookSet[] = [];
      for (let at = 0; at < LISTENERS; at++) {
        const wish = { username: `listener-${at}`, url: receiver.url, webhooks: 1, concurrency: 4, events: 0 };
        listeners.push(await seedHookSet(tx, keyring, wish));
      }
      return { owners, listeners };
    },
    databaseUrl,
  );
}

interface Call {
  readonly kind: "read" | "write" | "publish";
  request(owner: Owner): ApiRequest;
}

let slugCounter = 0;
const published = { method: "POST", path: "/v1/events", body: { type: PUBLISHED_TYPE, payload: PAYLOAD } };

/** One of each kind, of many owners: what the other calls do is like one of these. */
export const CALLS: Readonly<Record<string, Call>> = {
  "GET user": { kind: "read", request: () => ({ method: "GET", path: "/v2/user" }) },
  "GET team": { kind: "read", request: ({ teamId }) => ({ method: "GET", path: `/v2/teams/${teamId}` }) },
  "page of 20 teams": { kind: "read", request: () => ({ method: "GET", path: "/v2/teams" }) },
  "page of 20 events": { kind: "read", request: () => ({ method: "GET", path: "/v3/events" }) },
  "GET secret": {
    kind: "read",
    request: ({ nextSecretId }) => ({ method: "GET", path: `/v3/secrets/${nextSecretId()}` }),
  },
  // It records an event.
  "reveal secret": {
    kind: "write",
    request: ({ nextSecretId }) => ({ method: "GET", path: `/v3/secrets/${nextSecretId()}?decrypt=true` }),
  },
  "create team": {
    kind: "write",
    request: () => ({ method: "POST", path: "/v1/teams", body: { slug: `made-${slugCounter++}` } }),
  },
  "new value of a secret": {
    kind: "write",
    request: ({ nextSecretId }) => ({
      method: "PUT",
      path: `/v2/secrets/${nextSecretId()}`,
      body: { value: newSecretValue() },
    }),
  },
  "publish event": { kind: "publish", request: () => published },
};

/** All changes of one owner wait for each other. */
export const ONE_OWNER = "publish event, one owner";
export const DELIVERED = "publish and deliver event";

/** Servers on one store. */
interface Field {
  readonly name: string;
  /** Of a field whose answers are to be made anew: the directory of its file. */
  readonly anewIn?: string;
  readonly servers: readonly ServerProcess[];
  readonly seed: Seed;
  readonly database?: BenchDatabase;
}

export const engineRow = (call: string, field: string) => `${call}, ${field}`;
export const SQLITE = "SQLite";
/** What is asked again between two commits. */
export const KEPT = "SQLite, kept answers";
export const POSTGRES = "PostgreSQL";
const TWO = `2 x ${POSTGRES}`;

/** CPU of the servers and of their database, for each of what is counted from here on. */
function startMeter({ servers, database }: Field): (count: number) => Pick<Sample, "cpuUs" | "databaseCpuUs"> {
  const serving = () => servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const storing = () => database?.cpuSeconds() ?? Number.NaN;
  const before = [serving(), storing()] as const;
  return (count) => ({
    cpuUs: ((serving() - before[0]) * 1e6) / count,
    databaseCpuUs: ((storing() - before[1]) * 1e6) / count,
  });
}

/** The call, on all servers alike. The client sleeps while it waits: spinning, it would take a core from them. */
function callScenario(call: string, ask: Call["request"], owners: readonly Owner[], field: Field): Scenario {
  const nextOwner = rotate(owners);
  const request = () => {
    const owner = nextOwner();
    return encodeRequest(ask(owner), owner.token);
  };
  const name = engineRow(call, field.name);
  return {
    name,
    async measure(durationMs) {
      const readMeter = startMeter(field);
      const connections = CONNECTIONS / field.servers.length;
      const results = await Promise.all(
        field.servers.map(({ port }) => runLoad({ port, connections, durationMs, isAwake: false, request })),
      );
      const sum = (pick: (result: (typeof results)[number]) => number) =>
        results.reduce((total, result) => total + pick(result), 0);
      const requests = sum((result) => result.requests);
      const failures = sum((result) => result.failures);
      if (failures > 0) throw new Error(`${failures} of ${requests} answers were refusals`);
      return {
        perSecond: sum(({ perSecond }) => perSecond),
        p50Ms: sum(({ p50Ms }) => p50Ms) / results.length,
        p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
        ...readMeter(requests),
      };
    },
  };
}

/** Publishes events of owners whose webhooks listen, until all have arrived. */
function deliveryScenario(field: Field, receiver: Receiver): Scenario {
  const name = engineRow(DELIVERED, field.name);
  const { port } = field.servers[0] as ServerProcess;
  const request = rotate(field.seed.listeners.map(({ token }) => encodeRequest(published, token)));
  return {
    name,
    async measure() {
      const readMeter = startMeter(field);
      const arrived = receiver.expect({ requests: DELIVERIES, hasTimes: false });
      const startedAt = performance.now();
      const load = { port, connections: CONNECTIONS, durationMs: DELIVERY_DEADLINE_MS, isAwake: false };
      const { requests } = await runLoad({ ...load, limit: DELIVERIES, request });
      if (requests < DELIVERIES) throw new Error(`only ${requests} of ${DELIVERIES} were published`);
      await arrived;
      const perSecond = DELIVERIES / ((performance.now() - startedAt) / 1_000);
      return { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, ...readMeter(DELIVERIES) };
    },
  };
}

function scalingFindings(rows: readonly Row[]): Finding[] {
  return Object.keys(CALLS).flatMap((call) => {
    const [one, two] = [engineRow(call, POSTGRES), engineRow(call, TWO)];
    const ofCpu = (2 * rowOf(rows, one).cpuUs) / rowOf(rows, two).cpuUs;
    return [
      rateFinding(rows, `${call}: two processes / one, on this machine`, two, one, atLeast(1.6)),
      finding(`${call}: two processes / one, by CPU of a request`, ofCpu, atLeast(1.6)),
    ];
  });
}

async function openFields({ folder, keep }: Bench, receiver: Receiver): Promise<Field[]> {
  const environment = { REEVE_EGRESS_ALLOW: "127.0.0.0/8", REEVE_EGRESS_PORTS: "1-65535" };
  const [fileDir, dataDir] = [join(folder, "sqlite"), join(folder, "postgres")];
  const fileSeed = await seedEngine(fileDir, receiver);
  const database = await keep(openBenchDatabase());
  const seed = await seedEngine(dataDir, receiver, database.url);
  const shared = { ...environment, REEVE_DATABASE_URL: database.url };
  const first = await keep(startReeve(dataDir, shared));
  const second = await keep(startReeve(dataDir, shared));
  const fileServer = await keep(startReeve(fileDir, environment));
  return [
    { name: SQLITE, servers: [fileServer], seed: fileSeed, anewIn: fileDir },
    { name: KEPT, servers: [fileServer], seed: fileSeed },
    { name: POSTGRES, servers: [first], seed, database },
    { name: TWO, servers: [first, second], seed, database },
  ];
}

export async function benchEngines(bench: Bench): Promise<Table[]> {
  const receiver = await bench.keep(startReceiver());
  const fields = await openFields(bench, receiver);
  const scenarios = Object.entries(CALLS).flatMap(([call, { kind, request }]) =>
    fields
      .filter(({ name }) => kind === "read" || name !== KEPT)
      .map((field) => {
        const scenario = callScenario(call, request, field.seed.owners, field);
        return kind === "read" && field.anewIn !== undefined ? madeAnew(field.anewIn, scenario) : scenario;
      }),
  );
  for (const field of fields.filter(({ name }) => name !== KEPT)) {
    scenarios.push(callScenario(ONE_OWNER, () => published, field.seed.owners.slice(0, 1), field));
    if (field.name === TWO) continue;
    for (const hooks of field.seed.listeners) await switchHooks(field.servers[0] as ServerProcess, hooks, true);
    scenarios.push(deliveryScenario(field, receiver));
  }
  const rows = await runRounds(scenarios);
  const isOnFile = ({ name }: Row) => name.includes(`, ${SQLITE}`);
  const unit = "requests/s";
  return [
    {
      title: "Calls on SQLite",
      unit,
      rows: rows.filter(isOnFile),
      findings: [],
      notes: ["Beside reads without kept answers another process commits every millisecond."],
    },
    {
      title: "Calls on PostgreSQL, one process and two",
      unit,
      rows: rows.filter((row) => !isOnFile(row)),
      findings: scalingFindings(rows),
      notes: [
        `The first ratio needs a core for each process, for PostgreSQL and for the client; this machine has ${availableParallelism()} in all.`,
        "The second is what the CPU of a request says of processes that have a core each: twice that with one / that with two.",
        `PostgreSQL ${fields.at(-1)?.database?.version} runs without fsync, as the tests start it: its changes do not wait for a disk here.`,
      ],
    },
  ];
}
