// PostgreSQL refuses new sessions and keeps those that are open, as between a new password of the role and the URL that has it: they serve
// everything. The server of PostgreSQL belongs to this test.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import type { RunningServer } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { parseMetrics } from "../../health/metrics-text.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import { startTcpProxy } from "../tcp-proxy.ts";
import { FLAGS, createTeam, dataDir, listTeams, readHealth, renameTeam, untilLogged } from "./told.ts";

/** Changes of different teams use several connections at once. */
const SLUGS = Array.from({ length: 8 }, (_, n) => `team-${n}`);
const EVERY_MS = 100;

let node: PostgresNode;
before(async () => {
  node = await createPostgresNode("rotating");
  await node.start();
  await node.query("create role rotated login superuser password 'first'");
});
after(() => node.remove());

const file = join(dataDir, "rotated-url");
const urlOf = (password: string) => `postgres://rotated:${password}@${node.host}/postgres`;

/** Sends some changes and a read at a steady rate, however long they take; returns the number of responses by status. */
async function load(server: RunningServer, name: string, rounds: number): Promise<Record<string, number>> {
  const sent: Promise<number>[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const slug of SLUGS) sent.push(renameTeam(server, slug, `${name} ${round}`));
    sent.push(listTeams(server));
    await pause(EVERY_MS);
  }
  const counts: Record<string, number> = {};
  for (const status of await Promise.all(sent)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Connections for changes. */
async function countOpen({ url }: RunningServer): Promise<number> {
  const { value } = parseMetrics(await (await fetch(`${url}/metrics`)).text());
  return (value('reeve_store_connections{state="idle"}') ?? 0) + (value('reeve_store_connections{state="busy"}') ?? 0);
}

/** A server with one idle connection for changes: those of several teams would open more. */
async function startIdle(t: TestContext): Promise<RunningServer> {
  const server = await serveReeve({ ...FLAGS, rateLimit: "0" }, { REEVE_DATABASE_URL_FILE: file });
  t.after(() => stopReeve(server));
  for (const slug of SLUGS) assert.notEqual(await createTeam(server, slug), 503);
  assert.deepEqual(await load(server, "first", 10), { 200: 90 });
  await waitFor("idle connections to end", async () => (await countOpen(server)) === 1);
  return server;
}

/** Sends changes, all of which the open session serves, until the server has tried to open another one and says why it could not. */
async function loadUntilSaid(server: RunningServer, rounds: number, code: string): Promise<void> {
  const codes: string[] = [];
  for (let time = 0; codes.length === 0 && time < 10; time++) {
    assert.deepEqual(await load(server, `${code} ${time}`, rounds), { 200: 9 * rounds });
    const health = await readHealth(server);
    assert.equal(health.status, 200);
    codes.push(...health.codes);
  }
  assert.deepEqual(codes, [code]);
}

test("between a new password and the URL that has it open sessions serve everything", async (t) => {
  writeFileSync(file, urlOf("first"));
  const server = await startIdle(t);
  await node.query("alter role rotated password 'second'");
  await loadUntilSaid(server, 40, "store_login_refused");
  assert.match(node.log, /password authentication failed for user "rotated"/);
  await untilLogged(server, /28P01.*no further connection can be opened/);
  writeFileSync(file, urlOf("second"));
  const [{ now }] = (await node.query("select now()::text")) as [{ now: string }];
  const isRenewed = async () => {
    const begun = `select from pg_stat_activity where usename = 'rotated' and backend_start > '${now}'`;
    return (await node.query(begun)).length > 0;
  };
  for (let at = 0; !(await isRenewed()); at++) assert.deepEqual(await load(server, `written-${at}`, 10), { 200: 90 });
  assert.deepEqual(await load(server, "second", 10), { 200: 90 });
  await waitFor("readiness", async () => (await readHealth(server)).codes.length === 0 || undefined);
});

test("while new sessions get no response, open ones serve everything", async (t) => {
  const proxy = await startTcpProxy({ host: "127.0.0.1", port: node.port });
  t.after(() => proxy.cut());
  await node.query("alter role rotated password 'third'");
  writeFileSync(file, urlOf("third").replace(node.host, `127.0.0.1:${proxy.port}`));
  const server = await startIdle(t);
  proxy.isSilentToNew = true;
  await loadUntilSaid(server, 80, "store_timeout");
  await untilLogged(server, /connection timeout.*no further connection can be opened/);
  proxy.isSilentToNew = false;
  assert.deepEqual(await load(server, "restored", 10), { 200: 90 });
  await waitFor("more sessions", async () => {
    await load(server, "more", 5);
    return (await countOpen(server)) > 1 || undefined;
  });
});

test("open sessions of a server that takes no new ones serve everything", async (t) => {
  await node.query("alter role rotated password 'fourth'");
  writeFileSync(file, urlOf("fourth"));
  const server = await startIdle(t);
  const [postmaster = 0] = await node.listProcesses();
  process.kill(postmaster, "SIGTERM");
  await loadUntilSaid(server, 40, "store_unreachable");
  assert.match(node.log, /the database system is shutting down/);
});
