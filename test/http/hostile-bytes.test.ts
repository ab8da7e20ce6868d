import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { errorOf, exchange, listen } from "./raw-connection.ts";

const { app, admin, request } = await startOwnApp();
const port = await listen(app);

function post(body: string | Buffer, headers: string): Buffer {
  const head =
    `POST /v1/teams HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${admin.token}\r\nConnection: close\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

test("bytes that are not HTTP are refused in the usual envelope", async () => {
  const response = await exchange(port, "\x16\x03\x01 this is no request\r\n\r\n");
  assert.match(response, /^HTTP\/1\.1 400 /);
  assert.equal(errorOf(response).code, "bad_request");
});

test("headers without end are refused", async () => {
  const response = await exchange(port, `GET /v2/user HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`);
  assert.match(response, /^HTTP\/1\.1 431 /);
  assert.equal(errorOf(response).code, "headers_too_large");
});

test("a body that is not UTF-8 is refused and changes nothing", async () => {
  const response = await exchange(
    port,
    post(Buffer.from('{"slug":"caf\xe9"}', "latin1"), "Content-Type: application/json\r\n"),
  );
  assert.match(response, /^HTTP\/1\.1 400 /);
  assert.equal(errorOf(response).code, "invalid_json");
  assert.deepEqual((await request("GET", "/v2/teams")).body.teams, []);
});

test("a byte order mark in front of JSON is taken off, and one of UTF-16 is refused", async () => {
  const type = "Content-Type: application/json\r\n";
  const marked = await exchange(port, post('\uFEFF{"slug":"marked","name":"\uFEFFMarked"}', type));
  assert.match(marked, /^HTTP\/1\.1 200 /);
  const { body } = await request("GET", "/v2/teams/marked");
  assert.equal(body.name, "\uFEFFMarked", "a text keeps its own");
  for (const wrong of ["\uFEFF", '\uFEFF\uFEFF{"slug":"twice"}']) {
    assert.equal(errorOf(await exchange(port, post(wrong, type))).code, "invalid_json", JSON.stringify(wrong));
  }
  const wide = errorOf(await exchange(port, post(Buffer.from('\uFEFF{"slug":"wide"}', "utf16le"), type)));
  assert.equal(wide.message, "body: expected UTF-8");
});

test("a body without a content type is refused", async () => {
  const response = await exchange(port, post('{"slug":"untyped"}', ""));
  assert.match(response, /^HTTP\/1\.1 415 /);
  assert.equal(errorOf(response).code, "unsupported_media_type");
});

test("the content type of an old command line counts as JSON", async () => {
  const response = await exchange(
    port,
    post('{"slug":"old-client"}', "Content-Type: application/json; charset=utf8\r\n"),
  );
  assert.match(response, /^HTTP\/1\.1 200 /);
});

test("a client that never finishes its headers gets 408 and is disconnected", async () => {
  const response = await exchange(port, "GET /v2/user HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
  assert.match(response, /^HTTP\/1\.1 408 /);
  assert.equal(errorOf(response).code, "request_timeout");
});
