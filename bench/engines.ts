// What calls cost on each engine.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeRequest, runLoad } from "./load.ts";
import type { ApiRequest } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import type { BenchDatabase } from "./postgres.ts";
import { startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { DURATION_MS, callScenario, rotate, runRounds, startMeter } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedOwner, seedStore } from "./seed.ts";
import { seedChain } from "./seed-events.ts";
import { newSecretValue, seedSecret } from "./seed-secrets.ts";
import { seedTeam } from "./seed-teams.ts";
import { PAYLOAD, PUBLISHED_TYPE, seedHookSet } from "./seed-webhooks.ts";
import type { HookSet } from "./seed-webhooks.ts";
import type { Row, Table } from "./table.ts";
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

/** A server and its store. */
interface Field {
  readonly name: string;
  /** The file of a store whose answers are not to be cached. */
  readonly uncachedFile?: string;
  readonly server: ServerProcess;
  readonly seed: Seed;
  readonly database?: BenchDatabase;
}

export const engineRow = (call: string, field: string) => `${call}, ${field}`;
export const SQLITE = "SQLite";
/** What is asked again between two commits. */
export const CACHED = "SQLite, cached responses";
export const POSTGRES = "PostgreSQL";

/** The call, by these owners in turn. The client sleeps while it waits: spinning, it would take a core from the server. */
function ownersScenario(call: string, ask: Call["request"], owners: readonly Owner[], field: Field): Scenario {
  const { server, database } = field;
  const nextOwner = rotate(owners);
  const request = () => {
    const owner = nextOwner();
    return encodeRequest(ask(owner), owner.token);
  };
  const name = engineRow(call, field.name);
  return callScenario(name, { server, database, connections: CONNECTIONS, isAwake: false, request });
}

const COMMIT_EVERY_MS = 1;
const BUSY_TIMEOUT_MS = 1_000;

/**
 * The scenario without cached answers: on SQLite one holds until anybody commits something, and between two commits of a
 * busy instance hardly anything is asked twice. Here this process commits every millisecond, which costs the server
 * nothing but cache misses. The requests must be of many URLs or credentials.
 */
function withoutCache(file: string, scenario: Scenario): Scenario {
  return {
    name: scenario.name,
    async measure(durationMs) {
      const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
      // A row of its own: an update that changes nothing would not be a commit.
      db.exec(`
        pragma synchronous = off;
        create table if not exists commits (count integer);
        insert into commits values (0);
      `);
      const touch = db.prepare("update commits set count = count + 1");
      const committing = setInterval(() => touch.run(), COMMIT_EVERY_MS);
      try {
        return await scenario.measure(durationMs);
      } finally {
        clearInterval(committing);
        db.exec("delete from commits");
        db.close();
      }
    },
  };
}

/** Publishes events of owners whose webhooks listen, until all have arrived. */
function deliveryScenario(field: Field, receiver: Receiver): Scenario {
  const name = engineRow(DELIVERED, field.name);
  const { port } = field.server;
  const request = rotate(field.seed.listeners.map(({ token }) => encodeRequest(published, token)));
  return {
    name,
    async measure() {
      const readMeter = startMeter(field.server, field.database);
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

async function openFields({ folder, keep }: Bench, receiver: Receiver): Promise<Field[]> {
  const environment = { REEVE_EGRESS_ALLOW: "127.0.0.0/8", REEVE_EGRESS_PORTS: "1-65535" };
  const [fileDir, dataDir] = [join(folder, "sqlite"), join(folder, "postgres")];
  const fileSeed = await seedEngine(fileDir, receiver);
  const database = await keep(openBenchDatabase());
  const seed = await seedEngine(dataDir, receiver, database.url);
  const shared = { ...environment, REEVE_DATABASE_URL: database.url };
  const fileServer = await keep(startReeve(fileDir, environment));
  return [
    { name: SQLITE, server: fileServer, seed: fileSeed, uncachedFile: join(fileDir, "reeve.db") },
    { name: CACHED, server: fileServer, seed: fileSeed },
    { name: POSTGRES, server: await keep(startReeve(dataDir, shared)), seed, database },
  ];
}

export async function benchEngines(bench: Bench): Promise<Table[]> {
  const receiver = await bench.keep(startReceiver());
  const fields = await openFields(bench, receiver);
  const scenarios = Object.entries(CALLS).flatMap(([call, { kind, request }]) =>
    fields
      .filter(({ name }) => kind === "read" || name !== CACHED)
      .map((field) => {
        const scenario = ownersScenario(call, request, field.seed.owners, field);
        return kind === "read" && field.uncachedFile !== undefined
          ? withoutCache(field.uncachedFile, scenario)
          : scenario;
      }),
  );
  for (const field of fields.filter(({ name }) => name !== CACHED)) {
    scenarios.push(ownersScenario(ONE_OWNER, () => published, field.seed.owners.slice(0, 1), field));
    for (const hooks of field.seed.listeners) await switchHooks(field.server, hooks, true);
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
      notes: ["Beside reads without cached responses another process commits every millisecond."],
    },
    {
      title: "Calls on PostgreSQL",
      unit,
      rows: rows.filter((row) => !isOnFile(row)),
      findings: [],
      notes: [
        `PostgreSQL ${fields.at(-1)?.database?.version} runs without fsync, as the tests start it: its changes do not wait for a disk here.`,
      ],
    },
  ];
}
