// Reads on PostgreSQL share a few connections: each gets its own answer, and whatever happens to one happens to no other.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Statement } from "../../src/kernel/tx.ts";
import { storeTrouble } from "../../src/store/failure.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { PIPELINES, PIPELINE_DEPTH } from "../../src/store/postgres-pipelines.ts";
import { ENGINE, startTestApp } from "../harness.ts";
import { waitFor } from "../wait-for.ts";

/** As a server lets them wait for one of the places. */
const LINE = 1_000;

let index = 1_000_000;
function declare(sql: string, param: string): Statement {
  return { index: index++, name: sql, compiled: () => ({ sql, bind: [{ param }] }) };
}

const DIVIDE = declare("select 60 / cast($1 as integer) as n", "by");
const SLEEP = declare("select pg_sleep($1)", "seconds");

if (ENGINE === "postgres") {
  const api = await startTestApp();
  const { reader, close } = await openPostgres(api.settings.databaseUrl as string);
  after(close);
  const divide = async (by: number) => ((await reader.one(DIVIDE, { by })) as { readonly n: number }).n;
  /** Those that read. */
  async function sessions() {
    return await api.query(`select pid from pg_stat_activity
      where datname = current_database() and query like 'select 60%' order by pid`);
  }

  test("each gets its own answer, and one that is refused is refused alone", async () => {
    const asked = Array.from({ length: 300 }, (_, at) => at % 7);
    const answers = await Promise.allSettled(asked.map(divide));
    for (const [at, by] of asked.entries()) {
      const answer = answers[at] as PromiseSettledResult<number>;
      if (by > 0) assert.deepEqual(answer, { status: "fulfilled", value: Math.trunc(60 / by) });
      else assert.equal((answer as PromiseRejectedResult).reason.code, "22012");
    }
    assert.equal((await sessions()).length, PIPELINES);
  });

  test("one that takes long keeps nobody waiting who comes later", async () => {
    const order: string[] = [];
    const long = Promise.resolve(reader.one(SLEEP, { seconds: 1 })).then(() => order.push("long"));
    for (let n = 1; n <= 20; n++) await divide(n);
    order.push("short");
    await long;
    assert.deepEqual(order, ["short", "long"]);
  });

  test("whoever finds no place in the line is told so at once", async () => {
    const places = PIPELINES * PIPELINE_DEPTH + LINE;
    const answers = await Promise.allSettled(Array.from({ length: places + 10 }, () => divide(1)));
    const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    assert.deepEqual(refusals.map(storeTrouble), Array(10).fill("busy"));
  });

  test("sessions that are ended fail what is under way on them, and nothing that comes after", async () => {
    const before = (await sessions()).map(({ pid }) => Number(pid));
    assert.ok(before.length > 0);
    const terminate = () => api.query(`select pg_terminate_backend(pid) from unnest(array[${before.join()}]) as pid`);
    const underWay = Promise.allSettled(Array.from({ length: PIPELINES }, () => reader.one(SLEEP, { seconds: 60 })));
    await waitFor("them to be under way", async () => {
      const [row] = await api.query("select count(*) as n from pg_stat_activity where query like 'select pg_sleep%'");
      return Number(row?.["n"]) === PIPELINES;
    });
    await terminate();
    for (const answer of await underWay) {
      assert.equal(storeTrouble((answer as PromiseRejectedResult).reason), "unreachable");
    }
    assert.equal(await divide(2), 30);
    const [{ pid } = {}] = await sessions();
    assert.ok(!before.includes(Number(pid)));
  });

  test("sessions that are ended while nobody reads are not noticed by anybody", async () => {
    await Promise.all([1, 2, 3, 4].map(divide));
    await api.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select 60%'");
    await waitFor("the sessions to be gone", async () => (await sessions()).length === 0);
    // The end arrives at this process, which nothing else shows.
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(await Promise.all([1, 2, 3, 4].map(divide)), [60, 30, 20, 15]);
  });

  test("an end waits for those who read", async () => {
    const database = await openPostgres(api.settings.databaseUrl as string);
    const reading = database.reader.one(SLEEP, { seconds: 0.3 });
    const closing = database.close();
    assert.ok(await reading);
    await closing;
  });
}
