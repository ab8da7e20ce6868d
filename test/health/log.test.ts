// Request log lines: their fields. No client can forge a line, or make its secrets appear in one.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { readableLine } from "../../src/serve/observability/readable-log.ts";
import { exchange, listen } from "../http/raw-connection.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { parseMetrics } from "./metrics-text.ts";

const lines: string[] = [];
const { app, request, admin, query } = await startOwnApp({ logLevel: "info" }, (line) => lines.push(line));
const port = await listen(app);

function linesOf(requestId: string): Body[] {
  return lines.map((line) => JSON.parse(line)).filter((line) => line.clientRequestId === requestId);
}

test("each request has a line at the level info with caller, operation, outcome and duration", async () => {
  assert.equal((await request("GET", "/v2/user?teamId=", { headers: { "x-request-id": "log-1" } })).status, 200);
  const [line, ...more] = linesOf("log-1");
  assert.deepEqual(more, []);
  const { level, time, msg, requestId, clientRequestId, operation, method, route, status, durationMs, ...rest } = line;
  const { principalId, credentialId, ...others } = rest;
  assert.deepEqual(
    { level, msg, clientRequestId, operation, method, route, status },
    {
      level: "info",
      msg: "request",
      clientRequestId: "log-1",
      operation: "getCurrentUser",
      method: "GET",
      route: "/v2/user",
      status: 200,
    },
  );
  assert.equal(principalId, (await request("GET", "/v2/user")).body.user.id);
  assert.match(requestId, /^req_[0-9A-Za-z]{24}$/);
  assert.ok(Math.abs(time - Date.now()) < 60_000);
  assert.ok(durationMs >= 0);
  assert.match(credentialId, /^\w+$/);
  assert.ok(!admin.token.includes(credentialId));
  assert.deepEqual(Object.keys(others).toSorted(), ["hostname", "pid"]);
});

test("lines about unknown paths and requests without a credential quote nothing that was sent", async () => {
  const headers = { "x-request-id": "log-2" };
  assert.equal((await request("GET", "/planted-path?planted=query", { token: null, headers })).status, 404);
  const [line] = linesOf("log-2");
  assert.deepEqual([line.operation, line.route, line.status, line.principalId], ["unmatched", null, 404, undefined]);
  assert.ok(!lines.join("").includes("planted"));
});

test("a request whose head is refused is logged and counted like any other", async () => {
  const head = "GET /v2/user HTTP/1.1\r\nHost: x\r\nX-Request-Id: log-417\r\nExpect: a-miracle";
  assert.match(await exchange(port, `${head}\r\n\r\n`), /^HTTP\/1\.1 417 /);
  const [line, ...more] = linesOf("log-417");
  assert.deepEqual([line.msg, line.operation, line.route, line.status], ["request", "getCurrentUser", "/v2/user", 417]);
  assert.deepEqual(more, []);
  const page = parseMetrics((await request("GET", "/metrics", { token: null })).text);
  assert.equal(page.value('reeve_http_request_duration_seconds_count{operation="getCurrentUser",status="417"}'), 1);
});

test("a failure is logged once, with its cause and the code of the response", async () => {
  await query("alter table access_tokens rename to moved_away");
  const headers = { "x-request-id": "log-3" };
  const { status, body } = await request("GET", "/v2/user", { headers });
  await query("alter table moved_away rename to access_tokens");
  assert.equal(status, 500);
  const failures = linesOf("log-3").filter(({ level }) => level === "error");
  assert.equal(failures.length, 1);
  const [{ msg, code, operation, err }] = failures;
  assert.deepEqual([msg, code, operation], ["request failed", body.error.code, "getCurrentUser"]);
  assert.match(err.message, /access_tokens/);
});

test("no client can write a line, or another field of a line", async () => {
  const forged = '{"level":50,"msg":"forged"}';
  const before = lines.length;
  for (const sent of [
    `GET /v2/user HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\\n${forged}\r\nConnection: close\r\n\r\n`,
    `GET /v2/user HTTP/1.1\r\nHost: x\r\nX-Request-Id: a"}\t${forged}\r\nConnection: close\r\n\r\n`,
    `GET /%0a${encodeURIComponent(forged)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `GET /v2/user HTTP/1.1\r\nHost: x\r\nUser-Agent: ${forged}\r\nTraceparent: ${forged}\r\nConnection: close\r\n\r\n`,
    `GET /v2/user HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\n${forged}\r\nConnection: close\r\n\r\n`,
    `${forged}\r\n\r\n`,
  ]) {
    const socket = connect(port, "127.0.0.1");
    socket.end(sent);
    await text(socket);
  }
  const added = lines.slice(before);
  assert.ok(added.length >= 4);
  for (const line of added) {
    assert.equal(line.indexOf("\n"), line.length - 1, "one line");
    const read = JSON.parse(line);
    assert.notEqual(read.msg, "forged");
    assert.ok(!line.includes("forged"), line);
  }
});

test("no line contains values of a path or a query", async () => {
  const headers = { "x-request-id": "log-4" };
  await request("GET", "/v2/teams/planted-slug?slug=planted-slug", { headers });
  const [line] = linesOf("log-4");
  assert.deepEqual([line.route, line.status], ["/v2/teams/:teamId", 404]);
  assert.ok(!lines.join("").includes("planted"));
});

test("probes are logged at the level debug only, and no request above info", async () => {
  for (const [logLevel, expected] of [
    ["debug", ["GET /health/live", "GET /health/ready", "GET /metrics", "GET /v2/user"]],
    ["info", ["GET /v2/user"]],
    ["warn", []],
  ] as const) {
    const told: string[] = [];
    const other = await startOwnApp({ logLevel }, (line) => told.push(line));
    told.length = 0;
    for (const path of ["/health/live", "/health/ready", "/metrics", "/v2/user"]) await other.request("GET", path);
    const requests = told.map((line) => JSON.parse(line)).filter(({ msg }: Body) => msg === "request");
    assert.deepEqual(
      requests.map(({ method, route }) => `${method} ${route}`),
      expected,
      logLevel,
    );
  }
});

test("on a terminal a line is readable, and has no control character but its end", () => {
  const time = new Date(2030, 0, 31, 12, 0, 7).getTime();
  const render = (line: object) => readableLine(JSON.stringify({ time, pid: 7, hostname: "vm", ...line }));
  const facts = { requestId: "req_1", operation: "getTeam", method: "GET", route: "/v2/teams/:teamId" };
  assert.equal(
    render({ level: "info", msg: "request", ...facts, principalId: "u1", status: 200, durationMs: 1.5 }),
    "12:00:07 info  GET /v2/teams/:teamId 200 in 1.5 ms  requestId=req_1  principalId=u1\n",
  );
  assert.equal(
    render({ level: "warn", msg: "made a new master key", file: "/data/master.key" }),
    "12:00:07 warn  made a new master key  file=/data/master.key\n",
  );
  const stack = "Error: no such table: \u001b[31mx\n    at read (store.ts:1:1)";
  assert.equal(
    render({ level: "error", msg: "request failed", requestId: "req_1", err: { message: "x", stack } }),
    "12:00:07 error request failed  requestId=req_1\n    Error: no such table: \\u001b[31mx\n    at read (store.ts:1:1)\n",
  );
});
