// What of the caches stays current on PostgreSQL, whatever the order of commits, and what makes a process forget everything.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { send, startOwnApp } from "../../../../test/harness/test-app.ts";
import { openDatabase } from "../../../serve/open-database.ts";
import type { Database, WriteTx } from "../database.ts";
import { NO_OWNER } from "../versions.ts";
import type { StoreVersions } from "../versions.ts";
import { pruneRecords, watchVersions } from "./changed-owners.ts";
import type { Connection } from "./connection.ts";

const api = await startOwnApp();
const databaseUrl = api.settings.databaseUrl as string;
const store = await openDatabase(api.settings);
after(() => store.close());

/** A connection that is not Reeve's, as an operator's or an older version's. */
async function connect(applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: applicationName });
  // One of them is ended by its server.
  client.on("error", () => undefined);
  await client.connect();
  after(() => client.end());
  return client;
}

const other = await connect("psql");

/** Checks on a connection of their own, whose rows `see` may change. */
function watchOn(client: pg.Client, see: (row: Record<string, unknown>) => unknown = () => undefined): StoreVersions {
  const connection: Pick<Connection, "query"> = {
    async query(query) {
      const result = await client.query(query as pg.QueryConfig);
      await see(result.rows[0] as Record<string, unknown>);
      return result;
    },
  };
  return watchVersions((work) => work(connection));
}

/** The same, on another connection for each check, as if each were the first. */
function watchOnNew(client: pg.Client): StoreVersions {
  return watchVersions((work) => work({ query: (query) => client.query(query as pg.QueryConfig) }));
}

const OWNERS = ["a", "b", NO_OWNER, null];

async function refresh(versions: StoreVersions): Promise<number> {
  await versions.refresh();
  return versions.present();
}

const whatIsCurrent = (versions: StoreVersions, readAt: number) =>
  OWNERS.filter((ownerId) => versions.isCurrent(readAt, ownerId));

/** Writes something in a transaction that only changes these owners. */
async function change(tx: WriteTx, ownerId: string | null): Promise<void> {
  if (ownerId !== null) tx.changesOnly(ownerId);
  await tx.query("select pg_current_xact_id()");
}

const commit = (ownerId: string | null) => store.transaction((tx) => change(tx, ownerId));

/** A transaction that has its id, and commits when it is told to. */
async function begin(database: Database, ownerId: string): Promise<() => Promise<void>> {
  const [changed, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = database.transaction(async (tx) => {
    await change(tx, ownerId);
    changed.resolve();
    await ended.promise;
  });
  await changed.promise;
  return async () => {
    ended.resolve();
    await done;
  };
}

test("what was read of other owners stays current", async () => {
  const versions = store.versions as StoreVersions;
  const readAt = await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), OWNERS);
  await commit("c");
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), ["a", "b", NO_OWNER]);
  await commit("a");
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), ["b", NO_OWNER]);
  await commit(null);
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), []);
});

test("transactions that commit in another order than they began are all seen, each once it is committed", async () => {
  const versions = store.versions as StoreVersions;
  const commitFirst = await begin(store, "a");
  const commitSecond = await begin(store, "b");
  const readAt = await refresh(versions);
  await commitSecond();
  const between = await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), ["a", NO_OWNER]);
  await commitFirst();
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), [NO_OWNER]);
  assert.deepEqual(whatIsCurrent(versions, between), ["b", NO_OWNER]);
});

test("a change of no owner's rows outdates what depends on anything, such as the log of deliveries", async () => {
  const versions = store.versions as StoreVersions;
  const readAt = await refresh(versions);
  await commit(NO_OWNER);
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), ["a", "b", NO_OWNER]);
});

test("a transaction that changed nothing, or was rolled back, has no record", async () => {
  const count = async () => Number((await other.query("select count(*) from changed_owners")).rows[0].count);
  const before = await count();
  await store.transaction(async (tx) => void (await tx.query("select 1")));
  const refusal = store.transaction(async (tx) => {
    await change(tx, "a");
    throw new Error("refused");
  });
  await assert.rejects(refusal, /refused/);
  assert.equal(await count(), before);
  await commit("a");
  assert.equal(await count(), before + 1);
});

test("nothing stays current when the connection of the checks was lost", async () => {
  const versions = store.versions as StoreVersions;
  const readAt = await refresh(versions);
  const { rows } = await other.query(
    `select pg_terminate_backend(pid) as ended from pg_stat_activity
      where datname = current_database() and query like '%changed_owners%' and pid <> pg_backend_pid()`,
  );
  assert.ok(rows.some(({ ended }) => ended === true));
  // The first one may find the connection broken.
  await refresh(versions).catch(() => refresh(versions));
  assert.deepEqual(whatIsCurrent(versions, readAt), []);
});

test("nothing stays current when the session of the checks was replaced behind their connection, as a pooler does", async () => {
  let pid = 1;
  const versions = watchOn(other, (row) => (row["pid"] = pid));
  const readAt = await refresh(versions);
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), OWNERS);
  pid = 2;
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), []);
});

test("nothing stays current on another connection, although its server calls the session the same", async () => {
  const versions = watchOnNew(other);
  const readAt = await refresh(versions);
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), []);
});

test("records are kept for five minutes, and a process that has not checked for half of them forgets everything", async () => {
  let later = 0;
  const versions = watchOn(other, (row) => (row["time"] = Number(row["time"]) + later));
  const readAt = await refresh(versions);
  const put = (xid: number, ageS: number) =>
    other.query(`insert into changed_owners values ('${xid}', '[]', now() - interval '${ageS} s')`);
  for (const [xid, ageS] of [
    [1, 310],
    [2, 290],
  ] as const) {
    await put(xid, ageS);
  }
  await pruneRecords((work) => work({ query: (query: pg.QueryConfig) => other.query(query) } as never));
  assert.deepEqual((await other.query("select xid from changed_owners where xid < '3'")).rows, [{ xid: "2" }]);
  later = 140;
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), OWNERS);
  later = 300;
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), []);
  const forgotten = versions.present();
  // The server's clock was put back.
  later = 0;
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, forgotten), []);
});

test("a check that was sent before does not serve a request, and one check serves all that wait for it", async () => {
  let checks = 0;
  const holds: Promise<void>[] = [];
  const versions = watchOn(await connect("reeve-2"), async () => {
    checks++;
    await Promise.all(holds);
  });
  const readAt = await refresh(versions);
  const held = Promise.withResolvers<void>();
  holds.push(held.promise);
  const first = versions.refresh();
  const sent = Promise.withResolvers<void>();
  setImmediate(sent.resolve);
  await sent.promise;
  await commit("a");
  const second = versions.refresh();
  const third = versions.refresh();
  held.resolve();
  await first;
  await Promise.all([second, third]);
  assert.equal(checks, 3);
  assert.deepEqual(whatIsCurrent(versions, readAt), ["b", NO_OWNER]);
});

test("a failed check fails those that wait for it, and the next one continues", async () => {
  let isBroken = false;
  const versions = watchOn(other, () => {
    if (isBroken) throw new Error("broken");
  });
  const readAt = await refresh(versions);
  isBroken = true;
  await assert.rejects(async () => await versions.refresh(), /broken/);
  await commit("a");
  isBroken = false;
  await refresh(versions);
  assert.deepEqual(whatIsCurrent(versions, readAt), ["b", NO_OWNER]);
});

for (const [name, role] of [
  ["psql", "origin"],
  ["reeve", "origin"],
  ["psql", "replica"],
] as const) {
  test(`what a session called ${name} changes by itself as ${role} is seen by the next request`, async () => {
    const client = await connect(name);
    await client.query(`set session_replication_role = ${role}`);
    const { id, token } = await api.createUser();
    const read = async () => await send(api.app, "GET", "/v2/user", { token });
    assert.deepEqual([(await read()).status, (await read()).status], [200, 200]);
    await client.query("begin");
    await client.query(`update users set name = 'First' where id = '${id}'`);
    await client.query(`update users set name = 'Renamed' where id = '${id}'`);
    await client.query("commit");
    assert.equal((await read()).body.user.name, "Renamed");
    await client.query(`delete from access_tokens where user_id = '${id}'`);
    assert.equal((await read()).status, 401);
  });
}
