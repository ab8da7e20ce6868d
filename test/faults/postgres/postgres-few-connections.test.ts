// A role has fewer connections than two servers want: each works with those that it has, refuses nothing for that reason, and
// reports it in the log and in readiness.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import pg from "pg";
import { POOL_SIZE } from "../../../src/platform/store/postgres/driver.ts";
import { createStorage } from "../../harness/test-app.ts";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import type { RunningServer } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { parseMetrics } from "../../health/metrics-text.ts";

const ROLE = "reeve_test_of_two_servers";
const LIMIT = 6;
const bootstrapToken = "an_administrators_token_of_this_test_file";
const headers = { authorization: `Bearer ${bootstrapToken}`, "content-type": "application/json" };

const storage = await createStorage();
const owner = new pg.Client({ connectionString: storage.flags.databaseUrl as string });
await owner.connect();
await owner.query(`drop role if exists ${ROLE}`);
await owner.query(`create role ${ROLE} login password '${ROLE}' connection limit ${LIMIT}`);
const limited = new URL(storage.flags.databaseUrl as string);
await owner.query(`alter database ${limited.pathname.slice(1)} owner to ${ROLE}`);
limited.username = limited.password = ROLE;
const settings = { ...storage.flags, databaseUrl: limited.href, bootstrapToken, rateLimit: "0", logLevel: "warn" };
after(async () => {
  await owner.end();
  await storage.remove();
  const admin = new pg.Client({ connectionString: process.env["REEVE_TEST_DATABASE_URL"] as string });
  await admin.connect();
  await admin.query(`drop role ${ROLE}`);
  await admin.end();
});

// A migration takes one more connection where it lasts, to look for whom it waits.
assert.equal((await runReeve(["migrate"], settings)).code, 0);

async function createTeam({ url }: RunningServer, slug: string): Promise<number> {
  const response = await fetch(`${url}/v1/teams`, { method: "POST", headers, body: JSON.stringify({ slug }) });
  await response.arrayBuffer();
  return response.status;
}

async function readUser({ url }: RunningServer): Promise<number> {
  const response = await fetch(`${url}/v2/user`, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** The number of responses by status. */
function countStatuses(statuses: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Sets the connection limit of the role; existing connections stay. */
const limitConnections = (count: number) => owner.query(`alter role ${ROLE} connection limit ${count}`);

/** Ends the connections of the role; returns how many there were. */
async function endConnections(): Promise<number> {
  const ended = await owner.query("select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = $1", [
    ROLE,
  ]);
  return ended.rows.length;
}

interface Checks {
  readonly checks?: { readonly store?: { readonly code: string } };
}

async function askReadiness({ url }: RunningServer) {
  const response = await fetch(`${url}/health/ready`);
  const body = (await response.json()) as Checks & { readonly error?: Checks };
  return { status: response.status, code: (body.error ?? body).checks?.store?.code };
}

/** Runs `one` this many times, some of them at once. */
async function repeat(count: number, atOnce: number, one: (n: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) statuses.push(await one(next++));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return statuses;
}

test("two servers with six connections together refuse no change and no read", async () => {
  const servers = [await serveReeve(settings), await serveReeve(settings)] as const;
  const responses = await Promise.all(
    servers.flatMap((server, at) => [
      repeat(50, 4, (n) => createTeam(server, `team-${at}-${n}`)),
      repeat(50, 4, () => readUser(server)),
    ]),
  );
  for (const statuses of responses) assert.deepEqual(countStatuses(statuses), { 200: 50 });
  const told = await Promise.all(servers.map(askReadiness));
  for (const server of servers) {
    const { code, stderr } = await stopReeve(server);
    assert.equal(code, 0);
    const lines = stderr.split("\n").filter((line) => /too few connections|request failed/.test(line));
    assert.equal(lines.length, 1, stderr.slice(0, 2_000));
    const { msg, count, open } = JSON.parse(lines[0] as string) as { msg: string; count: number; open: number };
    assert.match(msg, /^too few connections/);
    assert.ok(count > 0 && open > 0);
  }
  for (const ready of told) assert.deepEqual(ready, { status: 200, code: "too_few_connections" });
});

test("without any connection changes and reads are refused, until the first one is free", async () => {
  const server = await serveReeve(settings);
  assert.equal(await createTeam(server, "before"), 200);
  await limitConnections(0);
  await waitFor("the end of the server's connections", async () => (await endConnections()) === 0);
  assert.deepEqual(countStatuses(await repeat(40, 20, (n) => createTeam(server, `none-${n}`))), { 503: 40 });
  assert.equal(await readUser(server), 503);
  await waitFor("readiness", async () => (await askReadiness(server)).status === 503);
  assert.equal((await askReadiness(server)).code, "too_few_connections");
  const started = await runReeve(["serve", "--port", "0"], settings);
  assert.equal(started.code, 69);
  assert.match(started.stderr, /too many connections for role .*max_connections/);
  assert.ok(!started.stderr.includes("    at "));
  await limitConnections(1);
  await waitFor("a change", async () => (await createTeam(server, "after")) === 200);
  assert.equal(await readUser(server), 200);
  await waitFor("readiness", async () => (await askReadiness(server)).status === 200);
  const { stderr } = await stopReeve(server);
  assert.ok(!stderr.includes('"request failed"'), stderr.slice(0, 2_000));
});

test("a process takes as many connections as doctor, the metric and the documentation say, and never more", async (t) => {
  await limitConnections(-1);
  const url = new URL(limited);
  for (const name of ["lock_timeout", "statement_timeout", "query_timeout"])
    url.searchParams.set(name, name === "query_timeout" ? "600001" : "600000");
  const server = await serveReeve({ ...settings, databaseUrl: url.href });
  t.after(() => stopReeve(server));
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const most = parseMetrics(metrics).value("reeve_store_connections_most") as number;
  const { stdout } = await runReeve(["doctor", "--json"], settings);
  assert.equal(/each server or worker takes at most (\d+)/.exec(stdout)?.[1], String(most));
  const page = readFileSync(new URL("../../../docs/postgresql.md", import.meta.url), "utf8");
  assert.equal(/at most (\d+) connections \(`reeve_store_connections_most`\)/.exec(page)?.[1], String(most));

  const slugs = Array.from({ length: 40 }, (_, n) => `held-${n}`);
  for (const slug of slugs) assert.equal(await createTeam(server, slug), 200);
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${server.url}${path}`, { headers, ...init });
    await response.arrayBuffer();
    return response.status;
  };
  const rename = (slug: string) =>
    send(`/v1/teams/${slug}`, { method: "PATCH", body: JSON.stringify({ name: "held" }) });
  let peak = 0;
  const countAll = async () => {
    const { rows } = await watcher.query(
      "select wait_event_type = 'Lock' as waits from pg_stat_activity where application_name = 'reeve-2' and usename = $1",
      [ROLE],
    );
    peak = Math.max(peak, rows.length);
    return { all: rows.length, waiting: rows.filter(({ waits }) => waits === true).length };
  };
  const watcher = new pg.Client({ connectionString: storage.flags.databaseUrl as string });
  await watcher.connect();
  t.after(() => watcher.end());
  await owner.query("begin; select from owners for update");
  t.after(() => owner.query("rollback"));
  // Many at once share transactions: each is to have one that waits, until no connection for changes is left.
  const sent: Promise<number>[] = [];
  for (const [at, slug] of slugs.entries()) {
    sent.push(rename(slug));
    await waitFor("a change that waits", async () => (await countAll()).waiting === Math.min(at + 1, POOL_SIZE));
  }
  await owner.query("lock table secrets");
  sent.push(...slugs.map((slug) => send(`/v2/secrets?slug=${slug}`)));
  await waitFor(`${most} connections`, async () => (await countAll()).all >= most);
  for (let look = 0; look < 20; look++) await countAll();
  await owner.query("rollback");
  const over = Promise.all(sent);
  let statuses: readonly number[] | undefined;
  while (!statuses) statuses = await Promise.race([over, countAll().then(() => undefined)]);
  // On a slow machine those that waited long for a connection are refused.
  const { 200: done = 0, 503: refused = 0 } = countStatuses(statuses);
  assert.equal(done + refused, sent.length);
  assert.ok(done >= most, `${done} done`);
  assert.equal(peak, most);
});
