// What a server on PostgreSQL tells while its start waits for a lock, after an older database was restored under it, and after another
// machine has rotated to a key that it lacks. The server of PostgreSQL belongs to this test.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { migrate } from "../../../src/platform/store/migrations/migrate.ts";
import { MIGRATIONS } from "../../../src/platform/store/migrations/migrations.ts";
import { openPostgres } from "../../../src/platform/store/postgres/postgres.ts";
import { runReeve, startReeve, stopReeve } from "../../cli/reeve-process.ts";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import {
  FLAGS,
  createTeam,
  dataDir,
  endSessions,
  readHealth,
  startServer,
  untilCode,
  untilLogged,
  untilReady,
} from "./told.ts";

let primary: PostgresNode;
before(async () => {
  primary = await createPostgresNode("primary");
  await primary.start();
  for (const name of ["waiting", "current", "older", "rotated"]) await primary.query(`create database ${name}`);
});
after(() => primary.remove());

const urlOf = (database: string) => `postgres://${primary.login}@${primary.host}/${database}`;

test("a start that waits for a lock says so, and goes on", async (t) => {
  const [port, databaseUrl] = [await freePort(), `${urlOf("waiting")}?lock_timeout=0`];
  assert.equal((await runReeve(["migrate"], { ...FLAGS, databaseUrl })).code, 0);
  const client = new pg.Client(urlOf("waiting"));
  await client.connect();
  try {
    // The last step of a start looks for accounts and tokens.
    await client.query("begin; lock table users, access_tokens");
    const starting = startReeve(["serve", "--json", "--port", String(port)], { ...FLAGS, databaseUrl });
    t.after(() => stopReeve(starting));
    const server = { ...starting, url: `http://127.0.0.1:${port}`, isFirstStart: false, adminToken: null };
    const readCodes = async () => (await readHealth(server).catch(() => undefined))?.codes;
    await waitFor("the port", async () => (await readCodes())?.includes("starting") || undefined);
    await client.query("rollback");
    await starting.printed(/^\{.*\}$/m);
    await untilReady(server);
  } finally {
    await client.end();
  }
});

test("an older database restored under a running server is told, and the next start migrates it", async (t) => {
  const url = urlOf("current");
  const older = await openPostgres(urlOf("older"));
  await migrate(older, null, Date.now(), MIGRATIONS.slice(0, -1));
  await older.close();
  const server = await startServer(t, { databaseUrl: url });
  assert.equal(await createTeam(server, "newest"), 200);
  await primary.query("alter database current allow_connections false");
  await endSessions(primary);
  await primary.query("alter database current rename to replaced");
  await primary.query("alter database older rename to current");
  await untilCode(server, "schema_older");
  await untilLogged(
    server,
    new RegExp(`schema version ${MIGRATIONS.length - 1}, this Reeve works with ${MIGRATIONS.length}`),
  );
  await stopReeve(server);
  await untilReady(await startServer(t, { databaseUrl: url }));
});

test("a server without the key that another machine rotated to is told, until it has the key", async (t) => {
  const databaseUrl = urlOf("rotated");
  const [here, there] = ["here", "there"].map((name) => join(dataDir, name)) as [string, string];
  const first = await startServer(t, { databaseUrl, dataDir: there });
  await stopReeve(first);
  cpSync(there, here, { recursive: true });
  const server = await startServer(t, { databaseUrl, dataDir: here });
  // It asks once to copy the new key first.
  for (const expected of [3, 0]) {
    const { code, stderr } = await runReeve(["keys", "rotate"], { databaseUrl, dataDir: there });
    assert.equal(code, expected, stderr);
  }
  await untilCode(server, "master_key_missing");
  const { stdout, stderr } = await runReeve(["keys", "status"], { databaseUrl, dataDir: here });
  assert.match(`${stdout}${stderr}`, /mk_\w+ +yes .*MISSING/);
  cpSync(there, here, { recursive: true });
  await untilReady(server);
});
