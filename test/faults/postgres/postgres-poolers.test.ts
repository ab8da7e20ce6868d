// What Reeve does behind PgBouncer: it takes sessions that are kept, refuses those that are mixed, and names a pool that is too small,
// at the start and while it runs. The servers belong to this test.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
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
    await assertNamed(urlOf(small.host), words);
    await stopReeve(server);
    await small.stop();
  }
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
