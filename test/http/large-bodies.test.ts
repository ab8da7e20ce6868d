// Bodies within the size limit that would take disproportionate time, and errors that would repeat them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { errorOf, exchange, listen } from "./raw-connection.ts";

const { app, admin, request } = await startOwnApp();
const port = await listen(app);
const MIB = 1_048_576;

test("a body with too many values is refused before each value is checked", async () => {
  const body = `[${"{},".repeat(340_000)}{}]`;
  assert.ok(body.length < 1_048_576 * 2);
  for (const url of ["/v1/teams", "/v1/teams/absent/members"]) {
    const { status, body: response } = await request("POST", url, {
      body: body.slice(0, 900_000).replace(/,?\{?$/, "]"),
    });
    assert.equal(status, 400);
    assert.match(response.error.message, /expected at most 20000 values/);
  }
});

test("bodies that may have many values have few different names of members, each once", async () => {
  const url = "/v1/firewalls/active/evaluate?projectId=shop";
  const bodyOf = (names: number) => {
    const objects = Array.from({ length: 30_000 }, (_, at) => `{"${(at % names).toString(36)}":1}`);
    return `{"requests":[${objects.join(",")}]}`;
  };
  for (const [body, expected] of [
    [`[${"{},".repeat(76_000)}{}]`, /^body: expected at most 75000 arrays and objects$/],
    [bodyOf(20_000), /^body: expected at most 1000 different names of members, or at most 20000 members$/],
    [bodyOf(900), /^requests: expected at most 1000 items$/],
    [bodyOf(900).replace("{", '{"requests":1,'), /^body: expected each member once$/],
  ] as const) {
    const { status, body: response } = await request("POST", url, { body });
    assert.equal(status, 400);
    assert.match(response.error.message, expected);
  }
});

test("an error about invalid JSON does not quote the body", async () => {
  const { status, text } = await request("POST", "/v1/teams/join", { body: '{"inviteCode":S3cretC0de}' });
  assert.equal(status, 400);
  assert.doesNotMatch(text, /S3cret|viteCode/);
});

test("a very long field name is shortened in errors, and so is a deep path", async () => {
  const long = await request("POST", "/v1/teams", { body: { slug: "fine", ["x".repeat(500_000)]: 1 } });
  assert.equal(long.status, 400);
  assert.ok(long.text.length < 1_000, `${long.text.length} characters`);
  assert.match(long.body.error.message, /unknown key; expected one of slug, /);

  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]));
  const { status, body } = await request("POST", "/v1/teams/absent/members", { body: many });
  assert.equal(status, 400);
  assert.match(body.error.message, /^k\d+: unknown key/);
});

const headOf = (token: string) =>
  `POST /v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

test("who sends a body that is refused gets the refusal, also on a connection that ends with it", async () => {
  const body = "x".repeat(7 * MIB);
  for (const [token, status, code] of [
    [admin.token, 413, "body_too_large"],
    ["rvt_unknown", 401, "not_authorized"],
  ] as const) {
    const head = `${headOf(token)}Connection: close\r\n`;
    for (const sent of [
      `${head}Content-Length: ${body.length}\r\n\r\n${body}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      `${head.replace("HTTP/1.1", "HTTP/1.0")}Content-Length: ${body.length}\r\n\r\n${body}`,
    ]) {
      const refused = await exchange(port, sent);
      assert.deepEqual([refused.slice(9, 12), errorOf(refused).code], [String(status), code]);
    }
  }
});

test("a refusal does not wait for a body that the client holds back, or that is far too long", async () => {
  for (const [head, status] of [
    [`${headOf("rvt_unknown")}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`, "401"],
    [`${headOf("rvt_unknown")}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n`, "401"],
    [`${headOf(admin.token)}Content-Length: ${100 * MIB}\r\n\r\n{`, "413"],
  ] as const) {
    assert.equal((await exchange(port, head)).slice(9, 12), status);
  }
});
