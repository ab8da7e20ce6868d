// Which alerts fire when Reeve's own background work fails, and when the disk of PostgreSQL is full: by real faults of a real server.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import type { RunningServer } from "../../cli/reeve-process.ts";
import { createSmallDisk } from "../../harness/small-disk.ts";
import type { SmallDisk } from "../../harness/small-disk.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { startMailServer } from "../../mail/mail-server.ts";
import { findPostgres } from "../../postgres/files.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import { LOOPBACK, startReceiver } from "../../webhooks/receiver.ts";
import { assertDocumented, createRecorder, findFiring } from "./alert-recording.ts";
import type { Scrape } from "./alert-recording.ts";
import type { Exposition } from "../../health/metrics-text.ts";

const ROLE = "reeve_serving";
const MB = 1_048_576;
const bootstrapToken = "an_administrators_token_of_this_test_file";
const dataDir = mkdtempSync(join(tmpdir(), "reeve-alerts-"));
const mailServer = await startMailServer();

let disk: SmallDisk;
let node: PostgresNode;
let server: RunningServer;

const urlNow = () => `postgres://${ROLE}:${ROLE}@${node.host}/postgres`;

async function serve(smtpUrl: string | null): Promise<RunningServer> {
  const databaseUrl = urlNow();
  const mail = smtpUrl === null ? {} : { smtpUrl };
  return await serveReeve({ ...LOOPBACK, ...mail, bootstrapToken, rateLimit: "0", dataDir, databaseUrl });
}

/** Without mail. The work that comes once a minute has not failed yet. */
async function restart(): Promise<void> {
  await stopReeve(server);
  server = await serve(null);
}

before(async () => {
  const { account, makeFolder } = await findPostgres();
  disk = await createSmallDisk(makeFolder(), 64 * MB, account);
  node = await createPostgresNode("background", {
    folders: { data: disk.seen, wal: makeFolder() },
    configuration: ["fsync = on"],
  });
  await node.start();
  await node.query(`create role ${ROLE} login password '${ROLE}' in role pg_read_all_stats`);
  await node.query(`grant all on schema public to ${ROLE}`);
  server = await serve(mailServer.url);
});
after(async () => {
  await stopReeve(server);
  await node.stop("immediate");
  rmSync(dataDir, { recursive: true, force: true });
});

const { recordings, untilScraped, recordGrowth, recordOnce } = createRecorder(() => server.url);
const DISK_FULL = "the disk of PostgreSQL is full";
const RARELY_FULL = "the disk of PostgreSQL is full, and changes are rare";

async function call(method: string, path: string, body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${bootstrapToken}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...init });
  await response.arrayBuffer();
  return response.status;
}

async function invite(name: string): Promise<void> {
  assert.equal(await call("POST", "/v1/teams/inviting/members", { email: `${name}@guests.example` }), 200);
}

/** Records while `work` is tried four times a second. */
async function recordWhile(work: () => Promise<unknown>, fault: string, series: string): Promise<void> {
  const working: Promise<unknown>[] = [];
  const timer = setInterval(() => working.push(work()), 250);
  await recordGrowth(fault, series).finally(() => clearInterval(timer));
  await Promise.all(working);
}

const OLDEST_MAIL = "reeve_mails_oldest_age_seconds";
const attempts = (outcome: string) => `reeve_mail_attempts_total{outcome="${outcome}"}`;

test("mail that is sent is nothing to tell of", async () => {
  assert.equal(await call("POST", "/v1/teams", { slug: "inviting", name: "Inviting" }), 200);
  for (let count = 0; count < 4; count++) await invite(`sent-${count}`);
  await recordOnce("nothing", (page) => page.value(attempts("sent")) === 4 && page.value(OLDEST_MAIL) === 0);
});

test("a mail server that accepts no recipient, now or for good", async () => {
  mailServer.refuse = () => ({ status: 550, text: "5.7.1 relaying denied" });
  let invited = 0;
  const inviteNext = () => invite(`refused-${++invited}`);
  await recordWhile(inviteNext, "the mail server refuses every mail for good", attempts("failed"));
  mailServer.refuse = () => ({ status: 451, text: "4.3.0 no service" });
  await invite("later");
  await recordGrowth("the mail server refuses every mail for now", OLDEST_MAIL, { least: 2 });
});

test("a mail server that is gone", async () => {
  await mailServer.stop();
  await invite("unreachable");
  await recordGrowth("the mail server is gone", OLDEST_MAIL, { least: 2 });
});

test("no process that sends mail", async () => {
  await restart();
  // Retries become due.
  await node.query("update mails set due_at = 0, created_at = created_at - 60000");
  await recordGrowth("mail waits, and no process has `REEVE_SMTP_URL`", "reeve_mails_oldest_due_age_seconds", {
    least: 2,
  });
  await node.query("delete from mails");
});

test("a receiver that takes long over each delivery falls behind", async () => {
  const receiver = await startReceiver();
  receiver.respond((response) => void setTimeout(() => response.end(), 1_000));
  const hook = { url: receiver.url, events: ["deployment.*"], ordering: "strict" };
  assert.equal(await call("POST", "/v1/webhooks", hook), 200);
  // More than it takes in a minute.
  for (let count = 0; count < 60; count++)
    assert.equal(await call("POST", "/v1/events", { type: "deployment.created" }), 200);
  const meanwhile = async () => {
    const { length } = receiver.received;
    await receiver.until((received) => received.length > length + 2);
  };
  const series = 'reeve_webhook_oldest_due_age_seconds{receiver="healthy"}';
  await recordGrowth("a receiver takes long over each delivery", series, { meanwhile, least: 2 });
  await node.query("delete from webhook_queues; delete from webhooks");
  await restart();
});

test("rows of a deleted team that cannot be removed", async () => {
  assert.equal(await call("POST", "/v1/teams", { slug: "leaving", name: "Leaving" }), 200);
  // More than the deletion itself removes.
  for (let count = 0; count < 20; count++)
    assert.equal(await call("POST", "/v2/secrets?slug=leaving", { name: `S_${count}`, value: "x" }), 200);
  await node.query(
    "create table reports as select id as team_id from teams where slug = 'leaving'; alter table reports add foreign key (team_id) references teams",
  );
  assert.equal(await call("DELETE", "/v1/teams/leaving"), 200);
  await untilScraped((page) => page.value('reeve_housekeeping_failing{work="continueRemoval"}') === 1);
  await recordGrowth("another program's table refers to a deleted team", "reeve_removals_oldest_age_seconds", {
    least: 2,
  });
  await node.query("drop table reports");
  await untilScraped((page) => page.value("reeve_removals_pending") === 0);
});

test("checkpoints that cannot be written", async () => {
  await node.query(`revoke insert on event_checkpoints from ${ROLE}`);
  await node.query("update owners set checkpoint_due_at = 0 where sequence > 0");
  const series = 'reeve_housekeeping_failing{work="checkpointDue"}';
  // Its round comes once a minute; what the role lacks is told at once.
  const isTold = (page: Exposition) => page.value(series) === 1 && page.value("reeve_ready") === 0;
  await untilScraped(isTold).catch(() => undefined);
  await recordOnce("the role may not write checkpoints", isTold);
  await node.query(`grant insert on event_checkpoints to ${ROLE}`);
  await node.query("update owners set checkpoint_due_at = null");
  await restart();
});

/** What `reeve doctor` advises where it cannot write. */
async function adviceOnWriting(): Promise<string | undefined> {
  const { stdout } = await runReeve(["doctor", "--json"], { dataDir, databaseUrl: urlNow() });
  const { findings } = JSON.parse(stdout) as { findings: { check: string; advice?: string }[] };
  return findings.find(({ check }) => check === "writable")?.advice;
}

test("a full disk of PostgreSQL", async () => {
  const write = async () =>
    await call("POST", "/v2/secrets", { name: `S${performance.now()}`.replace(".", "_"), value: "x".repeat(60_000) });
  // Without space a checkpoint ends PostgreSQL itself: the next one is far away.
  await node.query("checkpoint");
  disk.takeSpace();
  await waitFor("a refusal", async () => (await write()) === 507);
  // From here on readiness alone writes: it is refused again and again, and nobody else is.
  const listRefusals = () => node.log.split("\n").filter((line) => line.includes("No space left on device"));
  const [known, since] = [new Set(listRefusals()), new Set<string>()];
  const isStillFull = (page: Exposition) => {
    for (const line of listRefusals()) if (!known.has(line)) since.add(line);
    return page.value("reeve_ready") === 0 && since.size >= 3;
  };
  await recordOnce(RARELY_FULL, isStillFull);
  disk.freeSpace();
  await untilScraped((page) => page.value("reeve_ready") === 1);
  disk.takeSpace();
  await waitFor("a refusal", async () => (await write()) === 507);
  // Pages of its own table have room for some writes of readiness.
  await untilScraped((page) => page.value("reeve_ready") === 0);
  await recordWhile(write, DISK_FULL, 'reeve_store_failures_total{reason="full"}');
  // What PostgreSQL gives back by itself has room for some more.
  const isAdvised = async () => (await adviceOnWriting()) === "make room on the disk of the database";
  await waitFor("doctor to tell", isAdvised);
  disk.freeSpace();
  await waitFor("room", async () => (await write()) === 200);
});

test("a PostgreSQL that is gone", async () => {
  await restart();
  await node.stop("immediate");
  const write = async () => assert.equal(await call("POST", "/v1/teams", { slug: "nowhere" }), 503);
  const FAILED = 'reeve_http_request_duration_seconds_count{operation="createTeam",status="503"}';
  await recordWhile(write, "PostgreSQL is gone", FAILED);
});

test("the documentation says which alerts fire", () => {
  const [healthy] = recordings.get("nothing") as readonly Scrape[];
  assertDocumented("background-alerts", findFiring(healthy as Scrape, recordings));
});
