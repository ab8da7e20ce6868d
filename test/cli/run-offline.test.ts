// `reeve run --offline-max-age`: a start without the server, from values that are stored encrypted.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { storeValues } from "../../src/cli/bodies/run/offline-values.ts";
import { waitFor } from "../harness/wait-for.ts";
import { PLACE, startApplicationWorld } from "./application-world.ts";
import type { Ended } from "./in-process.ts";

const world = await startApplicationWorld();
await world.set("preview", { LOG_LEVEL: { value: "preview" } });
await world.set("production", { PASSWORD: { secretValue: "swordfish" } });

const STORED = join(world.folder, "reeve", "values");
/** What the program prints: its own standard output is that of this process. */
const PRINTED = join(world.folder, "printed");
const program = ["--", "/bin/sh", "-c", 'echo "$PASSWORD" > "$0"', PRINTED];
const offline = (age: string, place = PLACE) => ["run", ...place, "--offline-max-age", age, ...program];

/** A proxy in front of the server: null passes everything on, "gone" closes connections, a number or an object is its own response. */
let fault: null | "gone" | number | { readonly status: number; readonly body: unknown } = null;
const front = createServer((request, response) => {
  if (fault === "gone") return void request.socket.destroy();
  if (typeof fault === "number")
    return void response.writeHead(fault, { "content-type": "text/html", location: "/sign-in" }).end("<p>proxy</p>");
  if (fault !== null) {
    return void response
      .writeHead(fault.status, { "content-type": "application/json" })
      .end(JSON.stringify(fault.body));
  }
  const headers = { authorization: request.headers.authorization ?? "" };
  void fetch(world.server.url + request.url, { headers }).then(async (answer) => {
    response.writeHead(answer.status, { "content-type": "application/json", etag: answer.headers.get("etag") ?? "" });
    response.end(await answer.text());
  });
});
front.listen(0, "127.0.0.1");
await new Promise((resolve) => front.once("listening", resolve));
const SERVER = { REEVE_SERVER: `http://127.0.0.1:${(front.address() as AddressInfo).port}` };
after(async () => {
  front.closeAllConnections();
  front.close();
  await world.stop();
});

/** Runs a command; its standard output is followed by what its program prints. */
async function run(args: readonly string[], more = {}): Promise<Ended> {
  rmSync(PRINTED, { force: true });
  const { code, stdout, stderr } = await world.run(args, { ...SERVER, ...more });
  return { code, stdout: stdout + (existsSync(PRINTED) ? readFileSync(PRINTED, "utf8") : ""), stderr };
}
/** Where a start stores the values of an environment. */
const keyOf = (environment: string) => ({
  folder: STORED,
  server: SERVER.REEVE_SERVER,
  token: world.remote["REEVE_TOKEN"] ?? "",
  place: { team: "acme", project: "shop", environment, names: null },
});
const files = () => readdirSync(STORED).map((name) => join(STORED, name));

test("a file in the place of the folder of stored values is said in words, and the program starts", async () => {
  fault = null;
  writeFileSync(join(world.folder, "file"), "");
  const cache = (path: string) => ({ XDG_CACHE_HOME: join(world.folder, path) });
  mkdirSync(join(world.folder, "taken", "reeve"), { recursive: true });
  writeFileSync(join(world.folder, "taken", "reeve", "values"), "");
  for (const path of ["file", "taken"]) {
    const { code, stdout, stderr } = await run(offline("1h"), cache(path));
    assert.deepEqual([code, stdout], [0, "swordfish\n"]);
    assert.match(stderr, /could not be stored: \S+values(?:: a part of its path is no folder| is no folder)\n$/);
  }
});

test("without the flag nothing is stored", async () => {
  fault = null;
  assert.equal((await run(["run", ...PLACE, ...program])).stdout, "swordfish\n");
  assert.throws(files, { code: "ENOENT" });
});

test("values are stored encrypted, for their owner alone, and start the program while the server is away", async () => {
  fault = null;
  const first = await run(offline("1h"));
  assert.deepEqual([first.code, first.stdout, first.stderr], [0, "swordfish\n", ""]);
  const [file = ""] = files();
  assert.deepEqual([statSync(file).mode & 0o777, statSync(STORED).mode & 0o777], [0o600, 0o700]);
  assert.ok(!readFileSync(file).includes("swordfish") && !readFileSync(file).includes("PASSWORD"));
  for (const away of ["gone", 502] as const) {
    fault = away;
    const { code, stdout, stderr } = await run(offline("1h"));
    assert.deepEqual([code, stdout], [0, "swordfish\n"]);
    assert.match(stderr, /the program starts with values that are less than a minute old\n$/);
  }
});

test("what is no response of Reeve, or says that it can't serve at the moment, is as if the server was away", async () => {
  const key = keyOf("production");
  const said = (status: number, code: string) => ({ status, body: { error: { code, message: "Said in front" } } });
  const away = [
    200,
    302,
    400,
    401,
    403,
    404,
    500,
    { status: 404, body: { code: "not_found", message: "No such route" } },
    { status: 401, body: { error: "not_authorized" } },
    said(403, "not_authorized"),
    said(404, "toString"),
    said(500, "internal_server_error"),
    said(503, "store_unavailable"),
    { status: 502, body: { error: "no upstream" } },
    said(429, "too_many_requests"),
  ];
  for (const one of away) {
    // Stored for each: so many starts may take longer than the minute that they tell of.
    await storeValues(key, { values: { PASSWORD: "swordfish" }, etag: "" }, Date.now());
    fault = one;
    const { code, stdout, stderr } = await run(offline("1h"));
    assert.deepEqual([code, stdout], [0, "swordfish\n"], `${JSON.stringify(one)}: ${stderr}`);
    assert.match(stderr, /the program starts with values that are less than a minute old\n$/);
  }
});

test("stored values that are too old, of another environment, for another credential or damaged are not used", async () => {
  fault = null;
  assert.equal((await run(offline("1h"))).code, 0);
  fault = "gone";
  const refuse = async (args: readonly string[], message: RegExp, more = {}) => {
    const { code, stdout, stderr } = await run(args, more);
    assert.deepEqual([code, stdout], [69, ""]);
    assert.match(stderr, message);
  };
  const none = /no start has stored the values here/;
  const unreadable =
    /the values that are stored here in .* can't be read: another credential stored them, or the file is damaged\n$/;
  const [file = ""] = files();
  const readAt = statSync(file).mtimeMs;
  await waitFor("values that are older than a second", () => Date.now() - readAt > 1_000 || undefined);
  await refuse(offline("1s"), /which --offline-max-age does not allow: a longer one would/);
  await refuse(["run", ...PLACE, ...program], /cannot reach/);
  const preview = ["--team", "acme", "--project", "shop", "--env", "preview"];
  await refuse(offline("1h", preview), none);
  await refuse(offline("1h"), unreadable, { REEVE_TOKEN: "x".repeat(40) });
  // The file of another environment, in the place of this one.
  fault = null;
  assert.equal((await run(offline("1h", preview))).code, 0);
  const other = files().find((one) => one !== file) ?? "";
  const bytes = readFileSync(file);
  renameSync(other, file);
  fault = "gone";
  await refuse(offline("1h"), unreadable);
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await refuse(offline("1h"), unreadable);
  writeFileSync(file, "short");
  await refuse(offline("1h"), unreadable);
});

test("what is no regular file in the place of stored values is said, and neither waited for nor removed by a start", async () => {
  fault = null;
  assert.equal((await run(offline("1h"))).code, 0);
  const makePipe = (file: string) => execFileSync("mkfifo", [file]);
  for (const make of [makePipe, mkdirSync]) {
    for (const file of files()) {
      rmSync(file, { recursive: true });
      make(file);
    }
    fault = "gone";
    const away = await run(offline("1h"));
    assert.deepEqual([away.code, away.stdout], [69, ""]);
    assert.match(away.stderr, /the values that are stored here in .* can't be read: it is no regular file\n$/);
    fault = null;
    const there = await run(offline("1h"));
    assert.deepEqual([there.code, there.stdout], [0, "swordfish\n"]);
    assert.match(there.stderr, /its values could not be stored: cannot write .*: it is no regular file\n$/);
  }
  const refused = await run(offline("1h"), { REEVE_TOKEN: "x".repeat(40) });
  assert.deepEqual([refused.code, refused.stdout], [5, ""]);
  assert.match(
    refused.stderr,
    /^reeve: the stored values could not be removed: .*\nreeve: .* does not accept the token/,
  );
  for (const file of files()) rmSync(file, { recursive: true });
});

test("stored values from the future are not used, and no longer age is advised", async () => {
  const token = world.remote["REEVE_TOKEN"] ?? "";
  const place = { team: "acme", project: "shop", environment: "late", names: null };
  const key = { folder: STORED, server: SERVER.REEVE_SERVER, token, place };
  await storeValues(key, { values: { PASSWORD: "swordfish" }, etag: "" }, Date.now() + 3_600_000);
  fault = "gone";
  const { code, stdout, stderr } = await run(offline("1h", [...PLACE.slice(0, -1), "late"]));
  assert.deepEqual([code, stdout], [69, ""]);
  const advice =
    "the stored values are from the future, by the clock of this machine: set the clock, or start once with";
  assert.ok(stderr.endsWith(`; and ${advice} the server\n`), stderr);
});

test("stored values that no variable can hold are refused by name, and start nothing", async () => {
  const key = keyOf("odd");
  const expectRefusal = async (values: Readonly<Record<string, string>>, message: string) => {
    await storeValues(key, { values, etag: "" }, Date.now());
    fault = "gone";
    const { code, stdout, stderr } = await run(offline("1h", [...PLACE.slice(0, -1), "odd"]));
    assert.deepEqual([code, stdout], [3, ""]);
    assert.ok(stderr.endsWith(message) && !stderr.includes("hidden"), stderr);
  };
  await expectRefusal({ ZERO: "hidden\0text" }, 'reeve: "ZERO": expected a value without a zero byte\n');
  const name = "expected a name without = and zero bytes, and not an empty one\n";
  for (const odd of ["A=B", "", "C\0D"])
    await expectRefusal({ [odd]: "hidden" }, `reeve: ${JSON.stringify(odd)}: ${name}`);
});

test("what the server refuses is refused, and is not started without it from then on", async () => {
  for (const end of ["credential", "environment", "secret"] as const) {
    fault = null;
    const key = await world.createKey({ permissions: ["environment:read", "secret:reveal"] });
    const more = { REEVE_TOKEN: key.value };
    const body = { name: "brief" };
    assert.equal((await world.call("POST", "/v1/environments/shop?slug=acme", body)).status, 200);
    const place = ["--team", "acme", "--project", "shop", "--env", "brief"];
    await world.call("PATCH", "/v1/environments/shop?slug=acme", {
      environments: { brief: { set: { OTHER: { secretValue: "value" } } } },
    });
    assert.equal((await run(offline("1h", place), more)).code, 0);
    const brief = await (await world.call("GET", "/v1/environments/shop/brief?slug=acme")).json();
    const { uid } = (brief as { readonly entries: readonly { readonly secret: { readonly uid: string } }[] })
      .entries[0]!.secret;
    await world.call("DELETE", `/v2/secrets/${uid}?slug=acme`);
    if (end === "credential") await world.call("DELETE", `/v1/api-keys/${key.id}?slug=acme`);
    if (end === "environment") await world.call("DELETE", "/v1/environments/shop/brief?slug=acme");
    const refused = await run(offline("1h", place), more);
    const expected = { credential: 5, environment: 6, secret: 7 }[end];
    assert.deepEqual([refused.code, refused.stdout], [expected, ""], refused.stderr);
    fault = "gone";
    const later = await run(offline("1h", place), more);
    assert.deepEqual([later.code, later.stdout], [69, ""]);
    assert.match(later.stderr, /no start has stored the values here/);
    await world.call("DELETE", "/v1/environments/shop/brief?slug=acme");
  }
});
