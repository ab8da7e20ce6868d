// A disk that becomes full under load, and has room again: changes are refused by name, reads go on, nothing is written in
// part, and nobody has to start anything again.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { ENGINE, createStorage, startTestApp } from "../harness.ts";
import type { Body } from "../harness.ts";
import { serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { MOUNT_NAMESPACE } from "../mount-namespace.ts";
import { waitFor } from "../wait-for.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import { checkLedger, startLoad, untilDelivered } from "./ledger.ts";

const DISK = "24m";
const REFUSALS = 200;
const token = "an_administrators_token_of_this_test_file";

interface SmallDisk {
  /** Runs a program that sees the small disk. */
  readonly wrapper: readonly string[];
  /** Takes all room that is left, as the program with this id sees it. */
  fill(pid: number): void;
  makeRoom(pid: number): void;
  /** A file in the folder, for looking at it from outside. */
  see(pid: number, file: string): string;
  /** What changes are refused with. */
  readonly refusal: readonly [status: number, code: string];
}

/** A file system of its own in memory, which lives as long as the program does; it takes no right but that to namespaces. */
function mountSmallDisk(folder: string): SmallDisk | undefined {
  const script = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"';
  const wrapper = [...MOUNT_NAMESPACE, "sh", "-c", script, "sh", DISK, folder];
  if (spawnSync(wrapper[0] as string, [...wrapper.slice(1), "true"]).status !== 0) return undefined;
  const see = (pid: number, file: string) => join(`/proc/${pid}/root`, folder, file);
  return {
    wrapper,
    see,
    fill(pid) {
      const ballast = openSync(see(pid, "ballast"), "a");
      try {
        for (;;) writeSync(ballast, Buffer.alloc(4_096));
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
      } finally {
        closeSync(ballast);
      }
    },
    makeRoom: (pid) => rmSync(see(pid, "ballast")),
    refusal: [507, "storage_full"],
  };
}

/** Where there are no namespaces: no file may grow any more. SQLite does not tell that from a disk that fails. */
function limitFiles(folder: string): SmallDisk {
  const limit = (pid: number, size: string) =>
    assert.equal(spawnSync("prlimit", [`--pid=${pid}`, `--fsize=${size}:unlimited`]).status, 0);
  return {
    wrapper: [],
    see: (_pid, file) => join(folder, file),
    fill: (pid) => limit(pid, "4096"),
    makeRoom: (pid) => limit(pid, "unlimited"),
    refusal: [503, "store_unavailable"],
  };
}

async function ask(url: string, path: string, method = "GET", body?: unknown): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** What the log says of the space, and how often it says that a request failed. */
function toldOf(log: string): { readonly space: readonly string[]; readonly failures: number } {
  const messages = log.split("\n").flatMap((line) => (line.startsWith("{") ? [String(JSON.parse(line).msg)] : []));
  return {
    space: messages.filter((message) => message.includes("space")),
    failures: messages.filter((message) => message === "request failed").length,
  };
}

const TOLD = ["the store has no space left: changes are refused until there is some", "the store has space again"];

if (ENGINE === "sqlite") {
  test("a full disk refuses changes by name and nothing else, and is over when there is room", async () => {
    const storage = await createStorage();
    after(() => storage.remove());
    const folder = storage.flags.dataDir as string;
    const disk = mountSmallDisk(folder) ?? limitFiles(folder);
    const settings = { ...storage.flags, ...LOOPBACK, bootstrapToken: token, rateLimit: "0", logLevel: "info" };
    const server = await serveReeve(settings, {}, disk.wrapper);
    const { url } = server;
    const pid = server.child.pid as number;
    const ledger = await startLoad({ urls: () => [url], token, receiver: await startReceiver() });
    await ledger.untilAcknowledged(150);
    const [status, code] = disk.refusal;
    const refusals = () => ledger.turnedAway.get(code) ?? 0;

    disk.fill(pid);
    await waitFor("a refusal", () => refusals() > 0);
    const sizes = () => ["reeve.db", "reeve.db-wal"].map((file) => statSync(disk.see(pid, file)).size);
    const full = sizes();
    await waitFor("refusals", () => refusals() > REFUSALS);
    assert.deepEqual(sizes(), full);
    const refused = await ask(url, "/v1/teams", "POST", { slug: "no-room" });
    assert.equal(refused.status, status);
    assert.equal(refused.body.error.code, code);
    assert.match(refused.body.error.message, /nothing was changed/);
    assert.equal((await ask(url, "/v2/teams/no-room")).status, 404);
    assert.equal((await ask(url, "/v2/teams")).status, 200);
    const { body: health } = await ask(url, "/health/ready");
    assert.equal(health.error.code, "not_ready");
    if (status === 507) assert.equal(health.error.checks.store.code, "store_full");
    await ledger.follow();

    disk.makeRoom(pid);
    await ledger.untilAcknowledged(ledger.acknowledged + 100);
    // Before the load itself has filled the disk, which takes two seconds on a fast machine.
    await ledger.stop();
    await waitFor("readiness", async () => (await ask(url, "/health/ready")).status === 200);
    // Told by a change that comes a while after the last refusal.
    await waitFor("the log to tell", async () => {
      assert.equal((await ask(url, "/v2/user", "PATCH", { name: `Changed ${ledger.acknowledged}` })).status, 200);
      return status !== 507 || server.logged().includes(TOLD[1] as string);
    });
    await untilDelivered(ledger);
    const figures = await checkLedger(ledger);
    assert.deepEqual(figures.deliveries.waiting, {});
    const { code: exitCode, stderr } = await stopReeve(server);
    assert.equal(exitCode, 0, stderr);
    if (status === 507) assert.deepEqual(toldOf(stderr), { space: TOLD, failures: 0 });
    console.log(`disk full: ${refusals()} changes refused with ${code}; ${JSON.stringify(figures)}`);
  });
}

if (ENGINE === "postgres") {
  test("a PostgreSQL server without space refuses the changes that need some, by the same name", async () => {
    const lines: string[] = [];
    const api = await startTestApp({ logLevel: "info" }, (line) => lines.push(line));
    const user = await api.createUser();
    const create = (slug: string) => api.request("POST", "/v1/teams", { token: user.token, body: { slug } });
    // As the server itself raises it.
    await api.withStore((store) =>
      store.transaction((tx) =>
        tx.exec(`create function refuse() returns trigger language plpgsql as $$ begin
            raise exception using errcode = '53100', message = 'could not extend file'; end $$;
          create trigger refuse before insert on teams for each row execute function refuse()`),
      ),
    );
    for (const slug of ["no-room", "no-room-either"]) {
      const refused = await create(slug);
      assert.deepEqual([refused.status, refused.body.error.code], [507, "storage_full"]);
      assert.equal((await api.request("GET", `/v2/teams/${slug}`, { token: user.token })).status, 404);
    }
    const health = await api.request("GET", "/health/ready", { token: null });
    assert.equal(health.body.error.checks.store.code, "store_full");
    await api.withStore((store) => store.transaction((tx) => tx.exec("drop function refuse cascade")));
    assert.equal((await create("no-room")).status, 200);
    await waitFor("the log to tell", async () => {
      assert.equal((await create(`room-${lines.length}-${performance.now() | 0}`)).status, 200);
      return toldOf(lines.join("\n")).space.length === 2;
    });
    assert.deepEqual(toldOf(lines.join("\n")), { space: TOLD, failures: 0 });
  });
}
