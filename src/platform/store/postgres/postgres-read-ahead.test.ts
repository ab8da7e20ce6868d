// Reads that were sent ahead answer what the work asks for, only while nothing can have changed the result.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Statement } from "../../kernel/tx.ts";
import type { PlannedRead, ReadPlan, WriteTx } from "../database.ts";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import { openPostgres } from "./postgres.ts";

const api = await startOwnApp();
const store = await openPostgres(api.settings.databaseUrl as string);
after(() => store.close());
const { id: ownerId } = await api.createUser();
const { id: other } = await api.createUser();
await api.query("create table counted (n integer)");

let index = 2_000_000;
function declare(sql: string, params: readonly string[], isRead: boolean): Statement {
  const compiled = { sql, bind: params.map((param) => ({ param })), isRead };
  return { index: index++, name: sql, compiled: () => compiled };
}
const INSERT = declare("insert into counted (n) values ($1)", ["n"], false);
const COUNT = declare("select count(*) as n from counted", [], true);
const DIVIDE = declare("select 60 / cast($1 as integer) as n", ["by"], true);

/** Runs work with planned reads, behind a change if that is given; returns what it made, and which reads were used and in vain. */
async function run<T>(
  planned: readonly PlannedRead[],
  work: (tx: WriteTx) => Promise<T>,
  behind: Statement | null = null,
) {
  let used: readonly PlannedRead[] = [];
  let vain: readonly PlannedRead[] = [];
  let runs = 0;
  const plan: ReadPlan = {
    reads: (_written, lastChangeFor) => planned.filter(({ statement }) => lastChangeFor(statement) === behind),
    learn(_asked, sent) {
      used = [...sent.used];
      vain = [...sent.unused];
    },
    fail() {},
  };
  const made = await store.transaction(
    async (tx) => {
      runs++;
      await tx.lockOwner(ownerId);
      return await work(tx);
    },
    { ownerId, isShared: false, plan },
  );
  return { made, used, vain, runs };
}

const count = async (tx: WriteTx) => ((await tx.one(COUNT, {})) as { readonly n: number }).n;

test("a planned read is used before a change of its table, and not after", async () => {
  const { made, vain } = await run([{ statement: COUNT, params: {} }], async (tx) => {
    const before = await count(tx);
    await tx.write(INSERT, { n: 1 });
    return [before, await count(tx)];
  });
  assert.deepEqual([made, vain], [[0, 1], []]);
  const late = await run([{ statement: COUNT, params: {} }], async (tx) => {
    await tx.write(INSERT, { n: 2 });
    return await count(tx);
  });
  assert.deepEqual([late.made, late.vain.length], [2, 1]);
});

test("a read that is planned behind a change sees it, and is used until the next one", async () => {
  const [before] = await api.query("select count(*) as n from counted");
  const n = Number(before?.["n"]);
  const { made, used, vain } = await run(
    [{ statement: COUNT, params: {} }],
    async (tx) => {
      await tx.write(INSERT, { n: 1 });
      await tx.one(DIVIDE, { by: 5 });
      const behind = [await count(tx), await count(tx)];
      await tx.write(INSERT, { n: 2 });
      return [...behind, await count(tx)];
    },
    INSERT,
  );
  assert.deepEqual([made, used.length, vain.length], [[n + 1, n + 1, n + 2], 1, 0]);
});

test("what was read is read again once another session can have changed it", async () => {
  const { made } = await run([], async (tx) => {
    const before = await count(tx);
    await api.query("insert into counted (n) values (9)");
    // A lock that it waits for ends what it knows.
    await tx.lockOwner(other);
    return [await count(tx), before];
  });
  assert.equal(made[0], Number(made[1]) + 1);
});

test("a read with other parameters than planned is made", async () => {
  const { made, vain } = await run([{ statement: DIVIDE, params: { by: 2 } }], (tx) =>
    Promise.resolve(tx.one(DIVIDE, { by: 3 })),
  );
  assert.deepEqual([made, vain.length], [{ n: 20 }, 1]);
});

test("work whose planned read fails runs again without it", async () => {
  const { made, runs } = await run([{ statement: DIVIDE, params: { by: 0 } }], (tx) =>
    Promise.resolve(tx.one(DIVIDE, { by: 4 })),
  );
  assert.deepEqual([made, runs], [{ n: 15 }, 2]);
});

test("a deferred change that fails leaves nothing committed", async () => {
  const before = await api.query("select count(*) as n from counted");
  await assert.rejects(
    run([], async (tx) => {
      await tx.write(INSERT, { n: 3 });
      await tx.write(INSERT, { n: "no number" });
    }),
    /invalid input syntax/,
  );
  assert.deepEqual(await api.query("select count(*) as n from counted"), before);
});
