// Receivers of every kind: what is stored of the attempt, and the consequence for the webhook.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { makeCertificate } from "../egress/certificate.ts";
import { startNameServer } from "../egress/name-server.ts";
import { httpResponse, startReceiver as startRawReceiver } from "../egress/receiver.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { waitFor } from "../harness/wait-for.ts";
import { mailsTo } from "../mail/mail-world.ts";
import { freePort } from "../harness/free-port.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { areDelivered, attemptsOf, lookNow, openOwner, untilStored } from "./webhook-world.ts";

const mail = await startMailServer();
const names = await startNameServer(() => []);
const settings = { ...LOOPBACK, smtpUrl: mail.url, mailFrom: "reeve@mail.example", dnsServers: names.address };
const api = await startOwnApp(settings);
const { clock } = api;
/** For receivers that never end: others may take their time on a busy machine. */
const hasty = await startOwnApp(settings, undefined, { delivery: { totalTimeoutMs: 1_500 } });
const ENDLESS: readonly string[] = ["hangs", "takes, and never ends"];

const KEPT_BYTES = 16_384;
const bytes = (text: string) => Buffer.from(text, "latin1");

type Kind = (socket: Socket) => void;

/** What a receiver does, and what is stored of the attempt. */
const KINDS: Readonly<Record<string, readonly [answer: Kind, expected: object]>> = {
  takes: [(socket) => socket.write(httpResponse(200, "taken")), { state: "delivered", status: 200, body: "taken" }],
  "takes without a body": [(socket) => socket.write(httpResponse(204)), { state: "delivered", status: 204, body: "" }],
  "has an uncommon success": [(socket) => socket.write(httpResponse(299)), { state: "delivered", status: 299 }],
  redirects: [
    (socket) => socket.write(httpResponse(308, "", { Location: `${elsewhere.url}/` })),
    { state: "pending", status: 308, waitMs: 5 * SECOND_MS },
  ],
  "refuses the body": [
    (socket) => socket.write(httpResponse(422)),
    { state: "pending", status: 422, waitMs: 5 * SECOND_MS },
  ],
  fails: [(socket) => socket.write(httpResponse(500)), { state: "pending", status: 500, waitMs: 5 * SECOND_MS }],
  "is busy for some seconds": [
    (socket) => socket.write(httpResponse(429, "", { "Retry-After": "120" })),
    { state: "pending", status: 429, waitMs: 120 * SECOND_MS },
  ],
  "is busy until a time": [
    (socket) => socket.write(httpResponse(503, "", { "Retry-After": new Date(clock.now + 2 * HOUR_MS).toUTCString() })),
    { state: "pending", status: 503, waitMs: 2 * HOUR_MS },
  ],
  "wants it no more": [
    (socket) => socket.write(httpResponse(500, "", { "Webhook-Delivery": "abort-message" })),
    { state: "failed", status: 500 },
  ],
  "is gone": [(socket) => socket.write(httpResponse(410)), { state: "failed", status: 410 }],
  hangs: [() => undefined, { state: "pending", errorStage: "timeout", waitMs: 5 * SECOND_MS }],
  resets: [(socket) => socket.resetAndDestroy(), { state: "pending", errorStage: "response", waitMs: 5 * SECOND_MS }],
  "ends too early": [
    (socket) => socket.end("HTTP/1.1 200"),
    { state: "pending", errorStage: "response", waitMs: 5 * SECOND_MS },
  ],
  "speaks another language": [
    (socket) => socket.end("220 mail.example ESMTP\r\n"),
    { state: "pending", errorStage: "response", waitMs: 5 * SECOND_MS },
  ],
  "takes, and never ends": [
    (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun"),
    { state: "delivered", status: 200, body: "begun", isTruncated: true },
  ],
  "fails at length": [
    (socket) => socket.write(httpResponse(500, "x".repeat(10 * KEPT_BYTES))),
    { state: "pending", status: 500, body: "x".repeat(KEPT_BYTES), isTruncated: true, waitMs: 5 * SECOND_MS },
  ],
  "answers with what is no text": [
    (socket) => {
      const head = [
        bytes("HTTP/1.1 200 O\xff\r\nX-Odd: "),
        Buffer.alloc(1_023, 0x61),
        Buffer.from("😀€"),
        bytes("\xed\xa0\x80"),
      ];
      socket.end(Buffer.concat([...head, bytes("\r\n\r\na\0b\xff\xed\xa0\x80"), Buffer.from("'\\u0000\"")]));
    },
    { state: "delivered", status: 200, body: "a\ufffdb\ufffd\ufffd\ufffd\ufffd'\\u0000\"" },
  ],
};

const elsewhere = await startReceiver();

test("the log has the outcome and the next attempt for each kind of receiver", async () => {
  const [owner, hastyOwner] = [await openOwner(api), await openOwner(hasty)];
  const hooks = new Map<string, { readonly id: string; readonly expected: object }>();
  for (const [kind, [answer, expected]] of Object.entries(KINDS)) {
    const { url } = await startRawReceiver(answer);
    hooks.set(kind, { id: (await (ENDLESS.includes(kind) ? hastyOwner : owner).hook(url)).id, expected });
  }
  const untrusted = await startRawReceiver((socket) => socket.write(httpResponse(200)), {
    tls: makeCertificate("a.example"),
  });
  const plain = await startRawReceiver(() => undefined, { onConnection: (socket) => socket.end(httpResponse(200)) });
  const failing = { state: "pending", waitMs: 5 * SECOND_MS };
  for (const [kind, url, errorStage] of [
    ["has a certificate of its own", untrusted.url, "tls"],
    ["has no TLS", plain.url.replace("http:", "https:"), "tls"],
    ["does not listen", `http://127.0.0.1:${await freePort()}/`, "connect"],
    ["has a name that nobody knows", "http://nowhere.example/", "dns"],
  ] as const) {
    hooks.set(kind, { id: (await owner.hook(url)).id, expected: { ...failing, errorStage } });
  }
  for (const one of [owner, hastyOwner]) await one.publish();
  for (const [kind, { id, expected }] of hooks) {
    const at = ENDLESS.includes(kind) ? hasty : api;
    const [delivery] = await untilStored(at, id, ([one]) => one?.attempts === 1);
    const attempts = await attemptsOf(at, id);
    assert.ok(delivery);
    assert.equal(attempts.length, 1, kind);
    const [attempt = {}] = attempts;
    const { state, status, errorStage, dueAt } = delivery;
    const waitMs = dueAt === null ? null : dueAt - at.clock.now;
    const stored = {
      state,
      status,
      errorStage,
      waitMs,
      body: attempt["response_body"],
      isTruncated: attempt["is_truncated"] === 1,
    };
    const wanted = { status: null, errorStage: null, waitMs: null, body: "", isTruncated: false, ...expected };
    // The jitter of the next attempt is added.
    if (waitMs !== null && wanted.waitMs !== null) {
      assert.ok(waitMs >= wanted.waitMs && waitMs <= (wanted.waitMs as number) * 1.1, `${kind}: ${waitMs} ms`);
      stored.waitMs = wanted.waitMs;
    }
    assert.deepEqual(stored, wanted, kind);
    assert.deepEqual([attempt["status"], attempt["error_stage"]], [status, errorStage], kind);
    assert.equal(attempt["error"] === null, errorStage === null, kind);
  }
  assert.deepEqual([untrusted.requests, plain.requests, elsewhere.received], [[], [], []]);
});

test("a webhook whose receiver is gone is disabled at once: the feed and a mail say so, and later events are kept", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond(410);
  const { id } = await owner.hook(receiver.url);
  await owner.publish();
  const read = async () => (await owner.call("GET", `/v1/webhooks/${id}`)).body;
  await waitFor("the webhook to be switched off", async () => !(await read()).active || undefined);
  assert.equal((await read()).inactiveReason, "gone");
  const events = (await owner.call("GET", "/v3/events?types=webhook-disabled&withPayload=true")).body.events;
  assert.deepEqual(
    events.map(({ payload }: { payload: { webhookId: string } }) => payload.webhookId),
    [id],
  );
  await waitFor("a mail", () => mailsTo(owner.email, mail).length === 1 || undefined);
  await owner.publish();
  const states = (await untilStored(api, id, ({ length }) => length === 2)).map(({ state }) => state);
  assert.deepEqual(states, ["failed", "skipped"]);
  assert.equal(receiver.received.length, 1);
});

test("an overloaded receiver gets nothing until the time that it asked for, and then one delivery first", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond((response) => response.writeHead(429, { "retry-after": "600" }).end());
  const { id } = await owner.hook(receiver.url, { concurrency: 1 });
  await owner.publish();
  await untilStored(api, id, ([one]) => one?.attempts === 1);
  for (let count = 0; count < 3; count++) await owner.publish();
  clock.advance(10 * MINUTE_MS - 1);
  const [queue] = await api.query(`select ready_at from webhook_queues where webhook_id = '${id}'`);
  assert.equal(Number(queue?.["ready_at"]), clock.now + 1);
  receiver.respond(200);
  clock.advance(MINUTE_MS);
  await lookNow(api);
  await untilStored(api, id, areDelivered(4));
  assert.equal(receiver.received.length, 5);
});
