// What metrics and `reeve doctor` say of a PostgreSQL in trouble, and which alerts fire: by real faults of real servers.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { examineServer } from "../../../src/cli/bodies/doctor-postgres-server.ts";
import { readSettings } from "../../../src/serve/config/config.ts";
import { openDatabase } from "../../../src/serve/open-database.ts";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import type { RunningServer } from "../../cli/reeve-process.ts";
import { useClock } from "../../harness/machine-clock.ts";
import { createSmallDisk } from "../../harness/small-disk.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { parseMetrics } from "../../health/metrics-text.ts";
import type { Exposition } from "../../health/metrics-text.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import { LOOPBACK, startReceiver } from "../../webhooks/receiver.ts";
import { assertDocumented, createRecorder, findFiring, scrape } from "./alert-recording.ts";
import type { Scrape } from "./alert-recording.ts";

const ROLE = "reeve_serving";
const bootstrapToken = "an_administrators_token_of_this_test_file";
const dataDir = mkdtempSync(join(tmpdir(), "reeve-alerts-"));
const FLAGS = { ...LOOPBACK, bootstrapToken, rateLimit: "0" };

let node: PostgresNode;
let standby: PostgresNode;
let databaseUrl: string;
let server: RunningServer;
before(async () => {
  node = await createPostgresNode("watched", {
    configuration: ["fsync = on", "max_prepared_transactions = 2", "autovacuum = off"],
  });
  await node.start();
  await node.query(`create role ${ROLE} login password '${ROLE}'`);
  await node.query(`create database reeve owner ${ROLE}`);
  standby = await node.makeStandby("following");
  await standby.start();
  databaseUrl = `postgres://${ROLE}:${ROLE}@${node.host}/reeve?lock_timeout=1500`;
  server = await serveReeve({ ...FLAGS, dataDir, databaseUrl });
});
after(async () => {
  await stopReeve(server);
  await standby.remove();
  await node.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A superuser's session in the database of Reeve. */
async function withSession<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(`postgres://${node.login}@${node.host}/reeve`);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const DISK_FULL = "the disk of the embedded store is full, and changes are rare";
const { recordings, untilScraped, recordGrowth, recordOnce } = createRecorder(() => server.url);

async function examine(check: string): Promise<readonly string[]> {
  const database = await openDatabase(readSettings({ dataDir, databaseUrl }, {}));
  try {
    const findings = await examineServer(database);
    const { status, detail, advice = "" } = findings.find((one) => one.check === check) ?? assert.fail(check);
    return [status, detail, advice];
  } finally {
    await database.close();
  }
}

async function call(method: string, path: string, body: object, url = server.url): Promise<Response> {
  const headers = { authorization: `Bearer ${bootstrapToken}`, "content-type": "application/json" };
  return await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
}

interface Readiness {
  readonly status: string;
  readonly checks: { readonly deliveries?: { readonly code: string } };
}

const HIDDEN = ['oldest_transaction_seconds{state="active"}', 'oldest_transaction_seconds{state="idle"}', "standbys"];

test("without pg_read_all_stats what is hidden has no metric, and doctor names the grant", async () => {
  const shows = (page: Exposition) => HIDDEN.map((series) => page.value(`reeve_postgres_${series}`) !== undefined);
  const hidden = await untilScraped((page) => page.value("reeve_postgres_statistics_hidden") === 1);
  const page = parseMetrics(hidden.text as string);
  assert.deepEqual(shows(page), [false, false, false]);
  assert.equal(page.value('reeve_postgres_oldest_transaction_seconds{state="prepared"}'), 0);
  assert.ok((page.value('reeve_store_size_bytes{file="database"}') ?? 0) > 1_000_000);
  for (const check of ["transactions", "replication"]) {
    const [status, detail, advice] = await examine(check);
    assert.equal(status, "warning");
    assert.match(`${detail}: ${advice}`, new RegExp(`hidden from this role.*\`grant pg_read_all_stats to ${ROLE}\``));
  }
  await node.query(`grant pg_read_all_stats to ${ROLE}`);
  await recordOnce("nothing", (seen) => shows(seen).every(Boolean) && seen.value("reeve_postgres_standbys") === 1);
  recordings.set("the role lacks `pg_read_all_stats`", [hidden]);
  for (const check of ["durability", "transactions", "size", "replication", "connections"])
    assert.equal((await examine(check))[0], "ok", check);
});

test("the oldest transaction is told: of a session that does nothing, and a prepared one", async () => {
  await withSession(async (client) => {
    await client.query("begin; select 1");
    await recordGrowth("a session is idle in a transaction", 'reeve_postgres_oldest_transaction_seconds{state="idle"}');
    assert.match((await examine("transactions"))[1] ?? "", /idle in transaction [1-9]/);
    await client.query("prepare transaction 'forgotten'");
    await recordGrowth(
      "a prepared transaction is forgotten",
      'reeve_postgres_oldest_transaction_seconds{state="prepared"}',
    );
    await client.query("rollback prepared 'forgotten'");
  });
});

test("settings with which a crash loses changes are told", async () => {
  const names = ["fsync", "full_page_writes", "synchronous_commit"];
  for (const name of names) await node.query(`alter system set ${name} = off`);
  await node.query("select pg_reload_conf()");
  await recordOnce("`fsync`, `full_page_writes` or `synchronous_commit` is off", (page) =>
    names.every((setting) => page.value(`reeve_postgres_unsafe_setting{setting="${setting}"}`) === 1),
  );
  const [status, detail] = await examine("durability");
  assert.deepEqual([status, detail], ["warning", "off: fsync, full_page_writes, synchronous_commit"]);
  for (const name of names) await node.query(`alter system reset ${name}`);
  await node.query("select pg_reload_conf()");
});

test("rows that nobody vacuums are told", async () => {
  await withSession(async (client) => {
    await client.query("create table ballast as select generate_series(1, 150000)");
    await client.query("delete from ballast");
  });
  await recordOnce(
    "dead rows are not vacuumed",
    (page) => (page.value('reeve_postgres_rows{state="dead"}') ?? 0) >= 150_000,
  );
  assert.equal((await examine("size"))[0], "warning");
  await withSession((client) => client.query("drop table ballast"));
});

test("a forgotten replication slot, a standby that is behind, and one that is gone are told", async () => {
  let writing: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    writing ??= node
      .query("select pg_logical_emit_message(false, 'ballast', repeat('x', 8000000))")
      .finally(() => (writing = undefined));
  }, 1_000);
  await node.query("select pg_create_physical_replication_slot('forgotten', true)");
  await recordGrowth("a replication slot is forgotten", "reeve_postgres_slot_retained_bytes");
  await node.query("select pg_drop_replication_slot('forgotten')");
  const thaw = await standby.freeze();
  await recordGrowth("a standby does not keep up", "reeve_postgres_replication_lag_bytes");
  clearInterval(timer);
  await writing;
  // More than 256 MiB.
  await node.query(
    "select pg_logical_emit_message(false, 'ballast', repeat('x', 8000000)) from generate_series(1, 36)",
  );
  const [status, detail] = await examine("replication");
  assert.deepEqual([status, /at most \d{3} MiB behind/.test(detail ?? "")], ["warning", true]);
  await thaw();
  await standby.stop("immediate");
  const untilStandbys = (count: number) => (page: Exposition) => page.value("reeve_postgres_standbys") === count;
  await recordOnce("a standby is gone", untilStandbys(0));
  await standby.start();
  await untilScraped(untilStandbys(1));
});

test("sessions and their limits are told", async () => {
  const used = 'reeve_postgres_connections{scope="role"}';
  const seen = parseMetrics((await untilScraped((page) => (page.value(used) ?? 0) > 0)).text as string);
  await node.query(`alter role ${ROLE} connection limit ${seen.value(used) as number}`);
  // More at once than the sessions that there are, so that the server wants others and is refused.
  const read = () => fetch(`${server.url}/v2/user`, { headers: { authorization: `Bearer ${bootstrapToken}` } });
  const crowd = setInterval(() => void Promise.allSettled(Array.from({ length: 40 }, read)), 250);
  await recordOnce("the connections of the role are used up", (page) => {
    const limit = page.value('reeve_postgres_connections_limit{scope="role"}');
    const isTold = page.value('reeve_health_check_failed{code="too_few_connections"}') === 1;
    return isTold && limit !== undefined && (page.value(used) ?? 0) >= limit;
  });
  clearInterval(crowd);
  // Doctor takes the last one.
  const [{ count = 0 } = {}] = await node.query(`select count(*)::int from pg_stat_activity where usename = '${ROLE}'`);
  await node.query(`alter role ${ROLE} connection limit ${(count as number) + 1}`);
  const [status, detail] = await examine("connections");
  assert.equal(status, "warning", detail ?? "");
  await node.query(`alter role ${ROLE} connection limit -1`);
  await untilScraped((page) => page.value('reeve_postgres_connections_limit{scope="role"}') === undefined);
  // A server tells of a shortage for minutes after its end.
  await stopReeve(server);
  server = await serveReeve({ ...FLAGS, dataDir, databaseUrl });
});

test("while another program holds a table, and while a receiver is dead, the metrics go on", async () => {
  await withSession(async (client) => {
    await client.query("begin; lock table events");
    const idle = 'reeve_postgres_oldest_transaction_seconds{state="idle"}';
    const meanwhile = async () => {
      // Each takes longer than the second from which requests count as slow.
      const refused = await Promise.all(
        Array.from({ length: 4 }, (_, n) => call("POST", "/v1/teams", { slug: `locked-${n}` })),
      );
      assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([503]));
    };
    await recordGrowth("another program holds a lock on a table", idle, { meanwhile });
  });
  const hook = { url: "http://127.0.0.1:1/", events: ["deployment.*"] };
  assert.equal((await call("POST", "/v1/webhooks", hook)).status, 200);
  for (let n = 0; n < 20; n++)
    assert.equal((await call("POST", "/v1/events", { type: "deployment.created" })).status, 200);
  await recordGrowth("a receiver is dead", 'reeve_webhook_oldest_due_age_seconds{receiver="backoff"}');
});

test("a stall of Reeve's own delivery is told, and ends with what causes it", async () => {
  const receiver = await startReceiver();
  receiver.respond(() => undefined);
  assert.equal((await call("POST", "/v1/webhooks", { url: receiver.url, events: ["deployment.*"] })).status, 200);
  assert.equal((await call("POST", "/v1/events", { type: "deployment.created" })).status, 200);
  await receiver.until(({ length }) => length === 1);
  // It is lost while it delivers; what it had leased is due a minute later.
  server.child.kill("SIGKILL");
  await server.ended;
  await withSession(async (client) => {
    await client.query("begin; select 1 from webhook_queues for update");
    // So that ten minutes are ten seconds.
    const clock = join(dataDir, "clock");
    writeFileSync(clock, "+0 x60");
    server = await serveReeve({ ...FLAGS, dataDir, databaseUrl }, useClock(clock));
    await untilScraped((page) => {
      const isTold = page.value('reeve_health_check_failed{code="deliveries_stalled"}') === 1;
      return isTold && (page.value("reeve_webhook_unclaimed_age_seconds") ?? 0) >= 600;
    });
    const idle = 'reeve_postgres_oldest_transaction_seconds{state="idle"}';
    await recordGrowth("another program holds the rows of the webhooks", idle);
    const { status, checks } = (await (await fetch(`${server.url}/health/ready`)).json()) as Readiness;
    assert.deepEqual([status, checks.deliveries?.code], ["ready", "deliveries_stalled"]);
    assert.equal(receiver.received.length, 1);
    receiver.respond(200);
    await client.query("rollback");
  });
  await receiver.until(({ length }) => length === 2);
  await untilScraped((page) => page.value('reeve_health_check_failed{code="deliveries_stalled"}') === 0);
  await stopReeve(server);
  server = await serveReeve({ ...FLAGS, dataDir, databaseUrl });
});

test("a full disk is told, also when changes are rare", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-full-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const disk = await createSmallDisk(folder, 16 * 1_048_576);
  const embedded = await serveReeve({ ...FLAGS, dataDir: folder, diskReserve: "0" }, {}, disk.wrapper);
  disk.takeSpace();
  const value = "x".repeat(60_000);
  await waitFor("the only refusal", async () => {
    const { status } = await call(
      "POST",
      "/v2/secrets",
      { name: `S${performance.now()}`.replace(".", "_"), value },
      embedded.url,
    );
    return status !== 200 || undefined;
  });
  const full = await waitFor("the metrics to tell", async () => {
    const one = await scrape(embedded.url);
    return parseMetrics(one.text as string).value("reeve_ready") === 0 ? one : undefined;
  });
  recordings.set(DISK_FULL, [full]);
  const { stdout } = await runReeve(["doctor", "--json"], { dataDir: folder }, {}, disk.wrapper);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; advice?: string }[] };
  assert.match(findings.find((one) => one.check === "writable")?.advice ?? "", /^make room on the disk of /);
  disk.freeSpace();
  await stopReeve(embedded);
  recordings.set("the process is gone", [await scrape(embedded.url)]);
});

test("the documentation says which alerts fire", () => {
  const [healthy] = recordings.get("nothing") as readonly Scrape[];
  assertDocumented("alerts", findFiring(healthy as Scrape, recordings));
});
