// The short way answers like the long way, and lets nobody in whom the long way would refuse.
import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { test } from "node:test";
import { ENGINE, startTestApp } from "../../test/harness.ts";
import { DAY_MS } from "../kernel/clock.ts";

const LIMIT = 20;
const api = await startTestApp({ rateLimit: String(LIMIT) });
const { request, createUser, createTeam, clock } = api;

/** Requests that the framework has handled. */
let longWays = 0;
subscribe("tracing:fastify.request.handler:start", () => longWays++);

test("what is kept is answered without the framework, with every header of the first answer", async () => {
  const owner = await createUser();
  const { token } = owner;
  const team = await createTeam(owner);
  const read = (headers = {}) => request("GET", `/v2/teams/${team.id}`, { token, headers });
  const first = await read();
  const before = longWays;
  const second = await read();
  const third = await read({ "x-request-id": "mine" });
  // PostgreSQL has no version to keep answers by.
  assert.equal(longWays - before, ENGINE === "sqlite" ? 0 : 2);
  assert.equal(second.text, first.text);
  assert.deepEqual(Object.keys(second.headers).toSorted(), Object.keys(first.headers).toSorted());
  for (const name of ["etag", "content-type", "content-length", "cache-control", "ratelimit-policy"]) {
    assert.equal(second.headers[name], first.headers[name], name);
  }
  assert.notEqual(second.headers["x-request-id"], first.headers["x-request-id"]);
  assert.equal(third.headers["x-request-id"], "mine");
});

test("it counts towards the limit, and ends there", async () => {
  const { token } = await createUser();
  const statuses: number[] = [];
  for (let at = 0; at <= LIMIT; at++) statuses.push((await request("GET", "/v2/user", { token })).status);
  assert.deepEqual(statuses, [...Array.from({ length: LIMIT }, () => 200), 429]);
});

test("a token that ends is refused on the dot", async () => {
  const { token } = await createUser();
  const expiresAt = clock.now + DAY_MS;
  const made = await request("POST", "/v3/user/tokens", { token, body: { name: "short", expiresAt } });
  const { bearerToken } = made.body;
  const status = async () => (await request("GET", "/v2/user", { token: bearerToken })).status;
  clock.now = expiresAt - 1;
  assert.deepEqual([await status(), await status()], [200, 200]);
  clock.now = expiresAt;
  assert.equal(await status(), 401);
});

test("each answer is one of its operation's requests in the metrics", async () => {
  const { token } = await createUser();
  const count = async () => {
    const { text } = await request("GET", "/metrics", {});
    return Number(
      /^reeve_http_request_duration_seconds_count\{operation="getCurrentUser",status="200"\} (\d+)$/m.exec(text)?.[1] ??
        0,
    );
  };
  const before = await count();
  for (let at = 0; at < 3; at++) await request("GET", "/v2/user", { token });
  assert.equal((await count()) - before, 3);
});

test("a key that is bound to addresses is not known by its last answer at another one", async () => {
  const { token } = await createUser();
  const made = await request("POST", "/v1/api-keys", {
    token,
    body: { name: "ci", role: "OWNER", allowedCidrs: ["10.1.0.0/16"] },
  });
  const key = made.body.value;
  const status = async (ip: string) => (await request("GET", "/v2/user", { token: key, ip })).status;
  assert.deepEqual([await status("10.1.0.1"), await status("10.1.0.1"), await status("10.2.0.1")], [200, 200, 401]);
});
