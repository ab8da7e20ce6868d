// Every error in JSON has one shape, over real connections: its code, a sentence, the id of the request and where the code is explained.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { ERROR_STATUS } from "../../src/platform/kernel/errors.ts";
import type { ErrorCode } from "../../src/platform/kernel/errors.ts";
import { Metrics } from "../../src/platform/kernel/telemetry/metrics.ts";
import { createOperatorServer } from "../../src/platform/http/operator-server.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { exchange, listen } from "./raw-connection.ts";

const SITE = "https://reeve.example";
const { app, admin } = await startOwnApp({ publicUrl: SITE });
const port = await listen(app);

const END = "Connection: close";
const BEARER = `Authorization: Bearer ${admin.token}`;
const JSON_BODY = "Content-Type: application/json";
const FORM = "Content-Type: application/x-www-form-urlencoded";

/** The bytes of a request. */
function bytes(start: string, headers: readonly string[] = [], body = ""): string {
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[start, "Host: reeve.example", ...headers, ...length, END].join("\r\n")}\r\n\r\n${body}`;
}

function read(response: string): { status: number; type: string; requestId: string; body: Record<string, unknown> } {
  const end = response.indexOf("\r\n\r\n");
  const head = response.slice(0, end);
  const of = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? "";
  const text = response.slice(end + 4);
  assert.match(of("content-type"), /json/, response);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]),
    type: of("content-type"),
    requestId: of("x-request-id"),
    body: JSON.parse(/chunked/i.test(head) ? text.replace(/^[\da-f]+\r\n|\r\n0\r\n\r\n$/gi, "") : text),
  };
}

/** An error of the API, in its own form. */
function assertError(response: string, status: number, code: ErrorCode): void {
  const { body, type, ...sent } = read(response);
  assert.equal(sent.status, status, response);
  assert.equal(type, "application/json; charset=utf-8");
  assert.deepEqual(Object.keys(body), ["error"]);
  const { error } = body as { error: Record<string, unknown> };
  assert.deepEqual([error["code"], ERROR_STATUS[code]], [code, status], response);
  assert.ok(typeof error["message"] === "string" && error["message"].length > 10, response);
  assert.match(String(error["requestId"]), /^req_[0-9A-Za-z]{24}$/);
  assert.equal(error["requestId"], sent.requestId);
  assert.equal(error["docs"], `${SITE}/docs/errors#${code}`);
}

/** The same as problem details. */
function assertProblem(response: string, status: number, code: ErrorCode): void {
  const { body, type, requestId } = read(response);
  assert.equal(type, "application/problem+json; charset=utf-8");
  const { type: docs, status: said, code: named, instance, requestId: own } = body;
  assert.deepEqual(
    [docs, said, named, instance, own],
    [`${SITE}/docs/errors#${code}`, status, code, `urn:reeve:request:${requestId}`, requestId],
  );
  for (const member of ["title", "detail"]) assert.equal(typeof body[member], "string", member);
}

type Case = readonly [start: string, headers: readonly string[], body: string, status: number, code: ErrorCode];

/** Valid HTTP that is refused. Both forms of an error are asked for. */
const REQUESTS: readonly Case[] = [
  ["GET /", [], "", 404, "not_found"],
  ["GET /absent", [], "", 404, "not_found"],
  ["GET /%zz", [], "", 400, "invalid_path"],
  [`GET /v2/teams/${"x".repeat(300)}`, [BEARER], "", 400, "invalid_path"],
  ["DELETE /v1/teams", [BEARER], "", 405, "method_unknown"],
  ["GET /health/absent", [], "", 404, "not_found"],
  ["POST /health/live", [], "", 404, "not_found"],
  ["PUT /openapi.json", [], "", 404, "not_found"],
  ["GET /docs/absent", [], "", 404, "not_found"],
  ["GET /mail/stop/absent", [], "", 404, "not_found"],
  ["GET /v2/user", [], "", 401, "not_authorized"],
  ["GET /v2/teams/absent", [BEARER], "", 404, "not_found"],
  ["POST /v1/teams", [BEARER, JSON_BODY], "{", 400, "invalid_json"],
  ["POST /v1/teams", [BEARER, JSON_BODY], "{}", 400, "bad_request"],
  ["POST /v1/teams", [BEARER, "Content-Type: text/csv"], "a,b", 415, "unsupported_media_type"],
  ["POST /v1/teams", [BEARER, JSON_BODY, "Content-Encoding: gzip"], "x", 415, "unsupported_media_type"],
  ["POST /v1/teams", [BEARER, JSON_BODY], `"${"x".repeat(1_100_000)}"`, 413, "body_too_large"],
  ["GET /v2/user", ["Host: other.example"], "", 400, "bad_request"],
  ["GET /health/live", ["Expect: a-miracle"], "", 417, "expectation_failed"],
  ["POST /console/sign-in", [FORM], "email=a", 403, "cross_site_request"],
  ["POST /console/sign-in", [FORM, `Origin: ${SITE}`], `email=${"x".repeat(100_000)}`, 413, "body_too_large"],
  ["POST /console/passkey-options", [FORM], "purpose=new", 403, "cross_site_request"],
];

for (const [start, headers, body, status, code] of REQUESTS) {
  test(`${start.slice(0, 60)} ${headers.filter((one) => one !== BEARER).join(" ")}: ${code}`, async () => {
    const send = async (accept: string) =>
      await exchange(port, bytes(`${start} HTTP/1.1`, [...headers, `Accept: ${accept}`], body));
    assertError(await send("application/json"), status, code);
    assertProblem(await send("application/problem+json"), status, code);
  });
}

test("a page is a page to whoever does not ask for JSON", async () => {
  for (const accept of ["text/html", "*/*", "text/html, application/json;q=0.9"]) {
    const response = await exchange(
      port,
      bytes("POST /console/sign-in HTTP/1.1", [FORM, `Accept: ${accept}`], "email=a"),
    );
    assert.match(response, /^HTTP\/1\.1 403 /);
    assert.match(response, /\r\ncontent-type: text\/html/i);
  }
});

const NO_REQUESTS: readonly (readonly [what: string, bytes: string, status: number, code: ErrorCode])[] = [
  ["no HTTP", "nonsense\r\n\r\n", 400, "bad_request"],
  ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "bad_request"],
  ["a header without a colon", "GET / HTTP/1.1\r\nHost x\r\n\r\n", 400, "bad_request"],
  ["a length that is none", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", 400, "bad_request"],
  ["a large header", `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`, 431, "headers_too_large"],
];

for (const [what, sent, status, code] of NO_REQUESTS) {
  test(`bytes that are no request have an error of the same shape: ${what}`, async () => {
    assertError(await exchange(port, sent), status, code);
  });
}

test("the exchange of tokens has OAuth's form, with the code, the id and where the code is explained", async () => {
  const form = [FORM, "Accept: application/json"];
  const { status, body, requestId } = read(
    await exchange(port, bytes("POST /v1/identity/exchange HTTP/1.1", form, "a=b")),
  );
  const { error, error_description: text, code, requestId: own, error_uri: docs } = body;
  assert.deepEqual([status, typeof error, typeof text, code], [400, "string", "string", "bad_request"]);
  assert.deepEqual([own, docs], [requestId, `${SITE}/docs/errors#bad_request`]);
});

test("a process with health and metrics alone has the same errors, of bytes that are no request, too", async () => {
  const server = createOperatorServer({
    logger: { info: () => undefined, error: () => undefined } as never,
    metrics: new Metrics(),
    publicUrl: SITE,
    findFailedChecks: async () => [{ check: "store", code: "store_unavailable", advice: "a", isFatal: true }] as never,
  });
  after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port: own } = server.address() as AddressInfo;
  for (const [path, status, code] of [
    ["/absent", 404, "not_found"],
    ["/health/ready", 503, "not_ready"],
  ] as const) {
    const send = async (accept: string) => await exchange(own, bytes(`GET ${path} HTTP/1.1`, [`Accept: ${accept}`]));
    assertError(await send("*/*"), status, code);
    assertProblem(await send("application/problem+json"), status, code);
  }
  for (const [, sent, status, code] of NO_REQUESTS) assertError(await exchange(own, sent), status, code);
});
