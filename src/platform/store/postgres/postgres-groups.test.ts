// Units of work that share a transaction: each has its own outcome, none is affected by another's failure, and none is done twice.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import pg from "pg";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import { waitFor } from "../../../../test/harness/wait-for.ts";
import { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { Statement } from "../../kernel/tx.ts";
import { openDatabase } from "../../../serve/open-database.ts";
import type { WorkTiming, WriteTx } from "../database.ts";
import { storeFailureReason } from "../failure.ts";
import { createStoreMeter } from "../meter.ts";
import type { StoreVersions } from "../versions.ts";

const OWNERS = 30;

const api = await startOwnApp();
const metrics = new Metrics();
const store = await openDatabase(api.settings, createStoreMeter(metrics));
after(() => store.close());
const other = new pg.Client({ connectionString: api.settings.databaseUrl as string });
other.on("error", () => undefined);
await other.connect();
after(() => other.end());
await other.query("create table notes (owner_id text not null, n integer not null)");
const owners: string[] = [];
for (let at = 0; at < OWNERS; at++) owners.push((await api.createUser()).id);
const [first, second, third] = owners as [string, string, string];

let index = 1_000_000;
function declare(
  sql: string,
  params: readonly string[],
  { isRead = false, gathers }: Partial<Statement & { isRead: boolean }> = {},
): Statement {
  const compiled = { sql, bind: params.map((param) => ({ param })), isRead };
  return { index: index++, name: sql, gathers, compiled: () => compiled };
}

const INSERT = declare("insert into notes (owner_id, n) values ($1, $2)", ["ownerId", "n"]);
const INSERT_ALL = declare(
  "insert into notes (owner_id, n) select value, $2 from json_array_elements_text(cast($1 as json)) as value",
  ["ownerIds", "n"],
  { gathers: "ownerIds" },
);
const INSERT_NEW = declare("insert into notes (owner_id, n) values ($1, $2) on conflict do nothing", ["ownerId", "n"]);
const LAST = declare("select coalesce(max(n), 0) as n from notes where owner_id = $1", ["ownerId"], { isRead: true });
const DIVIDE = declare("select 1 / cast($1 as integer) as n", ["by"], { isRead: true });
const SLEEP = declare("select pg_sleep($1)", ["seconds"], { isRead: true });

beforeEach(() => other.query("delete from notes"));

type Work = (tx: WriteTx, ownerId: string) => Promise<unknown>;

/** A unit that locks its owner, as requests do. */
const run = (ownerId: string, work: Work, locked = ownerId) =>
  store.transaction(
    async (tx) => {
      await tx.lockOwner(locked);
      return await work(tx, locked);
    },
    { ownerId },
  );
const note = (tx: WriteTx, ownerId: string, n = 1) => tx.run(INSERT, { ownerId, n });

async function notes() {
  const { rows } = await other.query<{ owner_id: string; n: number; xmin: string }>(
    'select owner_id, n, xmin::text from notes order by owner_id collate "C", n',
  );
  return rows;
}
/** For how long all work has waited, in s. */
async function waitedSeconds(): Promise<number> {
  const { values } = await metrics.histograms("storeWaitDuration").get();
  return values.find(({ metricName }) => metricName?.endsWith("_sum"))?.value ?? Number.NaN;
}
const noted = async () => (await notes()).map(({ owner_id }) => owner_id);
const reasonOf = ({ status, ...outcome }: PromiseSettledResult<unknown>) =>
  status === "rejected" ? (outcome as PromiseRejectedResult).reason : null;

test("units of many owners that arrive together are committed together, and each gets its own result", async () => {
  const results = await Promise.all(
    owners.map((ownerId, at) => run(ownerId, async (tx) => ((await note(tx, ownerId, at)) === 1 ? at : -1))),
  );
  assert.deepEqual(results, [...owners.keys()]);
  const rows = await notes();
  assert.deepEqual(
    rows.map(({ owner_id }) => owner_id),
    owners.toSorted(),
  );
  assert.equal(new Set(rows.map(({ xmin }) => xmin)).size, 1);
});

test("units of one owner run one after the other, also in a shared transaction", async () => {
  const count = 100;
  const append: Work = async (tx, ownerId) => {
    const { n } = (await tx.one(LAST, { ownerId })) as { readonly n: number };
    await note(tx, ownerId, n + 1);
    return n + 1;
  };
  const results = await Promise.all(Array.from({ length: count }, () => run(first, append)));
  assert.deepEqual(
    results.toSorted((one, another) => Number(one) - Number(another)),
    Array.from({ length: count }, (_, at) => at + 1),
  );
  const rows = await notes();
  assert.equal(rows.length, count);
  assert.ok(new Set(rows.map(({ xmin }) => xmin)).size < count / 10, "they were not committed together");
});

test("a unit that is refused before it changes anything leaves the others alone", async () => {
  const refusal = new Error("refused");
  const outcomes = await Promise.allSettled(
    owners.map((ownerId, at) =>
      run(ownerId, (tx) => (at % 3 === 0 ? Promise.reject(refusal) : Promise.resolve(note(tx, ownerId)))),
    ),
  );
  assert.deepEqual(
    outcomes.map(reasonOf),
    owners.map((_, at) => (at % 3 === 0 ? refusal : null)),
  );
  const rows = await notes();
  assert.deepEqual(
    rows.map(({ owner_id }) => owner_id),
    owners.filter((_, at) => at % 3 > 0).toSorted(),
  );
  assert.equal(new Set(rows.map(({ xmin }) => xmin)).size, 1);
});

for (const [what, fail] of [
  ["refused after it has changed something", () => Promise.reject(new Error("refused"))],
  ["stopped by a statement that fails", (tx: WriteTx) => tx.one(DIVIDE, { by: 0 })],
] as const) {
  test(`a unit that is ${what} is undone, and the others are done once, together`, async () => {
    const outcomes = await Promise.allSettled(
      owners.map((ownerId) =>
        run(ownerId, async (tx) => {
          await note(tx, ownerId);
          if (ownerId === second) await fail(tx);
        }),
      ),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      owners.map((ownerId) => (ownerId === second ? "rejected" : "fulfilled")),
    );
    assert.deepEqual(await noted(), owners.filter((ownerId) => ownerId !== second).toSorted());
    assert.equal(new Set((await notes()).map(({ xmin }) => xmin)).size, 1);
  });
}

test("a unit that locks another owner than was expected locks that owner", async () => {
  const append: Work = async (tx, ownerId) => {
    const { n } = (await tx.one(LAST, { ownerId })) as { readonly n: number };
    await note(tx, ownerId, n + 1);
  };
  await Promise.all(owners.map((expected) => run(expected, append, first)));
  assert.deepEqual(
    (await notes()).map(({ owner_id, n }) => [owner_id, n]),
    owners.map((_, at) => [first, at + 1]),
  );
});

test("units wait for the lock of their own owner, and for no other's", async () => {
  await other.query("begin");
  await other.query("select 1 from owners where id = $1 for update", [first]);
  const waiting = [1, 2, 3].map((n) => run(first, (tx) => Promise.resolve(note(tx, first, n))));
  for (const round of [1, 2])
    await Promise.all(
      [second, third].map((ownerId) => run(ownerId, (tx) => Promise.resolve(note(tx, ownerId, round)))),
    );
  assert.deepEqual(await noted(), [second, second, third, third].toSorted());
  await other.query("commit");
  await Promise.all(waiting);
  const held = (await notes()).filter(({ owner_id }) => owner_id === first);
  assert.deepEqual(
    held.map(({ n }) => n),
    [1, 2, 3],
  );
  assert.equal(new Set(held.map(({ xmin }) => xmin)).size, 1);
});

test("a statement that gathers runs once, last, with the elements of all units", async () => {
  await Promise.all(
    [first, second, third].map((ownerId) =>
      run(ownerId, async (tx) => {
        await tx.write(INSERT_ALL, { ownerIds: JSON.stringify([ownerId]), n: 7 });
        assert.deepEqual(await tx.one(LAST, { ownerId }), { n: 0 });
      }),
    ),
  );
  assert.deepEqual(await noted(), [first, second, third].toSorted());
  // The number of the statement in its transaction.
  const { rows } = await other.query("select distinct cmin::text from notes");
  assert.equal(rows.length, 1);
});

test("while all shared transactions wait for owners of others, the next one begins", async () => {
  await other.query("begin");
  await other.query("select 1 from owners where id = any ($1) for update", [[first, second]]);
  const waiting = [first, second].map(async (ownerId, at) => {
    // Each in a transaction of its own.
    for (let turn = 0; turn < 2 * at; turn++) await setImmediate();
    await run(ownerId, (tx) => Promise.resolve(note(tx, ownerId)));
  });
  for (let turn = 0; turn < 4; turn++) await setImmediate();
  await run(third, (tx) => Promise.resolve(note(tx, third)));
  assert.deepEqual(await noted(), [third]);
  await other.query("commit");
  await Promise.all(waiting);
});

test("two units that want what the other has taken are both done, without waiting for the server to notice", async () => {
  await other.query("create unique index if not exists notes_n on notes (n) where n >= 1000");
  const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const takeBoth = (ownerId: string, at: 0 | 1) =>
    run(ownerId, async (tx) => {
      await tx.run(INSERT_NEW, { ownerId, n: 1_000 + at });
      steps[at]?.resolve();
      await Promise.race([steps[1 - at]?.promise, setTimeout(1_000)]);
      await tx.run(INSERT_NEW, { ownerId, n: 1_001 - at });
    });
  const one = takeBoth(first, 0);
  for (let turn = 0; turn < 2; turn++) await setImmediate();
  await Promise.all([one, takeBoth(second, 1)]);
  assert.deepEqual((await notes()).map(({ n }) => n).toSorted(), [1_000, 1_001]);
});

test("when the connection breaks inside a shared transaction, all of its units fail, and nothing of them is stored", async () => {
  const failed = Promise.allSettled(
    owners.map((ownerId) =>
      run(ownerId, async (tx) => {
        await note(tx, ownerId);
        await tx.one(SLEEP, { seconds: 20 });
      }),
    ),
  );
  await waitFor("a unit to sleep", async () => {
    const { rowCount } = await other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%' and datname = current_database() and wait_event = 'PgSleep'",
    );
    return rowCount === 1;
  });
  for (const outcome of await failed) assert.equal(storeFailureReason(reasonOf(outcome)), "unreachable");
  assert.deepEqual(await noted(), []);
  await Promise.all(owners.map((ownerId) => run(ownerId, (tx) => Promise.resolve(note(tx, ownerId)))));
  assert.deepEqual(await noted(), owners.toSorted());
});

test("a shared transaction tells whose rows it has changed: those of its units that changed something", async () => {
  const versions = store.versions as StoreVersions;
  await versions.refresh();
  const readAt = versions.present();
  const change: Work = async (tx, ownerId) => {
    tx.changesOnly(ownerId);
    await note(tx, ownerId);
  };
  await Promise.allSettled([
    run(first, change),
    run(second, change),
    run(third, () => Promise.reject(new Error("refused"))),
  ]);
  await versions.refresh();
  assert.deepEqual(
    [first, second, third].map((ownerId) => versions.isCurrent(readAt, ownerId)),
    [false, false, true],
  );
});

test("the times of a unit are observed, also of one that changes nothing", async () => {
  const commits: number[] = [];
  const options = { ownerId: first, observe: ({ commitMs }: WorkTiming) => void commits.push(commitMs) };
  await store.transaction((tx) => tx.lockOwner(first), options);
  await store.transaction(async (tx) => [await tx.lockOwner(first), await note(tx, first)], options);
  assert.ok(commits[0] === 0 && (commits[1] as number) > 0, String(commits));
});

test("a unit that waits for too long behind others is refused as busy, is not run later, and its wait is measured", async () => {
  const waitedBefore = await waitedSeconds();
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const wait: Work = () => end;
  const waiting = [run(first, wait)];
  await setImmediate();
  await setImmediate();
  waiting.push(run(second, wait));
  await setImmediate();
  await setImmediate();
  const [late] = await Promise.allSettled([run(third, (tx) => Promise.resolve(note(tx, third)))]);
  assert.equal(storeFailureReason(reasonOf(late)), "busy");
  const waited = (await waitedSeconds()) - waitedBefore;
  assert.ok(waited >= 3, `${waited} s`);
  resolve();
  await Promise.all(waiting);
  await run(third, (tx) => Promise.resolve(note(tx, third, 2)));
  assert.deepEqual(
    (await notes()).map(({ n }) => n),
    [2],
  );
});
