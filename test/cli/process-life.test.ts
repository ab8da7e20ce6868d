import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { DRAIN_MS } from "../../src/serve/http-server/server.ts";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import { serveReeve, startByNpm, startReeve, stopReeve } from "./reeve-process.ts";
import type { RunningServer } from "./reeve-process.ts";

const storage = await createStorage();
after(() => storage.remove());
const settings = storage.flags;
const adminToken = "an_administrators_token_of_this_test_file";

async function post(server: RunningServer, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as { id: string } };
}

/** Sends a request without its body: the server has read its headers when this resolves. */
async function beginPost(server: RunningServer, bodyLength: number): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `POST /v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${bodyLength}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [interim] = (await once(socket, "data")) as [Buffer];
  assert.match(interim.toString(), /^HTTP\/1\.1 100 /);
  return socket;
}

test("npm start ends with npm, and leaves no server behind", async () => {
  const own = await createStorage();
  const npm = startByNpm({ ...own.flags, port: "0", logLevel: "error" });
  const [, url] = await npm.printed(/^Reeve listens on {2}(\S+)$/m);
  assert.equal((await fetch(`${url}/health/live`)).status, 200);
  npm.child.kill("SIGTERM");
  // Its output closes when the last process that holds it has ended, which is the server.
  await npm.ended;
  await assert.rejects(fetch(`${url}/health/live`));
  await own.remove();
});

test("--no-console leaves the console out, and people still set up and sign in", async () => {
  const own = await createStorage();
  const open = async (args: readonly string[]) => {
    const reeve = startReeve(["serve", "--port", "0", ...args], { ...own.flags, logLevel: "error" });
    const [, url] = await reeve.printed(/^Reeve listens on {2}(\S+)$/m);
    const status = async (path: string) => (await fetch(new URL(path, url))).status;
    return { reeve, status };
  };
  const without = await open(["--no-console"]);
  assert.deepEqual([await without.status("/console/teams/acme"), await without.status("/console/sign-in")], [404, 200]);
  await stopReeve(without.reeve);
  // It leads to the page for signing in, and back.
  const { reeve, status } = await open([]);
  assert.equal(await status("/console/teams/acme"), 200);
  await stopReeve(reeve);
  await own.remove();
});

test("two concurrent first starts create one administrator", async () => {
  const first = { ...settings, bootstrapToken: adminToken };
  const servers = await Promise.all([serveReeve(first), serveReeve(first)]);
  assert.equal(servers.filter((server) => server.isFirstStart).length, 1);
  const response = await fetch(`${servers[0].url}/v1/users`, { headers: { authorization: `Bearer ${adminToken}` } });
  assert.equal(((await response.json()) as { users: unknown[] }).users.length, 1);
  for (const server of servers) {
    const { code, stderr } = await stopReeve(server);
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
  }
});

test("a first token that the operator provides is not written anywhere", async () => {
  const own = await createStorage();
  const given = { ...own.flags, bootstrapToken: adminToken, logLevel: "trace" };
  const reeve = startReeve(["serve", "--port", "0"], given);
  const [, url] = await reeve.printed(/^Reeve listens on {2}(\S+)$/m);
  const headers = { authorization: `Bearer ${adminToken}` };
  assert.equal((await fetch(`${url}/v2/user`, { headers })).status, 200);
  const { stdout, stderr } = await stopReeve(reeve);
  assert.match(stdout, /^For scripts, the administrator's access token is the one of REEVE_BOOTSTRAP_TOKEN\.$/m);
  const [, code = ""] = /^ {2}http:\/\/localhost:\d+\/console\/set-up\?code=(\w+)$/m.exec(stdout) ?? [];
  assert.ok(code.length > 40 && !stderr.includes(code), "the link is printed once, and not logged");
  assert.equal((stdout + stderr).includes(adminToken), false);
  await own.remove();
  const other = await createStorage();
  const server = await serveReeve({ ...other.flags, bootstrapToken: adminToken });
  assert.deepEqual([server.isFirstStart, server.adminToken], [true, null]);
  const ended = await stopReeve(server);
  assert.equal((ended.stdout + ended.stderr).includes(adminToken), false);
  await other.remove();
});

test("later starts print the address and no token", async () => {
  const reeve = startReeve(["serve", "--port", "0"], settings);
  await reeve.printed(/^Reeve listens on {2}http:\/\/localhost:\d+$/m);
  await reeve.printed(/^Documentation {5}http:\/\/localhost:\d+\/docs$/m);
  await reeve.printed(/^Data {14}\S+$/m);
  const { code, stdout } = await stopReeve(reeve, "SIGINT");
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /token/);
});

test("acknowledged changes survive kill -9, idempotency keys too", async () => {
  const body = { slug: "survivor" };
  const key = { "idempotency-key": "create-survivor" };
  const before = await serveReeve(settings);
  const created = await post(before, "/v1/teams", body, key);
  assert.equal(created.status, 200);
  before.child.kill("SIGKILL");
  await before.ended;

  const afterwards = await serveReeve(settings);
  const replayed = await post(afterwards, "/v1/teams", body, key);
  assert.equal(replayed.status, 200);
  assert.equal(replayed.headers.get("idempotency-replayed"), "true");
  assert.equal(replayed.body.id, created.body.id);
  await stopReeve(afterwards);
});

test("a request whose body is still arriving at SIGTERM is answered; new connections are refused", async () => {
  const [server, hanging] = [await serveReeve(settings), await serveReeve(settings)];
  const port = Number(new URL(server.url).port);
  const idle = connect(port, "127.0.0.1");
  await once(idle, "connect");
  const body = JSON.stringify({ slug: "slow-team" });
  const slow = await beginPost(server, body.length);
  await beginPost(hanging, 50);
  for (const { child } of [server, hanging]) child.kill("SIGTERM");
  await once(idle, "close");
  const [refusal] = (await once(connect(port, "127.0.0.1"), "error")) as [NodeJS.ErrnoException];
  // Reset, if it was in the queue of the closing socket.
  assert.match(String(refusal.code), /^(?:ECONNREFUSED|ECONNRESET)$/);
  slow.write(body);
  const [answer] = (await once(slow, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  // It ends before the grace period of hanging clients does, on this machine.
  const first = await Promise.race([server, hanging].map((one) => one.ended.then(() => one)));
  assert.equal(first, server);
  assert.equal((await server.ended).code, 0);
  hanging.child.kill("SIGKILL");
  await hanging.ended;
});

/** Sends a request on a connection that stays open, and returns the whole response. */
async function ask(socket: Socket, path: string): Promise<string> {
  if (socket.destroyed || socket.readableEnded) throw new Error("closed before it was asked");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`);
  let answer = "";
  for (;;) {
    const [bytes] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer | boolean];
    if (typeof bytes === "boolean") throw new Error("closed without an answer");
    answer += bytes.toString();
    const [head = "", body] = answer.split("\r\n\r\n");
    if (body?.length === Number(/^content-length: (\d+)/im.exec(head)?.[1])) return answer;
  }
}

/** Sends requests on kept-alive connections after SIGTERM. Returns what came of each, and when that was known, since the signal. */
async function askWhileStopping() {
  const server = await serveReeve({ ...settings, logLevel: "info" });
  const port = Number(new URL(server.url).port);
  const kept = Array.from({ length: 32 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  for (const socket of kept) assert.doesNotMatch(await ask(socket, "/v2/user"), /^connection: close/im);
  const stoppedAt = performance.now();
  server.child.kill("SIGTERM");
  while (!server.logged().includes("stopping:")) await once(server.child.stderr as Readable, "data");
  const ends = kept.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  // A request that a client sends now may have been in flight already: half are sent at once, the rest when the server might
  // close idle connections.
  const [atOnce, later] = [kept.slice(0, 16), kept.slice(16)];
  const first = await Promise.allSettled(atOnce.map((socket) => ask(socket, "/v2/user")));
  await setTimeout(120);
  const responses = [...first, ...(await Promise.allSettled(later.map((socket) => ask(socket, "/v2/user"))))];
  const knownAfterMs = performance.now() - stoppedAt;
  await Promise.all(ends);
  assert.equal((await server.ended).code, 0);
  const texts = responses.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)));
  return { texts, knownAfterMs };
}

test("a request that arrives at SIGTERM on a kept-alive connection is served, with `Connection: close`", async () => {
  const served = /^HTTP\/1\.1 200 [^]*^connection: close/im;
  for (let left = 20; ; left--) {
    const { texts, knownAfterMs } = await askWhileStopping();
    // A machine that takes longer than the connections stay open has sent some requests too late.
    if (left > 0 && knownAfterMs >= DRAIN_MS && !texts.every((text) => served.test(text))) continue;
    for (const text of texts) assert.match(text, served);
    return;
  }
});

test("a client that hangs does not keep the process for more than ten seconds", async () => {
  const server = await serveReeve(settings);
  await beginPost(server, 50);
  const { code } = await stopReeve(server);
  // A process that has not finished by then ends with 1.
  assert.equal(code, 0);
});

test("a second signal ends the process at once", async () => {
  const server = await serveReeve(settings);
  await beginPost(server, 50);
  const again = setInterval(() => server.child.kill("SIGTERM"), 300);
  const { code } = await stopReeve(server);
  clearInterval(again);
  assert.equal(code, 143);
});

test("a server whose port is in use says so, and leaves the first token to the start that succeeds", async () => {
  const server = await serveReeve(settings);
  const folder = mkdtempSync(join(tmpdir(), "reeve-cli-"));
  const { port } = new URL(server.url);
  const other = await startReeve(["serve", "--json"], { dataDir: folder, port }).ended;
  assert.equal(other.code, 69);
  assert.match(other.stderr, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: something else listens there`));
  const { url, adminToken: lost, newKeyFile } = JSON.parse(other.stdout);
  assert.deepEqual([url, lost, newKeyFile], [null, null, join(folder, "master.key")]);
  const later = await serveReeve({ dataDir: folder });
  const headers = { authorization: `Bearer ${later.adminToken}` };
  assert.equal((await fetch(`${later.url}/v2/user`, { headers })).status, 200);
  await stopReeve(later);
  rmSync(folder, { recursive: true });
  await stopReeve(server);
});

test("a worker serves its health and its metrics at the configured address, and nothing else", async () => {
  const worker = startReeve(["worker"], { ...settings, workerPort: "0" });
  const [, url = ""] = await worker.printed(/^Health at +(\S+)$/m);
  assert.deepEqual(await (await fetch(`${url}/health/live`)).json(), { status: "live" });
  // A store that is slow for a moment is reported too.
  while ((await fetch(`${url}/health/ready`)).status !== 200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^reeve_webhooks_leased 0$/m);
  assert.match(metrics, /^reeve_ready [01]$/m);
  const other = await fetch(`${url}/v2/user`);
  assert.deepEqual(
    [other.status, ((await other.json()) as { error: { code: string } }).error.code],
    [404, "not_found"],
  );
  assert.equal((await stopReeve(worker)).code, 0);
});

test("a worker waits without work and ends when told to", async () => {
  const worker = startReeve(["worker"], settings);
  await worker.printed(/^Reeve works on /m);
  const { code, stderr } = await stopReeve(worker);
  assert.equal(code, 0, stderr);
  if (ENGINE === "sqlite") assert.match(stderr, /a worker helps on PostgreSQL only/);
});

// Only the embedded store has a writer thread.
if (ENGINE === "sqlite") {
  test("a server that loses its writer thread exits with an error", async () => {
    const folder = mkdtempSync(join(tmpdir(), "reeve-cli-"));
    const trigger = join(folder, "crash");
    const preload = join(folder, "crash.cjs");
    writeFileSync(
      preload,
      `const { existsSync } = require("node:fs");
       const { isMainThread } = require("node:worker_threads");
       if (!isMainThread) {
         setInterval(() => { if (existsSync(${JSON.stringify(trigger)})) throw new Error("crashed on purpose"); }, 20);
       }`,
    );
    const server = await serveReeve(settings, { NODE_OPTIONS: `--require=${preload}` });
    writeFileSync(trigger, "");
    const { code, stderr } = await server.ended;
    assert.equal(code, 1);
    assert.match(stderr, /crashed on purpose/);
    const restarted = await serveReeve(settings);
    assert.equal((await post(restarted, "/v1/teams", { slug: "after-crash" })).status, 200);
    await stopReeve(restarted);
    rmSync(folder, { recursive: true });
  });
}
