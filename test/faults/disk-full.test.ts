// The disk of the embedded store becomes full under load, and has space again: changes are refused by name, reads continue, no
// write is partial, and the server needs no restart.
import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import { runReeve, serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { createSmallDisk } from "../harness/small-disk.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import { checkLoad, startLoad, untilDelivered } from "./load/mixed-load.ts";
import { SPACE_MESSAGES, readSpaceLog } from "./space-log.ts";

const MIB = 1_048_576;
const DISK_BYTES = 24 * MIB;
const REFUSALS = 200;
interface Checked {
  readonly checks?: Readonly<Record<string, { readonly code: string }>>;
}

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
    const load = await startLoad({ urls: () => [url], token, receiver: await startReceiver() });
    const { ask } = load.client;
    await load.untilAcknowledged(150);
    const refusals = () => load.notExecuted.get("storage_full") ?? 0;

    disk.takeSpace();
    await waitFor("a refusal", () => refusals() > 0);
    const sizes = () => ["reeve.db", "reeve.db-wal"].map((file) => statSync(join(disk.seen, file)).size);
    const full = sizes();
    await waitFor("refusals", () => refusals() > REFUSALS);
    assert.deepEqual(sizes(), full);
    const refused = await ask("POST", "/v1/teams", { slug: "no-room" });
    assert.deepEqual([refused.status, refused.body.error.code], [507, "storage_full"]);
    assert.match(refused.body.error.message, /nothing was changed/);
    assert.equal((await ask("GET", "/v2/teams/no-room")).status, 404);
    assert.equal((await ask("GET", "/v2/teams")).status, 200);
    const { body: health } = await ask("GET", "/health/ready");
    assert.equal(health.error.code, "not_ready");
    assert.equal(health.error.checks.store.code, "store_full");
    await load.follow();

    disk.freeSpace();
    await load.untilAcknowledged(load.acknowledged + 100);
    // Before the load itself has filled the disk, which takes two seconds on a fast machine.
    await load.stop();
    await waitFor("readiness", async () => (await ask("GET", "/health/ready")).status === 200);
    assert.equal((await ask("GET", "/health/ready")).body.checks.disk.code, "disk_scarce");
    // A change some time after the last refusal logs it.
    await waitFor("the log to tell", async () => {
      assert.equal((await ask("PATCH", "/v2/user", { name: `Changed ${load.acknowledged}` })).status, 200);
      return server.logged().includes(SPACE_MESSAGES[1]);
    });
    await untilDelivered(load);
    const figures = await checkLoad(load);
    assert.deepEqual(figures.deliveries.waiting, {});
    const { code: exitCode, stderr } = await stopReeve(server);
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(readSpaceLog(stderr), { space: SPACE_MESSAGES, failures: 0 });
    console.log(`disk full: ${refusals()} changes refused; ${JSON.stringify(figures)}`);
  });

  test("while REEVE_DISK_RESERVE refuses changes, health checks say so", async () => {
    const storage = await createStorage();
    after(() => storage.remove());
    const dataDir = storage.flags.dataDir as string;
    const disk = await createSmallDisk(dataDir, 160 * MIB);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    // The default leaves 64 MiB.
    const server = await serveReeve({ ...storage.flags, bootstrapToken: token, logLevel: "fatal" }, {}, disk.wrapper);
    const ballast = (mib: number) => writeFileSync(join(disk.seen, "ballast"), Buffer.alloc(mib * MIB));

    async function ask(method: string, path: string, body?: unknown): Promise<readonly [number, unknown, string]> {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers,
        body: body ? JSON.stringify(body) : null,
      });
      const { error } = (await response.json()) as {
        readonly error?: { readonly code: string; readonly message: string };
      };
      return [response.status, error?.code, error?.message ?? ""];
    }
    const create = (slug: string) => ask("POST", "/v1/teams", { slug });
    async function readHealth(): Promise<readonly [number, Readonly<Record<string, string>>]> {
      const response = await fetch(`${server.url}/health/ready`);
      const body = (await response.json()) as { readonly error?: Checked } & Checked;
      const checks = Object.entries(body.error?.checks ?? body.checks ?? {});
      return [response.status, Object.fromEntries(checks.map(([check, { code }]) => [check, code]))];
    }
    const untilHealth = (status: number, checks: Readonly<Record<string, string>>) =>
      waitFor(`${status} ${JSON.stringify(checks)}`, async () =>
        isDeepStrictEqual(await readHealth(), [status, checks]),
      );
    async function readDoctor(): Promise<readonly (string | undefined)[]> {
      const { stdout } = await runReeve(["doctor", "--json"], { dataDir }, {}, disk.wrapper);
      const { findings } = JSON.parse(stdout) as {
        readonly findings: readonly { readonly check: string; readonly status: string; readonly advice?: string }[];
      };
      const { status, advice } = findings.find(({ check }) => check === "disk") ?? {};
      return [status, advice];
    }

    await untilHealth(200, {});
    assert.equal((await create("kept"))[0], 200);
    ballast(60);
    await untilHealth(200, { disk: "disk_scarce" });
    assert.deepEqual(await readDoctor(), ["warning", `make room on the disk of ${dataDir}`]);
    assert.equal((await create("also-kept"))[0], 200);

    ballast(110);
    await untilHealth(503, { store: "store_full" });
    assert.deepEqual(await readDoctor(), ["fault", `make room on the disk of ${dataDir}`]);
    // The server looks at the disk once a second.
    const refused = await waitFor("a refusal", async () => {
      const answer = await create(`refused-${performance.now()}`.replace(".", "-"));
      return answer[0] === 200 ? undefined : answer;
    });
    assert.deepEqual(refused.slice(0, 2), [507, "storage_full"]);
    assert.match(refused[2], /less than 64 MiB left, so of changes only deletions .*REEVE_DISK_RESERVE/);
    assert.equal((await ask("GET", "/v2/teams/kept"))[0], 200);
    assert.equal((await ask("DELETE", "/v1/teams/kept", {}))[0], 200);
    assert.equal((await ask("GET", "/v2/teams/kept"))[0], 404);

    disk.freeSpace();
    await untilHealth(200, {});
    await waitFor("a change", async () => (await create("made"))[0] === 200);
    await stopReeve(server);
  });
}
