// What Reeve does behind PgBouncer: it takes sessions that are kept, refuses those that are mixed, and names a pool that is too small,
// at the start and while it runs. The servers belong to this test.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import type { StoreError } from "../../../src/platform/store/database.ts";
import { openPostgres } from "../../../src/platform/store/postgres/postgres.ts";
import { runReeve, stopReeve } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import { IGNORES_LIMITS, startPooler } from "../../postgres/pooler.ts";
import type { Pooler } from "../../postgres/pooler.ts";
import {
  FLAGS,
  assertNamed,
  createTeam,
  createTeams,
  readHealth,
  startServer,
  untilCode,
  untilLogged,
  untilReady,
} from "./told.ts";

const SESSION = ["pool_mode = session", IGNORES_LIMITS, "default_pool_size = 40"];
const TRANSACTION = ["pool_mode = transaction", IGNORES_LIMITS, "default_pool_size = 40"];
const MIXED = /a pooler gives each transaction another session.*: use pool_mode = session/;

let primary: PostgresNode;
before(async () => {
  primary = await createPostgresNode("primary");
  await primary.start();
  assert.equal((await runReeve(["migrate"], { ...FLAGS, databaseUrl: urlOf() })).code, 0);
});
after(() => primary.remove());

const urlOf = (host = primary.host) => `postgres://${primary.login}@${host}/postgres`;

test("a pooler that loses prepared statements is refused at the start and by doctor; one that keeps sessions is not", async (t) => {
  const mixing = await startPooler(primary, ["pool_mode = transaction", IGNORES_LIMITS, "default_pool_size = 4"]);
  t.after(() => mixing.stop());
  await assertNamed(urlOf(mixing.host), /a pooler gives each transaction another session.*: use pool_mode = session/);
  const keeping = await startPooler(primary, ["pool_mode = session", IGNORES_LIMITS, "default_pool_size = 40"]);
  t.after(() => keeping.stop());
  const server = await startServer(t, { databaseUrl: urlOf(keeping.host) });
  await createTeams(server, "pooled", 49);
  assert.equal((await readHealth(server)).status, 200);
});

test("a login that a pooler refuses is named for that", async (t) => {
  const pooler = await startPooler(primary, SESSION);
  t.after(() => pooler.stop());
  const [user = ""] = primary.login.split(":");
  for (const login of [`${user}:wrong`, "nobody:x"]) {
    await assertNamed(
      `postgres://${login}@${pooler.host}/postgres`,
      /authentication failed.*: see the user, the password/,
    );
  }
});

test("a pooler with fewer sessions than a process wants is named for that, and its sessions serve everything", async (t) => {
  for (const [name, limit] of Object.entries({ pool: "default_pool_size = 5", clients: "max_client_conn = 5" })) {
    const small = await startPooler(primary, ["pool_mode = session", IGNORES_LIMITS, limit]);
    t.after(() => small.stop());
    const server = await startServer(t, { databaseUrl: urlOf(small.host) });
    await createTeams(server, name, 40);
    const words = /gave no session within 3 s, as a pooler does|no more connections allowed/;
    await untilLogged(server, words);
    const { status, codes } = await waitFor("readiness to tell", async () => {
      const health = await readHealth(server);
      return health.codes.length > 0 ? health : undefined;
    });
    assert.deepEqual([status, codes], [200, ["too_few_connections"]], limit);
    // Idle sessions would end, and leave room.
    const told = new AbortController();
    const using = (async () => {
      for (let round = 0; !told.signal.aborted; round++) await createTeams(server, `${name}-again-${round}`, 20);
    })();
    await assertNamed(urlOf(small.host), words).finally(() => told.abort());
    await using;
    await stopReeve(server);
    await small.stop();
  }
});

test("a pool without a free session is said within 3 s, and not after the time that a statement has", async (t) => {
  const small = await startPooler(primary, ["pool_mode = session", IGNORES_LIMITS, "default_pool_size = 1"]);
  t.after(() => small.stop());
  const holder = new pg.Client(urlOf(small.host));
  const clock = new pg.Client({ connectionString: urlOf(small.host), query_timeout: 6_000 });
  for (const client of [holder, clock]) {
    client.on("error", () => undefined);
    await client.connect();
    t.after(() => client.end());
  }
  await holder.query("select 1");
  // Twice the time, of another client of the same machine that began before.
  const elapsed = clock.query("select 1").then(
    () => "a session",
    () => "6 s",
  );
  const said = openPostgres(urlOf(small.host)).then(
    () => "a session",
    ({ reason, message }: StoreError) => `${reason}: ${message}`,
  );
  assert.match(await Promise.race([elapsed, said]), /^too_few_connections: .* gave no session within 3 s/);
  await elapsed;
});

test("PostgreSQL that is gone behind a pooler is named for that, and never as a pool that is too small", async (t) => {
  const pooler = await startPooler(primary, SESSION);
  t.after(() => pooler.stop());
  const server = await startServer(t, { databaseUrl: urlOf(pooler.host) });
  await createTeams(server, "behind", 20);
  const told =
    /127\.0\.0\.1:\d+: server login has been failing.*: the pooler responds, and cannot open a session behind/;
  await primary.stop("immediate");
  try {
    // Nobody has asked the pooler before.
    await assertNamed(urlOf(pooler.host), told);
    assert.equal(await createTeam(server, "gone"), 503);
    await untilCode(server, "store_unreachable");
    await untilLogged(server, told);
  } finally {
    await primary.start();
  }
  await untilReady(server);
  assert.deepEqual((await readHealth(server)).codes, []);
  assert.doesNotMatch(server.logged(), /too.few.connections|gave no session/);
});

for (const [how, change] of Object.entries({
  "is told to give": async (pooler, lines) => pooler.reload(lines),
  "is restarted with": async (pooler, lines) => {
    await pooler.stop();
    await pooler.start(lines);
  },
} satisfies Record<string, (pooler: Pooler, lines: readonly string[]) => Promise<void>>)) {
  test(`a running server names a pooler that ${how} another pool_mode, and recovers by itself`, async (t) => {
    const pooler = await startPooler(primary, SESSION);
    t.after(() => pooler.stop());
    const databaseUrl = urlOf(pooler.host);
    const server = await startServer(t, { databaseUrl });
    const name = how.split(" ").at(1);
    await createTeams(server, `${name}-before`, 30);
    await change(pooler, TRANSACTION);
    // The first changes may succeed: it is their failure that tells.
    let n = 0;
    const load = async () =>
      await Promise.all(Array.from({ length: 20 }, () => createTeam(server, `${name}-mixed-${n++}`)));
    await waitFor("readiness to tell", async () => {
      await load();
      return (await readHealth(server)).codes.includes("store_transaction_pooling") || undefined;
    });
    await untilLogged(server, MIXED);
    assert.deepEqual(new Set(await load()), new Set([503]));
    await assertNamed(databaseUrl, MIXED);
    await change(pooler, SESSION);
    await untilReady(server);
    assert.deepEqual(
      await load(),
      Array.from({ length: 20 }, () => 200),
    );
    await createTeams(server, `${name}-after`, 49);
    assert.equal((await readHealth(server)).status, 200);
  });
}
