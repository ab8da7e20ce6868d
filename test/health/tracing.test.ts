// Traces as a collector receives them: the collector here speaks real HTTP and decodes what it receives.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { json } from "node:stream/consumers";
import { freePort } from "../harness/free-port.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";

/** As OTLP has it in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Body }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

const batches: Body[] = [];
const headers: IncomingHttpHeaders[] = [];
const collector = createServer((request, response) => {
  headers.push({ ...request.headers, ":path": request.url });
  void json(request).then((batch) => {
    batches.push(batch);
    response.setHeader("content-type", "application/json").end("{}");
  });
});
collector.listen(0, "127.0.0.1");
await new Promise((resolve) => collector.once("listening", resolve));
after(() => collector.close());
// The exporter reads this variable itself.
process.env["OTEL_EXPORTER_OTLP_HEADERS"] = "x-collector-key=opened";

const environment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  OTEL_SERVICE_NAME: "reeve-tested",
};
const lines: string[] = [];
const traced = await startOwnApp({ ...LOOPBACK, logLevel: "debug" }, (line) => lines.push(line), {}, environment);

function sentSpans(): SentSpan[] {
  return batches.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }: Body) => scopeSpans.flatMap(({ spans }: Body) => spans)),
  );
}

function attributesOf({ attributes }: SentSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";

test("each request has one trace with its waits and the deliveries that it causes", async () => {
  const receiver = await startReceiver();
  const user = await traced.createUser();
  const base = await traced.app.server.listen({ port: 0, host: "127.0.0.1" });
  const authorization = `Bearer ${user.token}`;
  const post = async (path: string, body: object, more: Record<string, string> = {}) => {
    const init = { authorization, "content-type": "application/json", ...more };
    return await fetch(`${base}${path}`, { method: "POST", headers: init, body: JSON.stringify(body) });
  };
  assert.equal((await post("/v1/webhooks", { url: `${receiver.url}/hook-path`, events: ["team*"] })).status, 200);
  const created = await post(
    "/v2/secrets?planted=query-text",
    { name: "TRACED", value: "planted-value" },
    { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, "x-request-id": "traced-create" },
  );
  // An unknown query parameter is refused; the trace shows the refusal, and not the parameter.
  assert.equal(created.status, 400);
  const hook = { url: `${receiver.url}/hook-path`, events: ["deployment.*"] };
  assert.equal((await post("/v1/webhooks", hook)).status, 200);
  const published = await post(
    "/v1/events",
    { type: "deployment.created", payload: { id: "planted-value" } },
    { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, "x-request-id": "traced-publish" },
  );
  assert.equal(published.status, 200);
  const [delivery] = await receiver.until((received) => received.length > 0);
  assert.equal((await fetch(`${base}/v2/user`, { headers: { authorization } })).status, 200);
  assert.equal((await fetch(`${base}/no/such/path`)).status, 404);
  await traced.app.close();

  const spans = sentSpans();
  const find = (name: string) => spans.filter((span) => span.name === name);
  const [publish] = find("POST /v1/events");
  assert.ok(publish);
  assert.equal(publish.kind, SERVER);
  assert.equal(publish.traceId, TRACE_ID);
  assert.equal(publish.parentSpanId, PARENT_ID);
  const { "reeve.request_id": ownId, ...attributes } = attributesOf(publish);
  assert.match(String(ownId), /^req_/);
  assert.deepEqual(attributes, {
    "http.request.method": "POST",
    "http.route": "/v1/events",
    "http.response.status_code": 200,
    "reeve.client_request_id": "traced-publish",
  });
  const parts = spans.filter(({ parentSpanId }) => parentSpanId === publish.spanId);
  assert.deepEqual(
    parts.map(({ name }) => name),
    ["store wait", "store run", "store commit"],
  );
  const startOf = ({ startTimeUnixNano }: SentSpan) => BigInt(startTimeUnixNano);
  const endOf = ({ endTimeUnixNano }: SentSpan) => BigInt(endTimeUnixNano);
  // Two kinds of clocks are compared: times a microsecond apart are equal.
  const slack = 1_000_000n;
  for (const part of parts) {
    assert.equal(part.traceId, TRACE_ID);
    assert.ok(startOf(part) >= startOf(publish) - slack && endOf(part) <= endOf(publish) + slack, part.name);
    assert.ok(endOf(part) >= startOf(part), part.name);
  }

  const [attempt] = find("POST");
  assert.ok(attempt);
  assert.equal(attempt.kind, CLIENT);
  assert.deepEqual(
    attempt.links?.map(({ traceId, spanId }) => [traceId, spanId]),
    [[TRACE_ID, publish.spanId]],
  );
  assert.equal(attributesOf(attempt)["server.address"], "127.0.0.1");
  assert.equal(attributesOf(attempt)["http.response.status_code"], 200);
  assert.equal(delivery?.headers["traceparent"], `00-${attempt.traceId}-${attempt.spanId}-01`);

  const [read] = find("GET /v2/user");
  assert.ok(read);
  assert.notEqual(read.traceId, TRACE_ID);
  assert.deepEqual(
    spans.filter(({ parentSpanId }) => parentSpanId === read.spanId).map(({ name }) => name),
    ["store read"],
  );
  assert.equal(find("GET")[0] && attributesOf(find("GET")[0] as SentSpan)["http.response.status_code"], 404);
  const [refused] = find("POST /v2/secrets");
  assert.equal(refused?.status.code ?? 0, 0, "a refusal is no failure of the server");

  const text = JSON.stringify(batches);
  for (const planted of [user.token, "planted-value", "query-text", "hook-path", "no/such/path"]) {
    assert.ok(!text.includes(planted), planted);
  }
  assert.ok(headers.every((sent) => sent["x-collector-key"] === "opened" && sent[":path"] === "/v1/traces"));
  const resource = batches[0].resourceSpans[0].resource.attributes;
  assert.ok(resource.some(({ key, value }: Body) => key === "service.name" && value.stringValue === "reeve-tested"));
  assert.ok(
    lines
      .map((line) => JSON.parse(line))
      .some((line) => line.clientRequestId === "traced-publish" && line.traceId === TRACE_ID),
  );
});

test("the client's sampling decision is followed, and an invalid header counts as absent", async () => {
  batches.length = 0;
  const app = await traced.startAnother();
  const ask = async (id: string, traceparent: string) => {
    const asked = { authorization: `Bearer ${traced.admin.token}`, "x-request-id": id, traceparent };
    assert.equal((await app.server.inject({ url: "/v2/user", headers: asked })).statusCode, 200);
  };
  await ask("unsampled", `00-${TRACE_ID}-${PARENT_ID}-00`);
  await ask("zeros", `00-${"0".repeat(32)}-${PARENT_ID}-01`);
  await ask("nonsense", "00-nonsense");
  await app.close();
  const served = sentSpans().filter(({ kind }) => kind === SERVER);
  assert.deepEqual(served.map((span) => attributesOf(span)["reeve.client_request_id"]).toSorted(), [
    "nonsense",
    "zeros",
  ]);
  assert.ok(served.every(({ parentSpanId }) => !parentSpanId));
});

test("a request that fails is shown as failed", async () => {
  batches.length = 0;
  const app = await traced.startAnother();
  await traced.query("alter table access_tokens rename to moved_away");
  const base = await app.server.listen({ port: 0, host: "127.0.0.1" });
  const answered = await fetch(`${base}/v2/user`, {
    headers: { authorization: `Bearer ${traced.admin.token}`, "x-request-id": "failing" },
  });
  await traced.query("alter table moved_away rename to access_tokens");
  assert.ok(answered.status >= 500);
  await app.close();
  const [span] = sentSpans().filter((one) => attributesOf(one)["reeve.client_request_id"] === "failing");
  assert.ok(span);
  assert.equal(span.status.code, ERROR);
  assert.equal(attributesOf(span)["error.type"], String(answered.status));
});

test("an unreachable collector affects no request and no shutdown, and is logged once", async () => {
  // The exporter reads these variables itself: it sends at once, and gives up soon.
  process.env["OTEL_BSP_SCHEDULE_DELAY"] = "50";
  process.env["OTEL_EXPORTER_OTLP_TIMEOUT"] = "200";
  const told: string[] = [];
  const away = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${await freePort()}/v1/traces` };
  const { app, request } = await startOwnApp({ logLevel: "warn" }, (line) => told.push(line), {}, away);
  const isTold = (line: string) => line.includes("traces could not be sent");
  await waitFor("the log to tell", async () => {
    assert.equal((await request("GET", "/v2/user")).status, 200);
    return told.some(isTold) || undefined;
  });
  for (let sent = 0; sent < 20; sent++) assert.equal((await request("GET", "/v2/user")).status, 200);
  const startedAt = performance.now();
  await app.close();
  assert.ok(performance.now() - startedAt < 9_000, "it stops within the time that a process has");
  assert.equal(told.filter(isTold).length, 1);
});
