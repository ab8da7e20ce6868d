// What an operator is told while PostgreSQL can't be used: a start, a running server and `reeve doctor` name the fault itself and the
// host, by the real fault. The servers belong to this test.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import { useClock } from "../../harness/machine-clock.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import {
  FLAGS,
  assertNamed,
  createTeam,
  dataDir,
  endSessions,
  examine,
  readHealth,
  startServer,
  untilCode,
  untilLogged,
  untilReady,
} from "./told.ts";

let primary: PostgresNode;
let standby: PostgresNode;
before(async () => {
  primary = await createPostgresNode("primary");
  await primary.start();
  assert.equal((await runReeve(["migrate"], { ...FLAGS, databaseUrl: urlOf() })).code, 0);
  standby = await primary.makeStandby("standby");
  await standby.start();
});
after(async () => {
  await standby.remove();
  await primary.remove();
});

const urlOf = (hosts = primary.host, query = "", login = primary.login) =>
  `postgres://${login}@${hosts}/postgres${query}`;

test("a refused login names the user, the code and the host", async () => {
  const host = primary.host.replaceAll(".", "\\.");
  await assertNamed(
    urlOf(undefined, "", "postgres:wrong"),
    new RegExp(`^(?:reeve: )?cannot use PostgreSQL at ${host}: .*"postgres" \\(28P01\\): .*pg_hba\\.conf`),
  );
  await assertNamed(
    urlOf().replace(/\/postgres$/, "/nothing"),
    new RegExp(
      `at ${host}: .*"nothing" does not exist \\(3D000\\): see .* the database and options in REEVE_DATABASE_URL`,
    ),
  );
  await assertNamed(
    urlOf("127.0.0.1:1"),
    /at 127\.0\.0\.1:1: connect ECONNREFUSED.*: see that it runs and can be reached/,
  );
});

test("each other refusal of a login says what to see to, with its code", async () => {
  await primary.query("create database closed allow_connections false");
  await primary.query("create database guarded");
  await primary.query("revoke connect on database guarded from public");
  await primary.query("create role nobody_in nologin password 'x'");
  await primary.query("create role reeve_few login password 'x'");
  for (const [url, words] of [
    [urlOf().replace(/\/postgres$/, "/closed"), /not currently accepting connections \(55000\): see .* the database/],
    [urlOf(undefined, "", "nobody_in:x"), /not permitted to log in \(28000\): see the user/],
    [
      urlOf(undefined, "", "reeve_few:x").replace(/\/postgres$/, "/guarded"),
      /permission denied for database "guarded" \(42501\): grant it/,
    ],
    [
      urlOf(undefined, "?options=-c%20nothing%3D1"),
      /parameter "nothing" \(42704\): see .* options in REEVE_DATABASE_URL/,
    ],
    [urlOf(undefined, "?options=-c%20work_mem%3Dmuch"), /"work_mem": "much" \(22023\): see .* options in REEVE/],
    [urlOf(undefined, "?options=--nothing"), /\(42601\): see .* options in REEVE_DATABASE_URL/],
  ] as const) {
    await assertNamed(url, words);
  }
});

test("a transaction that the server ends for its length is refused as temporary", async (t) => {
  const server = await startServer(t, { databaseUrl: urlOf() });
  const [user = ""] = primary.login.split(":");
  const setLimit = (limit: string) => primary.query(`alter role "${user}" set transaction_timeout = ${limit}`);
  // The sessions of this test have it too.
  await setLimit("2000");
  t.after(() => setLimit("0"));
  await endSessions(primary);
  await primary.withClient(async (client) => {
    await client.query("begin; set local transaction_timeout = 0; lock table teams");
    assert.equal(await createTeam(server, "too-long"), 503);
    await client.query("rollback");
  });
  await untilLogged(server, /"code":"25P04"/);
  // On a machine with much other work, a short one may take as long at first.
  await waitFor("a short one", async () => (await createTeam(server, "short-enough")) === 200 || undefined);
});

test("a standby and a read-only server are told apart, at the start and in doctor", async () => {
  await assertNamed(
    urlOf(standby.host),
    /is a standby, which accepts no writes: promote it, or name the primary/,
    "writable",
  );
  const readOnly = urlOf(undefined, "?options=-c%20default_transaction_read_only%3Don");
  await assertNamed(
    readOnly,
    /default_transaction_read_only is on: set default_transaction_read_only to off/,
    "writable",
  );
});

test("of several hosts each is named with what is wrong with it", async () => {
  await assertNamed(
    urlOf(`127.0.0.1:1,${standby.host}`),
    new RegExp(`at 127\\.0\\.0\\.1:1: connect ECONNREFUSED.*; ${standby.host}: it is a standby`),
  );
  const lines = await examine(urlOf(`${standby.host},${primary.host}`));
  assert.deepEqual(lines.get("hosts")?.detail, `${standby.host}: standby; ${primary.host}: primary`);
  assert.equal(lines.get("hosts")?.status, "ok");
  assert.equal(lines.get("writable")?.status, "ok");
  const two = await examine(urlOf(`${primary.host},${primary.host}`));
  assert.equal(two.get("hosts")?.status, "fault");
});

test("a search path without a schema is named", async () => {
  await assertNamed(
    urlOf(undefined, "?options=-c%20search_path%3Dnothing"),
    /search_path nothing .*: create the schema/,
  );
});

test("a running server whose role finds no schema any more says so to everybody, and recovers by itself", async (t) => {
  const server = await startServer(t, { databaseUrl: urlOf() });
  const [user = ""] = primary.login.split(":");
  const setPath = (path: string) =>
    primary.withClient((client) => client.query(`alter role "${user}" set search_path = ${path}`));
  await setPath("nothing");
  t.after(() => setPath("public"));
  await endSessions(primary);
  for (let request = 0; request < 30; request++) assert.equal(await createTeam(server, `lost-${request}`), 503);
  await untilCode(server, "store_no_schema");
  await untilLogged(server, /"store_no_schema"/);
  const stacks = server.logged().split('"stack"').length - 1;
  assert.ok(stacks < 10, server.logged());
  await setPath("public");
  await endSessions(primary);
  await untilReady(server);
});

test("a running server names a server that has become read-only, and one that comes back as a standby", async (t) => {
  const server = await startServer(t, { databaseUrl: urlOf() });
  const setReadOnly = (value: string) =>
    primary.withClient(async (client) => {
      await client.query("set default_transaction_read_only = off");
      await client.query(`alter system set default_transaction_read_only = ${value}`);
      await client.query("select pg_reload_conf()");
    });
  await setReadOnly("on");
  t.after(() => setReadOnly("off"));
  await endSessions(primary);
  await untilCode(server, "store_read_only");
  assert.equal(await createTeam(server, "read-only"), 503);
  await untilLogged(server, new RegExp(`"store_read_only","detail":"${primary.host}: .*(?:read-only|read_only)`));
  await setReadOnly("off");
  await endSessions(primary);
  await untilReady(server);
  // Another server takes the port of the one that Reeve is connected to, and is a standby of it.
  const returned = await primary.makeStandby("returned");
  await returned.start();
  await returned.stop("fast");
  const demoted = returned.at(primary.port);
  t.after(() => demoted.remove());
  await primary.stop("immediate");
  await demoted.start();
  await untilCode(server, "store_standby");
  assert.equal(await createTeam(server, "demoted"), 503);
  await demoted.stop("immediate");
  await primary.start();
  await untilReady(server);
});

test("a password that changes in its file is read again: at a refused login, and at SIGHUP", async (t) => {
  const role = "reeve_rotating";
  await primary.query(`create role ${role} login superuser password 'first'`);
  t.after(() => primary.query(`drop role ${role}`));
  const file = join(dataDir, "url");
  const write = (password: string) => writeFileSync(file, urlOf(undefined, "", `${role}:${password}`));
  const setPassword = (password: string) => primary.query(`alter role ${role} password '${password}'`);
  write("first");
  const server = await serveReeve(FLAGS, { REEVE_DATABASE_URL_FILE: file });
  t.after(() => stopReeve(server));
  await setPassword("second");
  await endSessions(primary);
  await untilCode(server, "store_login_refused");
  assert.equal(await createTeam(server, "locked-out"), 503);
  await untilLogged(server, /password authentication failed for user \\"reeve_rotating\\" \(28P01\)/);
  write("second");
  await untilReady(server);
  assert.equal(await createTeam(server, "rotated"), 200);
  // A new URL before the old password ends: no request is refused.
  write("third");
  await setPassword("third");
  server.child.kill("SIGHUP");
  await waitFor("the log to tell", () => server.logged().includes("the database's URL has changed") || undefined);
  await endSessions(primary);
  assert.equal(await createTeam(server, "again"), 200);
  // A file that can't be used changes nothing.
  writeFileSync(file, "mysql://x");
  server.child.kill("SIGHUP");
  await waitFor("the log to tell", () => server.logged().includes("cannot be used, and stays as it was") || undefined);
  assert.equal(await createTeam(server, "as-before"), 200);
  // Nor does one that leads nowhere: the URL is tried before it replaces the one that works.
  writeFileSync(file, urlOf("127.0.0.1:1"));
  server.child.kill("SIGHUP");
  await untilLogged(
    server,
    /connect ECONNREFUSED 127\.0\.0\.1:1.*the database's URL cannot be used, and stays as it was/,
  );
  await endSessions(primary);
  await untilReady(server);
  assert.equal(await createTeam(server, "still-as-before"), 200);
});

test("while another program holds a table, the log names its session, and each cause of a refusal once", async (t) => {
  const server = await startServer(t, { databaseUrl: urlOf(undefined, "?lock_timeout=1000") });
  await primary.withClient(async (client) => {
    await client.query("set application_name = 'a report'");
    await client.query("begin");
    await client.query("lock table events");
    const statuses = await Promise.all(Array.from({ length: 55 }, (_, n) => createTeam(server, `locked-${n}`)));
    assert.deepEqual(new Set(statuses), new Set([503]));
    await untilLogged(
      server,
      /"holders":"session \d+ \(a report\) of postgres from 127\.0\.0\.1, idle in transaction, in a transaction for \d+ s, with locks on events"/,
    );
    await client.query("lock table users, webhook_queues");
    const found = await examine(urlOf(undefined, "?lock_timeout=1000"));
    for (const check of ["event chains", "addresses", "deliveries"]) {
      const { detail, advice = "" } = found.get(check) ?? assert.fail(check);
      assert.match(detail, /lock timeout/, check);
      assert.match(advice, /^look for what blocks or overloads it/, check);
    }
    await client.query("rollback");
  });
  const lines = server
    .logged()
    .split("\n")
    .filter((line) => line.includes('"request failed"'));
  const causes = lines.map((line) => /"code":"55P03"|none was released in time|too many/.exec(line)?.[0] ?? line);
  assert.equal(new Set(causes).size, causes.length, lines.join("\n"));
  assert.ok(causes.includes('"code":"55P03"'), lines.join("\n"));
  assert.equal(await createTeam(server, "unlocked"), 200);
});

test("a process whose machine has another clock is told, one beside it is not, and it ends once the clock is set", async (t) => {
  const clock = join(dataDir, "clock");
  const databaseUrl = urlOf();
  const right = await startServer(t, { databaseUrl });
  for (const sign of ["+", "-"]) {
    writeFileSync(clock, `${sign}90s`);
    const wrong = await startServer(t, { databaseUrl }, useClock(clock));
    assert.deepEqual(await readHealth(wrong), { status: 200, codes: ["clock_skewed"] });
    await untilLogged(wrong, new RegExp(`"clock_skewed","detail":"by ${sign.replace("+", "")}\\d{5} ms"`));
    assert.deepEqual(await readHealth(right), { status: 200, codes: [] });
    writeFileSync(clock, "+0s");
    await waitFor("the right clock", async () => (await readHealth(wrong)).codes.length === 0 || undefined);
    await stopReeve(wrong);
  }
});
