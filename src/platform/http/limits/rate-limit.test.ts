// Large bodies count as several requests, before they are parsed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange, listen } from "../../../../test/http/raw-connection.ts";
import { startOwnApp } from "../../../../test/harness/test-app.ts";

const LIMIT = 20;
const KIB = 1_024;

test("each full 64 KiB of a body counts as a request more, whether or not the head tells the size", async () => {
  const client = await startOwnApp({ rateLimit: String(LIMIT) });
  const port = await listen(client.app);
  const { token } = await client.createUser();
  const body = `{"slug":"${"x".repeat(130 * KIB)}"}`;
  const told = await client.request("POST", "/v1/teams", { token, body });
  assert.deepEqual([told.status, told.headers["x-ratelimit-remaining"]], [400, String(LIMIT - 3)]);
  const head = `POST /v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
  const chunked = await exchange(
    port,
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
  assert.match(chunked, /^HTTP\/1\.1 400 [^]*x-ratelimit-remaining: 14\r\n/i);
});

test("a body that counts as more than is left is accepted, and the next request is not", async () => {
  const { request, createUser } = await startOwnApp({ rateLimit: "2" });
  const { token } = await createUser();
  const large = await request("POST", "/v1/teams", { token, body: { slug: "x".repeat(900 * KIB) } });
  assert.deepEqual([large.status, large.headers["x-ratelimit-remaining"]], [400, "0"]);
  assert.equal((await request("GET", "/v2/user", { token })).status, 429);
});
