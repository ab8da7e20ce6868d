// The disk of the embedded store becomes full under load, and has space again: changes are refused by name, reads continue, no
// write is partial, and the server needs no restart.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import { serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { createSmallDisk } from "../harness/small-disk.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import { checkLoad, startLoad, untilDelivered } from "./load/mixed-load.ts";
import { SPACE_MESSAGES, readSpaceLog } from "./space-log.ts";

const DISK_BYTES = 24 * 1_048_576;
const REFUSALS = 200;
const token = "an_administrators_token_of_this_test_file";

if (ENGINE === "sqlite") {
  test("on a full disk only changes are refused, by name, until there is space", async () => {
    const storage = await createStorage();
    after(() => storage.remove());
    const folder = storage.flags.dataDir as string;
    const disk = await createSmallDisk(folder, DISK_BYTES);
    const settings = {
      ...storage.flags,
      ...LOOPBACK,
      bootstrapToken: token,
      rateLimit: "0",
      diskReserve: "0",
      logLevel: "info",
    };
    const server = await serveReeve(settings, {}, disk.wrapper);
    const { url } = server;
    const pid = server.child.pid as number;
    const load = await startLoad({ urls: () => [url], token, receiver: await startReceiver() });
    const { ask } = load.client;
    await load.untilAcknowledged(150);
    const [status, code] = disk.isDisk ? [507, "storage_full"] : [503, "store_unavailable"];
    const refusals = () => load.notExecuted.get(code) ?? 0;

    disk.takeSpace([pid]);
    await waitFor("a refusal", () => refusals() > 0);
    const sizes = () => ["reeve.db", "reeve.db-wal"].map((file) => statSync(join(disk.seen, file)).size);
    const full = sizes();
    await waitFor("refusals", () => refusals() > REFUSALS);
    assert.deepEqual(sizes(), full);
    const refused = await ask("POST", "/v1/teams", { slug: "no-room" });
    assert.equal(refused.status, status);
    assert.equal(refused.body.error.code, code);
    assert.match(refused.body.error.message, /nothing was changed/);
    assert.equal((await ask("GET", "/v2/teams/no-room")).status, 404);
    assert.equal((await ask("GET", "/v2/teams")).status, 200);
    const { body: health } = await ask("GET", "/health/ready");
    assert.equal(health.error.code, "not_ready");
    if (disk.isDisk) assert.equal(health.error.checks.store.code, "store_full");
    await load.follow();

    disk.freeSpace([pid]);
    await load.untilAcknowledged(load.acknowledged + 100);
    // Before the load itself has filled the disk, which takes two seconds on a fast machine.
    await load.stop();
    await waitFor("readiness", async () => (await ask("GET", "/health/ready")).status === 200);
    if (disk.isDisk) assert.equal((await ask("GET", "/health/ready")).body.checks.disk.code, "disk_scarce");
    // A change some time after the last refusal logs it.
    await waitFor("the log to tell", async () => {
      assert.equal((await ask("PATCH", "/v2/user", { name: `Changed ${load.acknowledged}` })).status, 200);
      return !disk.isDisk || server.logged().includes(SPACE_MESSAGES[1]);
    });
    await untilDelivered(load);
    const figures = await checkLoad(load);
    assert.deepEqual(figures.deliveries.waiting, {});
    const { code: exitCode, stderr } = await stopReeve(server);
    assert.equal(exitCode, 0, stderr);
    if (disk.isDisk) assert.deepEqual(readSpaceLog(stderr), { space: SPACE_MESSAGES, failures: 0 });
    console.log(`disk full: ${refusals()} changes refused with ${code}; ${JSON.stringify(figures)}`);
  });

  test("before the disk is full, of changes only deletions are accepted", async () => {
    const storage = await createStorage();
    after(() => storage.remove());
    const disk = await createSmallDisk(storage.flags.dataDir as string, DISK_BYTES);
    if (!disk.isDisk) return;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const settings = { ...storage.flags, bootstrapToken: token, logLevel: "fatal" };

    async function withServer(diskReserve: string, work: (url: string) => Promise<void>): Promise<void> {
      const server = await serveReeve({ ...settings, diskReserve }, {}, disk.wrapper);
      await work(server.url);
      await stopReeve(server);
    }
    const create = (url: string, slug: string) =>
      fetch(`${url}/v1/teams`, { method: "POST", headers, body: JSON.stringify({ slug }) });

    await withServer("8", async (url) => assert.equal((await create(url, "kept")).status, 200));
    await withServer("64", async (url) => {
      const refused = await create(url, "refused");
      const { error } = (await refused.json()) as {
        readonly error: { readonly code: string; readonly message: string };
      };
      assert.deepEqual([refused.status, error.code], [507, "storage_full"]);
      assert.match(error.message, /less than 64 MiB left, so of changes only deletions .*REEVE_DISK_RESERVE/);
      assert.equal((await fetch(`${url}/v2/teams/kept`, { headers })).status, 200);
      const deleted = await fetch(`${url}/v1/teams/kept`, { method: "DELETE", headers, body: "{}" });
      assert.equal(deleted.status, 200);
      assert.equal((await fetch(`${url}/v2/teams/kept`, { headers })).status, 404);
    });
  });
}
