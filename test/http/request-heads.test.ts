// Heads of requests that are ambiguous, or that have expectations.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { startOwnApp } from "../harness/test-app.ts";
import { errorOf, exchange, listen } from "./raw-connection.ts";

const { app, admin } = await startOwnApp();
const port = await listen(app);
const BEARER = `Authorization: Bearer ${admin.token}`;
const END = "Connection: close";

function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);
}

async function send(start: string, headers: readonly string[], body = ""): Promise<string> {
  return await exchange(port, `${[start, ...headers].join("\r\n")}\r\n\r\n${body}`);
}

test("responses to invalid requests, too many headers and unknown expectations must not be cached", async () => {
  const responses = [
    await exchange(port, "nonsense\r\n\r\n"),
    await send("GET /v2/user HTTP/1.1", ["Host: x", `X-Large: ${"x".repeat(20_000)}`]),
    await send("GET /v2/user HTTP/1.1", ["Host: x", "Expect: a-miracle"]),
  ];
  assert.deepEqual(responses.map(statusOf), [400, 431, 417]);
  for (const response of responses) assert.match(response, /\r\ncache-control: no-store\r\n/i);
  const [, , unexpected = ""] = responses;
  assert.equal(errorOf(unexpected).code, "expectation_failed");
  assert.match(unexpected, /\r\nx-request-id: req_/i);
});

test("a request without Host or with an unknown expectation is refused in the usual envelope", async () => {
  for (const [head, status, code] of [
    ["X-Nothing: 1", 400, "bad_request"],
    ["Host: x\r\nExpect: a-miracle", 417, "expectation_failed"],
  ] as const) {
    const response = await send("GET /v2/user HTTP/1.1", [head, "Accept: application/problem+json", END]);
    assert.equal(statusOf(response), status);
    assert.match(response, /\r\ncache-control: no-store\r\n/i);
    assert.match(response, /\r\nx-request-id: req_/i);
    assert.ok(response.includes(`/docs/errors#${code}"`), response);
  }
  assert.equal(statusOf(await send("GET /v2/user HTTP/1.0", [BEARER])), 200);
});

test("a body without a determinable end is refused once, and its connection is closed", async () => {
  for (const coding of ["gzip", "identity", "xchunked"]) {
    for (const path of ["/v1/teams", "/mail/stop/x", "/%zz"]) {
      const response = await send(`POST ${path} HTTP/1.1`, ["Host: x", BEARER, `Transfer-Encoding: ${coding}`], "{}");
      assert.deepEqual(response.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 400"], response);
      assert.match(response, /\r\nconnection: close\r\n/i);
    }
  }
});

test("two Host headers are refused, whatever their values and the path", async () => {
  for (const path of ["/v2/user", "/health/live", "/absent"]) {
    for (const hosts of [
      ["Host: a", "Host: b"],
      ["Host: a", "hOST: a"],
    ]) {
      const response = await send(`GET ${path} HTTP/1.1`, [...hosts, BEARER, END]);
      assert.deepEqual([statusOf(response), errorOf(response).message], [400, "Host: expected once"]);
    }
  }
});

test("ambiguous headers are refused by name", async () => {
  const named = "expected a name or an address, and at most a port";
  const beside = "expected none beside Authorization, or the same credential";
  for (const [headers, problem] of [
    [["Host: a, b"], `Host: ${named}`],
    [["Host: a,b"], `Host: ${named}`],
    [["Host: a/b@c"], `Host: ${named}`],
    [["Host: a:b"], `Host: ${named}`],
    [["Host: [::1"], `Host: ${named}`],
    [["Host:"], `Host: ${named}`],
    [["Host: x", BEARER], "Authorization: expected once"],
    [["Host: x", "Authorization: Basic eDp5"], "Authorization: expected once"],
    [["Host: x", "X-API-Key: another"], `X-API-Key: ${beside}`],
    [["Host: x", "X-API-Key:"], `X-API-Key: ${beside}`],
    [["Host: x", `X-API-Key: ${admin.token}`, `X-API-Key: ${admin.token}`], "X-API-Key: expected once"],
    [["Host: x", "Content-Type: application/json", "content-type: text/html"], "Content-Type: expected once"],
  ] as const) {
    const response = await send("GET /v2/user HTTP/1.1", [BEARER, ...headers, END]);
    assert.deepEqual([statusOf(response), errorOf(response).message], [400, problem], headers.join("; "));
  }
  for (const host of ["reeve.example", "my_app-1:8080", "127.0.0.1:80", "[::1]:8080", "x:"]) {
    const same = [`Host: ${host}`, BEARER, `X-API-Key: ${admin.token}`, END];
    assert.equal(statusOf(await send("GET /v2/user HTTP/1.1", same)), 200, host);
  }
});

test("a transfer coding in HTTP/1.0 is refused, and the connection is closed", async () => {
  const head = ["Host: x", BEARER, "Content-Type: application/json", "Connection: keep-alive"];
  const response = await send(
    "POST /v1/teams HTTP/1.0",
    [...head, "Transfer-Encoding: chunked"],
    '16\r\n{"slug":"of-http-1-0"}\r\n0\r\n\r\n',
  );
  assert.deepEqual(response.match(/HTTP\/1\.\d \d+/g), ["HTTP/1.1 400"], response);
  assert.match(response, /\r\nconnection: close\r\n/i);
  assert.equal(errorOf(response).message, "Transfer-Encoding: expected chunked alone, in HTTP/1.1");
});

test("unsupported transfer codings and content codings are refused", async () => {
  const post = "POST /v1/teams HTTP/1.1";
  const head = ["Host: x", BEARER, "Content-Type: application/json", END];
  const chunked = "2\r\n{}\r\n0\r\n\r\n";
  for (const coding of ["gzip, chunked", "x-unheard-of, chunked"]) {
    const response = await send(post, [...head, `Transfer-Encoding: ${coding}`], chunked);
    assert.deepEqual(
      [statusOf(response), errorOf(response).message],
      [400, "Transfer-Encoding: expected chunked alone, in HTTP/1.1"],
    );
  }
  for (const coding of ["gzip", "br", "unheard-of", "gzip, identity"]) {
    const response = await send(post, [...head, "Content-Length: 2", `Content-Encoding: ${coding}`], "{}");
    assert.equal(statusOf(response), 415, coding);
    assert.match(response, /\r\naccept-encoding: identity\r\n/i);
    assert.match(errorOf(response).message, /^Content-Encoding: expected none/);
  }
  const plain = await send(post, [...head, "Content-Length: 2", "Content-Encoding: identity"], "{}");
  assert.equal(errorOf(plain).message, "slug: is required: a string");
  const empty = await send(post, [...head, "Content-Length: 2", "Content-Encoding:"], "{}");
  assert.equal(errorOf(empty).message, "slug: is required: a string");
  const without = await send("GET /v2/user HTTP/1.1", ["Host: x", BEARER, "Content-Encoding: gzip", END]);
  assert.equal(statusOf(without), 200);
});

test("100 Continue is sent only after the request guards accept the request", async () => {
  const head = ["POST /v1/teams HTTP/1.1", "Host: x", "Content-Type: application/json", "Expect: 100-continue"];
  for (const credential of ["X-Nothing: 1", `Authorization: Bearer rvt_${"x".repeat(46)}`]) {
    const response = await exchange(port, `${[...head, "Content-Length: 2", credential].join("\r\n")}\r\n\r\n`);
    assert.equal(statusOf(response), 401);
    assert.match(response, /\r\nconnection: close\r\n/i);
  }
  const socket = connect(port, "127.0.0.1");
  const body = '{"slug":"continued"}';
  socket.write(`${[...head, `Content-Length: ${body.length}`, BEARER].join("\r\n")}\r\n\r\n`);
  const first = await new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))));
  assert.match(first, /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  // The connection is kept for the next request.
  socket.write(`${body}GET /v2/user HTTP/1.1\r\nHost: x\r\n${BEARER}\r\n${END}\r\n\r\n`);
  assert.deepEqual(
    [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ["200", "200"],
  );
});

test("100 Continue is sent for a public form too", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.write(`POST /mail/stop/x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n${END}\r\n\r\n`);
  let received = "";
  for await (const bytes of socket) {
    received += String(bytes);
    if (received === "HTTP/1.1 100 Continue\r\n\r\n") socket.write("x");
  }
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 100", "HTTP/1.1 404"]);
});

test("a target with scheme and host is treated as its path, and the host appears in no link", async () => {
  for (const target of ["http://evil.example/v2/teams?limit=1", "HTTPS://evil.example:1/v2/teams?limit=1"]) {
    const response = await send(`GET ${target} HTTP/1.1`, ["Host: x", BEARER, END]);
    assert.equal(statusOf(response), 200);
    assert.match(response, /\r\nlink: <[^>]*\/v2\/teams\?/i);
    assert.ok(!response.includes("evil"), response);
  }
  const fragment = await send("GET /v2/teams?limit=1#evil HTTP/1.1", ["Host: x", BEARER, END]);
  assert.match(fragment, /\r\nlink: <[^>#]*\/v2\/teams\?/i);
  assert.ok(!fragment.includes("evil"), fragment);
  assert.equal(statusOf(await send("GET http://evil.example HTTP/1.1", ["Host: x", END])), 404);
});

test("a duplicate member of a body is refused by name, however it is written", async () => {
  const team = (body: string) =>
    send(
      "POST /v1/teams HTTP/1.1",
      ["Host: x", BEARER, "Content-Type: application/json", `Content-Length: ${body.length}`, END],
      body,
    );
  for (const [body, name] of [
    ['{"slug":"twice-a","slug":"twice-b"}', "slug"],
    ['{"slug":"twice-a","sl\\u0075g":"twice-b"}', "slug"],
    ['{"slug":"twice-a","attribution":{"utm":{"utmSource":"a:b\\"","utmSource":1}}}', "attribution.utm.utmSource"],
    ['{"":1,"":2}', '""'],
    ['{"slug":"twice-a","a":[{"b":1},{"b":1,"b":1}]}', "a[1].b"],
  ] as const) {
    const response = await team(body);
    assert.deepEqual([statusOf(response), errorOf(response).message], [400, `${name}: expected once`], body);
  }
  assert.equal(statusOf(await team('{"slug":"once-a","name":"a:b \\" : {}"}')), 200);
});
