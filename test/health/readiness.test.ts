// What `GET /health/ready` reports about a store with a real failure, and what the log says about it.
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { SCHEMA_VERSION, migrate } from "../../src/platform/store/migrations/migrate.ts";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";
import { HEALTH_CHECKS } from "../../src/serve/observability/health-checks.ts";
import type { HealthCheckCode } from "../../src/serve/observability/health-checks.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";

const lines: string[] = [];
const { request, query, withStore, clock, settings, createUser } = await startOwnApp(
  { logLevel: "info", egressAllow: "127.0.0.1" },
  (line) => lines.push(line),
  // It leases no webhook, so waiting deliveries continue to wait.
  { delivery: { maxLeased: 0 } },
);

type Checks = Readonly<Record<string, { readonly code: HealthCheckCode; readonly advice: string }>>;

function checksOf({ status, body }: TestResponse): Checks {
  return (status === 200 ? body.checks : body.error.checks) ?? {};
}

async function ask(): Promise<TestResponse> {
  return await request("GET", "/health/ready", { token: null });
}

/** The first response that reports a failure, or that reports none any more: a response is cached for a second. */
async function askUntil(code: HealthCheckCode, isPresent: boolean): Promise<TestResponse> {
  for (;;) {
    const response = await ask();
    if ((checksOf(response)[HEALTH_CHECKS[code].check]?.code === code) === isPresent) return response;
    await pause(50);
  }
}

/** Asserts the response during a failure, and that the failure is over afterwards. */
async function assertTold(code: HealthCheckCode, end: () => Promise<unknown>): Promise<void> {
  const response = await askUntil(code, true);
  const { isFatal, check, advice } = HEALTH_CHECKS[code];
  assert.equal(response.status, isFatal ? 503 : 200);
  assert.deepEqual(checksOf(response)[check], { code, advice });
  if (isFatal) assert.equal(response.body.error.code, "not_ready");
  else assert.equal(response.body.status, "ready");
  await end();
  assert.equal((await askUntil(code, false)).status, 200);
}

/** Migrates the database as a newer Reeve does whose schema older processes cannot serve beside. */
async function migrateFurther(): Promise<void> {
  const later = { version: SCHEMA_VERSION + 1, name: "later", statements: () => ["create table later (id bigint)"] };
  await withStore((database) => migrate(database, null, 0, [...MIGRATIONS, later]));
}

async function takeBack(): Promise<void> {
  await query("drop table later");
  await query(`delete from schema_migrations where version > ${SCHEMA_VERSION}`);
}

test("a database that a newer Reeve has changed", async () => {
  await migrateFurther();
  await assertTold("schema_newer", takeBack);
});

test("a missing key file: a warning while the process has the key, and not ready without it", async () => {
  const user = await createUser();
  const create = async (name: string) =>
    await request("POST", "/v2/secrets", { token: user.token, body: { name, value: "x", decryptable: true } });
  assert.equal((await create("SEALED")).status, 200);
  const file = join(settings.dataDir, "master.key");
  renameSync(file, `${file}.away`);
  await askUntil("master_key_removed", true);
  // Reads its files again, and no longer has the key.
  const [{ key_id: present } = {}] = await query("select key_id from active_master_key");
  await query("update active_master_key set key_id = 'mk_0123456789abcdef'");
  assert.equal((await create("LACKING")).status, 503);
  await query(`update active_master_key set key_id = '${String(present)}'`);
  assert.equal((await create("STILL_LACKING")).status, 503);
  await assertTold("master_key_missing", async () => renameSync(`${file}.away`, file));
  assert.equal((await create("FOUND")).status, 200);
});

test("webhooks that no worker delivers to", async () => {
  const { token } = await createUser();
  const body = { url: "http://127.0.0.1:8999/", events: ["*"] };
  assert.equal((await request("POST", "/v1/webhooks", { token, body })).status, 200);
  assert.equal((await request("PATCH", "/v2/user", { token, body: { name: "Changed" } })).status, 200);
  clock.advance(6 * 60_000);
  await assertTold("deliveries_stalled", () => query("update webhook_queues set ready_at = 9007199254740991"));
});

test("the response names no host, file or key, and the log does, once for each change", async () => {
  lines.length = 0;
  await migrateFurther();
  const response = await askUntil("schema_newer", true);
  // Longer than a response is cached, so that readiness checks again.
  const until = performance.now() + 1_200;
  while (performance.now() < until) assert.equal((await ask()).status, 503);
  assert.ok(!response.text.includes(`version ${SCHEMA_VERSION + 1}`));
  await takeBack();
  await askUntil("schema_newer", false);
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /ready/.test(msg));
  assert.deepEqual(
    told.map(({ msg }) => msg),
    ["not ready", ENGINE === "postgres" ? "ready, but something is wrong" : "ready: what was wrong is over"],
  );
  assert.match(JSON.stringify(told[0].found), new RegExp(`version ${SCHEMA_VERSION + 1}`));
});

if (ENGINE === "sqlite") {
  test("another program that holds the database", async () => {
    const holder = new DatabaseSync(join(settings.dataDir, "reeve.db"));
    holder.exec("begin immediate");
    const change = createUser();
    await assertTold("writer_stalled", async () => {
      holder.exec("rollback");
      await change.catch(() => undefined);
    });
    holder.close();
  });
}

if (ENGINE === "postgres") {
  test("a database whose tables are gone", async () => {
    await query("alter table schema_migrations rename to moved_away");
    await assertTold("store_no_schema", () => query("alter table moved_away rename to schema_migrations"));
  });

  test("a database that hangs blocks no probe, and gets no further query for each", async () => {
    const blocker = new pg.Client({ connectionString: settings.databaseUrl as string });
    await blocker.connect();
    await blocker.query("begin; lock table schema_migrations in access exclusive mode");
    await askUntil("store_timeout", true);
    await askUntil("store_timeout", true);
    const waiting = await blocker.query(
      "select count(*)::int as probes from pg_stat_activity where wait_event_type = 'Lock' and query like '%schema_migrations%'",
    );
    assert.equal(waiting.rows[0].probes, 1);
    await assertTold("store_timeout", () => blocker.query("rollback"));
    await blocker.end();
  });

  test("a database that takes no logins, and does again", async () => {
    const admin = new pg.Client({ connectionString: process.env["REEVE_TEST_DATABASE_URL"] as string });
    await admin.connect();
    const name = new URL(settings.databaseUrl as string).pathname.slice(1);
    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await assertTold("store_login_refused", () => admin.query(`alter database ${name} with allow_connections true`));
    await admin.end();
  });
}
