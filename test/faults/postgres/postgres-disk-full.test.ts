// The disks of a PostgreSQL server become full under load, and have space again: the disk of its data, which fails single
// changes, and the disk of its log, which stops the server. Changes are refused by name, no acknowledged write is lost or
// partial, and Reeve needs no restart. The server belongs to this test.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import { createSmallDisk, limitFiles } from "../../harness/small-disk.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../../webhooks/receiver.ts";
import { checkLoad, startLoad, untilDelivered } from "../load/mixed-load.ts";
import { findPostgres } from "../../postgres/files.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import { SPACE_MESSAGES, readSpaceLog } from "../space-log.ts";

const MB = 1_048_576;
const STEADY_WRITES = 50;
const REFUSALS = 100;
const token = "an_administrators_token_of_this_test_file";

test("while PostgreSQL has no space for data or log, changes are refused by name, and succeed when there is some", async () => {
  const { account, makeFolder } = await findPostgres();
  const data = await createSmallDisk(makeFolder(), 48 * MB, account);
  const wal = await createSmallDisk(makeFolder(), 96 * MB, account);
  const node = await createPostgresNode("full", {
    folders: { data: data.seen, wal: wal.seen },
    // PostgreSQL recycles no file of the log: it needs space for one file after another.
    flags: ["--wal-segsize=1"],
    // Once its log has no space it ends: a recovery would find files to remove, and serve until the next ones are full.
    // All data fits into its memory: a read that needs the room of a changed page there, which cannot be written, fails too.
    configuration: [
      "min_wal_size = '2MB'",
      "max_wal_size = '32MB'",
      "restart_after_crash = off",
      "shared_buffers = '256MB'",
    ],
  });
  after(() => node.stop("immediate"));
  await node.start();
  const databaseUrl = `postgres://${node.login}@${node.host}/postgres`;
  const dataDir = mkdtempSync(join(tmpdir(), "reeve-full-"));
  after(() => rmSync(dataDir, { recursive: true, force: true }));
  const flags = { dataDir, databaseUrl, ...LOOPBACK, bootstrapToken: token, rateLimit: "0", logLevel: "info" };
  const server = await serveReeve(flags);
  const load = await startLoad({ urls: () => [server.url], token, receiver: await startReceiver() });
  const { ask } = load.client;
  // Too large for the free space of the existing pages.
  const create = (name: string) => ask("POST", "/v2/secrets", { name, value: "x".repeat(60_000), decryptable: true });

  async function refuses(name: string, status: number, code: string): Promise<void> {
    const refused = await create(name);
    assert.deepEqual([refused.status, refused.body.error.code], [status, code]);
    assert.match(refused.body.error.message, /nothing was changed/);
  }

  /** Waits until readiness reports that of the store: a response is cached for a second. */
  async function untilNotReady(reason: string): Promise<void> {
    await waitFor(reason, async () => {
      const { status, body } = await ask("GET", "/health/ready");
      return status === 503 && body.error.checks.store.code === reason;
    });
  }

  async function goesOn(name: string): Promise<void> {
    await load.untilAcknowledged(load.acknowledged + STEADY_WRITES);
    assert.equal((await create(name)).status, 200);
    await waitFor("readiness", async () => (await ask("GET", "/health/ready")).status === 200);
    await load.follow();
  }

  async function fillData(): Promise<void> {
    const before = readSpaceLog(server.logged()).failures;
    // Without space a checkpoint ends PostgreSQL itself, and then not even reads are answered: the next one is far away.
    await node.query("checkpoint");
    data.takeSpace();
    await waitFor("refusals", () => (load.notExecuted.get("storage_full") ?? 0) > REFUSALS);
    await refuses("NO_ROOM", 507, "storage_full");
    assert.equal((await ask("GET", "/v2/secrets/NO_ROOM")).status, 404);
    assert.equal((await ask("GET", "/v2/teams")).status, 200);
    await untilNotReady("store_full");
    await load.follow();
    data.freeSpace();
    await goesOn("ROOM");
    // A change some time after the last refusal logs it.
    await waitFor("the log to tell", () => server.logged().includes(SPACE_MESSAGES[1]));
    assert.deepEqual(readSpaceLog(server.logged()), { space: SPACE_MESSAGES, failures: before });
  }

  /** PostgreSQL has no error code for an exhausted quota, or for a file of the largest size. */
  async function forbidGrowth(): Promise<void> {
    limitFiles(await node.listProcesses(), 2 * MB, account);
    for (let count = 0; ; count++) {
      const { status, body } = await create(`LARGE_${count}`);
      if (status === 200) continue;
      assert.deepEqual([status, body.error.code], [503, "store_unavailable"]);
      assert.equal((await ask("GET", `/v2/secrets/LARGE_${count}`)).status, 404);
      break;
    }
    assert.match(node.log, /ERROR: +could not extend file .*File too large/);
    await untilNotReady("store_failing");
    await load.follow();
    // Once more, for writes that a process began and could not finish meanwhile.
    for (let time = 0; time < 2; time++) limitFiles(await node.listProcesses(), "unlimited", account);
    await goesOn("GROWN");
  }

  await load.untilAcknowledged(STEADY_WRITES);
  await forbidGrowth();
  await fillData();

  wal.takeSpace();
  await waitFor("PostgreSQL to end", async () => {
    // Begins more files than a checkpoint can remove or recycle meanwhile, also where nothing else was written since the last one began.
    await node
      .query(
        "do $$ begin for n in 1..64 loop perform pg_logical_emit_message(false, 'due', 'x'), pg_switch_wal(); end loop; end $$",
      )
      .catch(() => undefined);
    return !node.isRunning;
  });
  assert.match(node.log, /PANIC: .*No space left on device/);
  await refuses("NO_LOG", 503, "store_unavailable");
  assert.equal((await ask("GET", "/v2/teams")).status, 503);
  await untilNotReady("store_unreachable");
  wal.freeSpace();
  await node.start();
  await goesOn("LOG");
  assert.equal((await ask("GET", "/v2/secrets/NO_LOG")).status, 404);

  await load.stop();
  await untilDelivered(load);
  const figures = await checkLoad(load);
  assert.deepEqual(figures.deliveries.waiting, {});
  const { code, stderr } = await stopReeve(server);
  assert.equal(code, 0, stderr);
  await node.stop("fast");
  console.log(JSON.stringify({ ...figures, notExecuted: Object.fromEntries(load.notExecuted) }));
});
