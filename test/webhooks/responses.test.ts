// What is stored of responses to a webhook with its own headers, whose values nobody may read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK } from "./receiver.ts";
import { attemptsOf } from "./webhook-world.ts";
import { createWebhookOwner } from "./webhook-owner.ts";
import type { WebhookOwner } from "./webhook-owner.ts";

const api = await startOwnApp(LOOPBACK);
const SHORT = "k3y-7";
const QUOTED = 'quo"ted\\value';
const OWN = { "x-short": SHORT, "x-special": QUOTED };
const NOT_LOGGED = { responseHeaders: {}, responseBody: "(not logged)", isTruncated: false };

/** Makes the receiver echo its headers, as receivers do: as they are, as JSON, and encoded. */
function echo({ receiver }: WebhookOwner): void {
  receiver.respond((response, { headers }) => {
    const own = Object.fromEntries(Object.keys(OWN).map((name) => [name, headers[name] ?? ""]));
    const text = JSON.stringify({ own, encoded: encodeURIComponent(String(headers["x-special"])) });
    response.writeHead(500, { "x-seen": String(headers["x-short"]), "webhook-delivery": "abort-message" }).end(text);
  });
}

function responseOf({ responseHeaders, responseBody, isTruncated }: Record<string, unknown>) {
  return { responseHeaders, responseBody, isTruncated };
}

/** Publishes an event, and returns the response as the log shows it. */
async function readResponse({ path, call, publish, until }: WebhookOwner) {
  const known = (await call("GET", `${path}/deliveries`)).body.deliveries.length;
  await publish();
  const [newest] = await until(([first, ...others]) => first?.state === "failed" && others.length === known);
  const { attempts } = (await call("GET", `${path}/deliveries/${newest?.id}`)).body;
  assert.equal(attempts[0].status, 500);
  return responseOf(attempts[0]);
}

test("responses to a webhook with headers of its own are not kept, however the receiver echoes their values", async () => {
  const owner = await createWebhookOwner(api, { headers: OWN });
  const { webhookId, path, call } = owner;
  echo(owner);
  assert.equal((await call("GET", path)).body.logResponses, false);
  assert.deepEqual(await readResponse(owner), NOT_LOGGED);
  const tested = (await call("POST", `${path}/test`)).body;
  assert.equal(tested.status, 500);
  assert.deepEqual(responseOf(tested), NOT_LOGGED);
  const stored = JSON.stringify(await attemptsOf(api, webhookId));
  for (const value of [SHORT, "quo", encodeURIComponent(QUOTED)]) assert.equal(stored.includes(value), false, value);
});

test("responses are kept for an owner who asks for it, and for every other webhook", async () => {
  const owner = await createWebhookOwner(api);
  const { id, path, call } = owner;
  echo(owner);
  const isKept = async () => (await readResponse(owner)).responseBody !== NOT_LOGGED.responseBody;
  assert.equal(await isKept(), true);
  const steps = [
    [{ headers: OWN }, false],
    [{ logResponses: true }, true],
    [{ logResponses: false }, false],
    [{ headers: null }, false],
    [{ logResponses: true }, true],
  ] as const;
  for (const [change, isExpected] of steps) {
    const changed = await call("PATCH", path, change);
    assert.deepEqual([changed.status, changed.body.logResponses], [200, isExpected], changed.text);
    assert.equal(await isKept(), isExpected, JSON.stringify(change));
  }
  const events = (await api.readEvents(id)).filter(({ type }) => type === "webhook-updated");
  assert.deepEqual(
    events.map(({ next }) => next.logResponses),
    steps.map(([, isExpected]) => isExpected),
  );
});

test("responses from before are not shown once the webhook keeps none", async () => {
  for (const change of [{ logResponses: false }, { headers: OWN }]) {
    const owner = await createWebhookOwner(api);
    const { path, call } = owner;
    echo(owner);
    assert.match(String((await readResponse(owner)).responseBody), /encoded/);
    const [{ id }] = (await call("GET", `${path}/deliveries`)).body.deliveries;
    const readAttempt = async () => (await call("GET", `${path}/deliveries/${id}`)).body.attempts[0];
    const before = await readAttempt();
    assert.equal((await call("PATCH", path, change)).status, 200);
    assert.deepEqual(await readAttempt(), { ...before, ...NOT_LOGGED }, JSON.stringify(change));
  }
});

test("the migration deletes responses that may echo a value, and no others", async () => {
  const [own, other] = [
    await createWebhookOwner(api, { headers: OWN, logResponses: true }),
    await createWebhookOwner(api),
  ];
  for (const owner of [own, other]) {
    echo(owner);
    await readResponse(owner);
  }
  const migration = MIGRATIONS.find(({ name }) => name === "logged responses");
  const dialect = { text: "text", big: "bigint", bytes: "bytea", clustered: "" };
  const forget = migration?.statements(dialect).find((statement) => statement.startsWith("update")) ?? "";
  await api.query(forget);
  const [kept] = await attemptsOf(api, other.webhookId);
  assert.match(String(kept?.["response_body"]), /encoded/);
  const [forgotten] = await attemptsOf(api, own.webhookId);
  assert.deepEqual([forgotten?.["response_headers"], forgotten?.["response_body"]], ["{}", "(not logged)"]);
});
