// What an operator is told while PostgreSQL can't be used: a start, a running server and `reeve doctor` name the fault itself and the
// host, by the real fault. The servers belong to this test.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import type { RunningServer } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import { startPooler } from "../../postgres/pooler.ts";

const token = "an_administrators_token_of_this_test_file";
const dataDir = mkdtempSync(join(tmpdir(), "reeve-named-"));
const FLAGS = { dataDir, bootstrapToken: token, logLevel: "info" };

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
  rmSync(dataDir, { recursive: true, force: true });
});

const urlOf = (hosts = primary.host, query = "", login = primary.login) =>
  `postgres://${login}@${hosts}/postgres${query}`;

interface DoctorLine {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly advice?: string;
}

async function examine(databaseUrl: string): Promise<ReadonlyMap<string, DoctorLine>> {
  const { stdout, stderr } = await runReeve(["doctor", "--json"], { ...FLAGS, databaseUrl });
  const { findings } = JSON.parse(stdout || stderr) as { readonly findings: readonly DoctorLine[] };
  return new Map(findings.map((line) => [line.check, line]));
}

/** A server can't start, says so in one line with `words`, and so does doctor, in the line `check`. */
async function assertNamed(databaseUrl: string, words: RegExp, check = "store"): Promise<void> {
  const { code, stderr } = await runReeve(["serve", "--port", "0"], { ...FLAGS, databaseUrl });
  assert.equal(code, 69, stderr);
  assert.match(stderr, words);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  const line = (await examine(databaseUrl)).get(check);
  assert.equal(line?.status, "fault");
  assert.match(`${line?.detail}: ${line?.advice}`, words);
}

async function startServer(t: TestContext, flags: Readonly<Record<string, string>>): Promise<RunningServer> {
  const server = await serveReeve({ ...FLAGS, ...flags });
  t.after(() => stopReeve(server));
  return server;
}

interface Health {
  readonly status: number;
  readonly codes: readonly string[];
}

async function readHealth({ url }: RunningServer): Promise<Health> {
  const response = await fetch(`${url}/health/ready`);
  const text = await response.text();
  return {
    status: response.status,
    codes: [...text.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code as string),
  };
}

/** A response is cached for a second. */
async function untilCode(server: RunningServer, code: string): Promise<void> {
  await waitFor(code, async () => {
    const { status, codes } = await readHealth(server);
    return (status === 503 && codes.includes(code)) || undefined;
  });
}

const untilReady = async (server: RunningServer) =>
  await waitFor("readiness", async () => (await readHealth(server)).status === 200 || undefined);

const untilLogged = async (server: RunningServer, words: RegExp) =>
  await waitFor("the log to tell", () => words.test(server.logged()) || undefined);

async function createTeam({ url }: RunningServer, slug: string): Promise<number> {
  const response = await fetch(`${url}/v1/teams`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ slug }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Creates teams at once, each again while the server has too much to do. */
async function createTeams(server: RunningServer, name: string, count: number): Promise<void> {
  const slugs = Array.from({ length: count }, (_, n) => `${name}-${n}`);
  const create = (slug: string) =>
    waitFor(slug, async () => {
      const status = await createTeam(server, slug);
      if (status !== 503) assert.equal(status, 200, slug);
      return status === 200;
    });
  await Promise.all(slugs.map(create));
}

/** Ends the sessions of Reeve, so that it opens new ones. */
const endSessions = () =>
  primary.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'reeve-2'");

test("a refused login names the user, the code and the host", async () => {
  const host = primary.host.replaceAll(".", "\\.");
  await assertNamed(
    urlOf(undefined, "", "postgres:wrong"),
    new RegExp(`^(?:reeve: )?cannot use PostgreSQL at ${host}: .*"postgres" \\(28P01\\): .*pg_hba\\.conf`),
  );
  await assertNamed(
    urlOf().replace(/\/postgres$/, "/nothing"),
    new RegExp(`at ${host}: .*"nothing" does not exist \\(3D000\\): see .* the database in REEVE_DATABASE_URL`),
  );
  await assertNamed(urlOf("127.0.0.1:1"), /at 127\.0\.0\.1:1: connect ECONNREFUSED/);
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
  await endSessions();
  await untilCode(server, "store_read_only");
  assert.equal(await createTeam(server, "read-only"), 503);
  await untilLogged(server, new RegExp(`"store_read_only","detail":"${primary.host}: .*(?:read-only|read_only)`));
  await setReadOnly("off");
  await endSessions();
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
  await endSessions();
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
  await endSessions();
  assert.equal(await createTeam(server, "again"), 200);
  // A file that can't be used changes nothing.
  writeFileSync(file, "mysql://x");
  server.child.kill("SIGHUP");
  await waitFor("the log to tell", () => server.logged().includes("cannot be read, and stays as it was") || undefined);
  assert.equal(await createTeam(server, "as-before"), 200);
});

test("a pooler that loses prepared statements is refused at the start and by doctor; one that keeps sessions is not", async (t) => {
  const mixing = await startPooler(primary, [
    "pool_mode = transaction",
    "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout",
    "default_pool_size = 4",
  ]);
  t.after(() => mixing.stop());
  await assertNamed(urlOf(mixing.host), /a pooler gives each transaction another session.*: use pool_mode = session/);
  const keeping = await startPooler(primary, [
    "pool_mode = session",
    "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout",
    "default_pool_size = 40",
  ]);
  t.after(() => keeping.stop());
  const server = await startServer(t, { databaseUrl: urlOf(keeping.host) });
  await createTeams(server, "pooled", 49);
  assert.equal((await readHealth(server)).status, 200);
});

test("a pooler with fewer sessions than a process wants is named for that, and its sessions serve everything", async (t) => {
  for (const [name, limit] of Object.entries({ pool: "default_pool_size = 5", clients: "max_client_conn = 5" })) {
    const small = await startPooler(primary, [
      "pool_mode = session",
      "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout",
      limit,
    ]);
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

test("while another program holds a table, the log names its session, and each cause of a refusal once", async (t) => {
  const server = await startServer(t, { databaseUrl: urlOf(undefined, "?lock_timeout=1000") });
  await primary.withClient(async (client) => {
    await client.query("set application_name = 'a report'");
    await client.query("begin");
    await client.query("lock table events");
    const statuses = await Promise.all(Array.from({ length: 55 }, (_, n) => createTeam(server, `locked-${n}`)));
    assert.deepEqual(new Set(statuses), new Set([503]));
    await untilLogged(server, /"holders":"session \d+ \(a report\) of postgres from 127\.0\.0\.1, idle in transaction/);
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
