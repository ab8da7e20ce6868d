// Runs `reeve serve` as a process of its own and uses values of every kind. None of them is in the heap of any thread after a
// garbage collection, nor in arguments, log, metrics or a backup. SECURITY.md lists the values that the process needs and
// keeps.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { runReeve, startReeve, stopReeve } from "../cli/reeve-process.ts";
import type { ReeveProcess } from "../cli/reeve-process.ts";
import { startReceiver } from "../webhooks/receiver.ts";
import { formsOf, search } from "./forms.ts";
import type { Needle } from "./forms.ts";
import { takeHeapSnapshots } from "./heap.ts";

const random = () => randomBytes(18).toString("base64url");
/** Part of values that are not secret: the search must find it, or it would not find the secrets either. */
const control = `control-${random()}`;
/** Secrets of the settings, by the way that they are set. */
const smtpPassword = random();
/** The value of a webhook's own header. */
const headerValue = random();
/** Values that were used and are no longer needed, by kind. */
const used = new Map<string, string>();

const storage = await createStorage();
const receiver = await startReceiver();
let reeve: ReeveProcess;
let url: string;
let administrator: string;
let errors = "";
let snapshots: ReadonlyMap<string, string>;

async function call(method: string, path: string, body?: unknown, token = administrator, status = 200): Promise<Body> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "user-agent": control,
      ...(method === "POST" ? { "idempotency-key": random() } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.equal(response.status, status, text);
  return text.startsWith("{") ? JSON.parse(text) : text;
}

function keep<T extends string>(what: string, value: T): T {
  used.set(what, value);
  return value;
}

async function useEverything(): Promise<void> {
  const value = keep("a value that was revealed", random());
  await call("POST", "/v2/secrets", { name: "A", value, description: control, decryptable: true });
  assert.equal((await call("GET", "/v3/secrets/A?decrypt=true")).value, value);
  await call("PUT", "/v2/secrets/A", { value: keep("a value that was put", random()) });
  await call("PUT", "/v2/secrets/A", { value: keep("a value that was refused", random()), extra: 1 }, undefined, 400);
  const set = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`V${at}`, { secretValue: keep(`value ${at} of an environment`, random()) }]),
  );
  await call("PATCH", "/v1/environments/shop", { environments: { production: { set } } });
  const values = await call("GET", "/v1/environments/shop/production/values");
  assert.equal(values.V9, used.get("value 9 of an environment"));
  const token = keep("an access token", (await call("POST", "/v3/user/tokens", { name: "t" })).bearerToken);
  await call("GET", "/v2/user", undefined, token);
  const key = keep("an API key", (await call("POST", "/v1/api-keys", { name: "k", role: "OWNER" })).value);
  await call("GET", "/v2/teams", undefined, key);
  const { id: teamId } = await call("POST", "/v1/teams", { slug: "acme" });
  keep("an invite code", (await call("POST", `/v1/teams/${teamId}/invites`, {})).code);
  const hook = { url: `${receiver.url}/`, events: ["secret-*"], headers: { "X-Own": headerValue } };
  const { id, secret } = await call("POST", "/v1/webhooks", hook);
  keep("a webhook's secret", secret.slice("whsec_".length));
  await call("POST", "/v2/secrets", { name: "B", value: keep("a value that an event told of", random()) });
  await receiver.until(({ length }) => length > 0);
  await call("DELETE", `/v1/webhooks/${id}`, undefined, administrator, 204);
  keep("the first administrator's token", administrator);
  // Node.js keeps the last request of a connection until the next one: later requests replace it.
  for (let count = 0; count < 50; count++) await (await fetch(`${url}/health/live`)).text();
}

before(async () => {
  const settings = {
    ...storage.flags,
    logLevel: "trace",
    smtpUrl: `smtp://user:${smtpPassword}@127.0.0.1:9`,
    mailFrom: "reeve@example.com",
    egressAllow: "127.0.0.0/8",
    egressPorts: "1-65535",
  };
  reeve = startReeve(["serve", "--json", "--port", "0"], settings, { NODE_OPTIONS: "--inspect=127.0.0.1:0" });
  reeve.child.stderr?.on("data", (text: string) => (errors += text));
  const [line] = await reeve.printed(/^\{.*\}$/m);
  ({ url, adminToken: administrator } = JSON.parse(line));
  await useEverything();
  const [, inspector] = /listening on (ws:\S+)/.exec(errors) ?? [];
  assert.ok(inspector, errors);
  snapshots = await takeHeapSnapshots(inspector);
});
after(async () => {
  reeve.child.kill("SIGKILL");
  await reeve.ended;
  await storage.remove();
});

function masterKey(): Buffer {
  const text = readFileSync(join(storage.flags.dataDir as string, "master.key"), "utf8");
  const [encoded = ""] = /[A-Za-z0-9+/]{43}=/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, "base64");
  assert.equal(bytes.length, 32, "the key file's form");
  return bytes;
}

function needles(): Needle[] {
  return [
    ...[...used].flatMap(([what, value]) => formsOf(what, Buffer.from(value))),
    ...formsOf("the master key", masterKey()),
  ];
}

function assertClean(place: string, text: string | Buffer, known: string, more: readonly Needle[] = []): void {
  const bytes = Buffer.from(text as string);
  const hits = search(place, bytes, [...needles(), ...more]);
  // Parts of a found value are found too.
  const found = new Map(hits.map(({ form, context }) => [form, `${form}: ${context}`]));
  assert.deepEqual([...found.values()], []);
  assert.ok(bytes.includes(known), `the search did not find ${known} in ${place}`);
}

describe("no used value is", () => {
  test("in the heap of any thread", () => {
    assert.equal(snapshots.size, ENGINE === "sqlite" ? 2 : 1);
    for (const [thread, snapshot] of snapshots) assertClean(thread, snapshot, "snapshot");
    // Values that the process needs stay, and show that the search finds values.
    assert.ok(snapshots.get("main thread")?.includes(smtpPassword));
  });

  test("in its arguments, nor in its environment beyond the given settings", () => {
    const of = (name: string) => readFileSync(`/proc/${reeve.child.pid}/${name}`);
    assertClean("arguments", of("cmdline"), "serve", formsOf("a password", Buffer.from(smtpPassword)));
    assertClean("environment", of("environ"), "REEVE_SMTP_URL");
  });

  test("in the log at the level debug", () => {
    const own = [smtpPassword, headerValue].flatMap((value) => formsOf("a password or header", Buffer.from(value)));
    assertClean("log", errors, "createSecret", own);
  });

  test("in metrics, and in the feed of events", async () => {
    const own = [smtpPassword, headerValue].flatMap((value) => formsOf("a password or header", Buffer.from(value)));
    // The server may have closed the connection during the search, which this thread learns in its next turn.
    await setImmediate();
    assertClean("metrics", await call("GET", "/metrics"), "createSecret", own);
    assertClean("events", JSON.stringify(await call("GET", "/v3/events?limit=250&withPayload=true")), "secret", own);
  });

  test("in a backup, and in an export", async () => {
    const own = [smtpPassword, headerValue].flatMap((value) => formsOf("a password or header", Buffer.from(value)));
    for (const command of ["backup", "export"]) {
      const file = join(storage.flags.dataDir as string, `${command}.out`);
      const { code, stderr } = await runReeve([command, "--to", file], storage.flags);
      assert.equal(code, 0, stderr);
      assertClean(command, readFileSync(file), control, own);
    }
  });
});

test("the process stops as usual", async () => {
  assert.equal((await stopReeve(reeve)).code, 0);
});
