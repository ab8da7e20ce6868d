// Reads on PostgreSQL share a few connections: each gets its own result, and the failure of one affects no other.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Statement } from "../../src/platform/kernel/tx.ts";
import { storeFailureReason } from "../../src/platform/store/failure.ts";
import { openPostgres } from "../../src/platform/store/postgres/postgres.ts";
import { PIPELINES, PIPELINE_DEPTH } from "../../src/platform/store/postgres/pipelines.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The queue limit of read throttling, as in a server. */
const QUEUE_LIMIT = 1_000;

const ROLE = "reeve_test_of_few_connections";

let index = 1_000_000;
function declare(sql: string, param: string): Statement {
  return { index: index++, name: sql, compiled: () => ({ sql, bind: [{ param }], isRead: true }) };
}

const DIVIDE = declare("select 60 / cast($1 as integer) as n", "by");
const SLEEP = declare("select pg_sleep($1)", "seconds");

if (ENGINE === "postgres") {
  const api = await startOwnApp();
  /** The database's URL with parameters of the connection. */
  function urlWith(parameters: Readonly<Record<string, string>>): string {
    const url = new URL(api.settings.databaseUrl as string);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  const { reader, close } = await openPostgres(urlWith({}));
  after(close);
  const divide = async (by: number) => ((await reader.one(DIVIDE, { by })) as { readonly n: number }).n;
  /** The reading sessions. */
  async function sessions() {
    return await api.query(`select pid from pg_stat_activity
      where datname = current_database() and query like 'select 60%' order by pid`);
  }

  test("each read gets its own result, and an error affects one read only", async () => {
    const asked = Array.from({ length: 300 }, (_, at) => at % 7);
    const responses = await Promise.allSettled(asked.map(divide));
    for (const [at, by] of asked.entries()) {
      const response = responses[at] as PromiseSettledResult<number>;
      if (by > 0) assert.deepEqual(response, { status: "fulfilled", value: Math.trunc(60 / by) });
      else assert.equal((response as PromiseRejectedResult).reason.code, "22012");
    }
    assert.equal((await sessions()).length, PIPELINES);
  });

  test("a slow read delays no later one", async () => {
    const order: string[] = [];
    const long = Promise.resolve(reader.one(SLEEP, { seconds: 1 })).then(() => order.push("long"));
    for (let n = 1; n <= 20; n++) await divide(n);
    order.push("short");
    await long;
    assert.deepEqual(order, ["short", "long"]);
  });

  test("a read that exceeds the queue is refused at once", async () => {
    const places = PIPELINES * PIPELINE_DEPTH + QUEUE_LIMIT;
    const responses = await Promise.allSettled(Array.from({ length: places + 10 }, () => divide(1)));
    const refusals = responses.flatMap((response) => (response.status === "rejected" ? [response.reason] : []));
    assert.deepEqual(refusals.map(storeFailureReason), Array(10).fill("busy"));
  });

  test("ended sessions fail the reads in flight on them, and none after", async () => {
    const before = (await sessions()).map(({ pid }) => Number(pid));
    assert.ok(before.length > 0);
    const terminate = () => api.query(`select pg_terminate_backend(pid) from unnest(array[${before.join()}]) as pid`);
    const underWay = Promise.allSettled(Array.from({ length: PIPELINES }, () => reader.one(SLEEP, { seconds: 60 })));
    await waitFor("them to be in flight", async () => {
      const [row] = await api.query("select count(*) as n from pg_stat_activity where query like 'select pg_sleep%'");
      return Number(row?.["n"]) === PIPELINES;
    });
    await terminate();
    for (const response of await underWay) {
      assert.equal(storeFailureReason((response as PromiseRejectedResult).reason), "unreachable");
    }
    assert.equal(await divide(2), 30);
    const [{ pid } = {}] = await sessions();
    assert.ok(!before.includes(Number(pid)));
  });

  test("sessions that end while idle affect no read", async () => {
    await Promise.all([1, 2, 3, 4].map(divide));
    const pids = (await sessions()).map(({ pid }) => Number(pid));
    await api.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select 60%'");
    await waitFor("the sessions to be gone", async () => (await sessions()).length === 0);
    await waitFor("their processes, if they are of this machine, to have closed them", () => !pids.some(isRunning));
    // Wait until this process receives the end of the connection, which nothing else shows.
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(await Promise.all([1, 2, 3, 4].map(divide)), [60, 30, 20, 15]);
  });

  test("a slow server is not treated as a silent one", async () => {
    const { reader: slow, admin, close: end } = await openPostgres(urlWith({ query_timeout: "3000" }));
    const session = async () => (await admin.query("select pg_backend_pid() as pid"))[0]?.["pid"];
    const before = await session();
    // One after the other they take longer than the limit, and no single one does.
    await Promise.all(Array.from({ length: 3 * PIPELINES }, () => slow.one(SLEEP, { seconds: 1.2 })));
    const tooLong = await Promise.allSettled([slow.one(SLEEP, { seconds: 60 })]);
    assert.equal(storeFailureReason((tooLong[0] as PromiseRejectedResult).reason), "silent");
    assert.notEqual(await session(), before);
    await end();
  });

  test("without another free connection, reads use the existing ones", async () => {
    await api.query(`drop role if exists ${ROLE}`);
    await api.query(`create role ${ROLE} login password '${ROLE}' connection limit 2`);
    const limited = new URL(urlWith({}));
    limited.username = limited.password = ROLE;
    const { reader: few, admin, close: end } = await openPostgres(limited.href);
    const ask = () => admin.query("select 1 as one");
    assert.equal(((await few.one(DIVIDE, { by: 1 })) as { readonly n: number }).n, 60);
    const responses = await Promise.allSettled(Array.from({ length: 20 }, () => few.one(DIVIDE, { by: 2 })));
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set(["fulfilled"]));
    assert.equal((await ask()).length, 1);
    await end();
    // When changes use all connections, reads take turns with them.
    const crowded = await openPostgres(limited.href);
    await Promise.all([1, 2].map(() => crowded.admin.query("select pg_sleep(0.2)")));
    const read = () => crowded.reader.one(DIVIDE, { by: 1 });
    const both = Array.from({ length: 20 }, (_, n) => (n % 2 ? read() : crowded.admin.query("select 1 as one")));
    assert.equal((await Promise.all(both)).length, 20);
    await crowded.close();
    await api.query(`drop role ${ROLE}`);
  });

  test("a statement that cannot be prepared in time is refused as busy, and prepared later", async () => {
    await api.query("create table locked (n integer)");
    const { reader: cold, close: end } = await openPostgres(urlWith({ lock_timeout: "300" }));
    const count = declare("select count(*) as n from locked where n > $1", "above");
    const ask = () => Promise.allSettled(Array.from({ length: 4 * PIPELINES }, () => cold.one(count, { above: 0 })));
    await api.withStore(({ transaction }) =>
      transaction(async (tx) => {
        await tx.exec("lock table locked in access exclusive mode");
        for (const response of await ask())
          assert.equal(storeFailureReason((response as PromiseRejectedResult).reason), "busy");
      }),
    );
    for (const response of await ask()) assert.deepEqual(response, { status: "fulfilled", value: { n: 0 } });
    await end();
    await api.query("drop table locked");
  });

  test("closing waits for reads in flight", async () => {
    const database = await openPostgres(urlWith({}));
    const reading = database.reader.one(SLEEP, { seconds: 0.3 });
    const closing = database.close();
    assert.ok(await reading);
    await closing;
  });
}
