// What every response has in common: request ids, rate limits and the two forms of an error.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { createKey, readKeys } from "../resources/api-keys.ts";
import { openTeam } from "../resources/teams.ts";

const LIMIT = 25;
const client = await startOwnApp({ rateLimit: String(LIMIT) });
const { request, createUser, createTeam, clock } = client;

test("a client's request id is used if it is safe to log, and another one is generated otherwise", async () => {
  const given = await request("GET", "/v2/user", { headers: { "x-request-id": "trace-1:a.b" } });
  assert.equal(given.headers["x-request-id"], "trace-1:a.b");
  for (const headers of [{}, { "x-request-id": "no spaces\tplease" }, { "x-request-id": "a".repeat(129) }]) {
    const made = await request("GET", "/v2/user", { headers });
    assert.match(made.headers["x-request-id"] as string, /^req_[0-9A-Za-z]{24}$/);
  }
});

test("responses must not be cached, errors included, unless they are the same for everybody", async () => {
  const responses = [
    await request("GET", "/v2/user"),
    await request("GET", "/v2/user", { token: null }),
    await request("GET", "/v2/teams/absent"),
    await request("DELETE", "/v2/user"),
    await request("POST", "/v1/teams", { body: "{" }),
    await request("GET", "/absent"),
    await request("GET", "/v2/teams/%"),
    await request("GET", "/health/ready", { token: null }),
  ];
  assert.deepEqual(
    responses.map(({ status, headers }) => [status, headers["cache-control"]]),
    [200, 401, 404, 405, 400, 404, 400, 200].map((status) => [status, "no-store"]),
  );
  for (const { headers } of responses) {
    assert.notEqual(headers["x-request-id"], undefined);
    assert.equal(headers["x-content-type-options"], "nosniff");
  }
  const { headers } = await request("GET", "/openapi.json", { token: null });
  assert.equal(headers["cache-control"], "no-cache");
});

test("a body of another content type is refused with the expected and the received type", async () => {
  for (const [type, got] of [
    ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded"],
    ["text/plain", "text/plain"],
    ["application/json; charset=utf-16", "application/json; charset=utf-16"],
    ["", "none"],
  ] as const) {
    const headers = { "content-type": type };
    const { status, body, headers: answered } = await request("POST", "/v1/teams", { body: "{}", headers });
    assert.equal(status, 415, type);
    assert.equal(answered["accept"], "application/json");
    const { message, field, expected } = body.error;
    assert.equal(message, `Content-Type: expected application/json in UTF-8, got ${got}`);
    assert.deepEqual([field, expected], ["Content-Type", "application/json"]);
  }
});

test("a request to an unknown path is refused before its body is read", async () => {
  const { status, body } = await request("POST", "/absent", { token: null, body: "{" });
  assert.deepEqual([status, body.error.code], [404, "not_found"]);
});

test("errors are problem details for clients that accept them", async () => {
  const { status, headers, body } = await request("GET", "/v2/teams/absent", {
    headers: { accept: "application/problem+json", "x-request-id": "abc" },
  });
  assert.equal(status, 404);
  assert.equal(headers["content-type"], "application/problem+json; charset=utf-8");
  assert.deepEqual(
    { title: body.title, status: body.status, code: body.code },
    { title: "not found", status: 404, code: "not_found" },
  );
  assert.match(body.instance, /^urn:reeve:request:req_[0-9A-Za-z]{24}$/);
});

test("a wrong method names the right ones", async () => {
  const { status, headers, body } = await request("DELETE", "/v2/user");
  assert.equal(status, 405);
  assert.equal(body.error.code, "method_unknown");
  assert.match(headers["allow"] as string, /GET/);
});

test("a firewall of a whole team is refused with the code that clients know", async () => {
  const paths = ["", "/active", "/draft/activate?teamId=team_1", "?teamId=team_1"];
  for (const root of ["/v1/security/firewall/team-config", "/security/firewall/team-config"]) {
    for (const path of paths) {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
        const { status, body } = await request(method, root + path, { token: null });
        assert.deepEqual([status, body.error.code], [403, "plan_not_supported"], `${method} ${root}${path}`);
      }
    }
  }
  assert.equal((await request("GET", "/v1/security/firewall/team-configs")).status, 404);
});

test("shared variables are refused with what to use instead, and no other path is", async () => {
  const messageOf = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string) => {
    const { status, body } = await request(method, path, { token: null });
    assert.deepEqual([status, body.error.code], [404, "not_found"], `${method} ${path}`);
    return body.error.message as string;
  };
  for (const path of [
    "/v1/env",
    "/v1/env?teamId=team_1",
    "/v1/env/env_1",
    "/v1/env/env_1/unlink/shop",
    "/v1/env/pulled",
  ]) {
    for (const method of ["GET", "POST", "PATCH", "DELETE"] as const) {
      assert.match(await messageOf(method, path), /^There are no shared variables: .* refer to one secret/);
    }
  }
  for (const path of ["/v1/envs", "/v1/env/pull", "/v1/env/pull?a=b", "/v2/env"]) {
    assert.match(await messageOf("GET", path), /^There is no such path/, path);
  }
});

test("each user has a separate count, shown in both families of headers, and a new minute starts at zero", async () => {
  const user = await createUser();
  const other = await createUser();
  for (let sent = 1; sent <= LIMIT; sent++) {
    const { status, headers } = await request("GET", "/v2/user", { token: user.token });
    assert.equal(status, 200);
    assert.equal(headers["x-ratelimit-limit"], String(LIMIT));
    assert.equal(headers["x-ratelimit-remaining"], String(LIMIT - sent));
    assert.equal(headers["x-ratelimit-reset"], String(Math.ceil((clock.now + 60_000) / 1000)));
    assert.equal(headers["ratelimit"], `"principal";r=${LIMIT - sent};t=60`);
  }
  clock.advance(20_000);
  const refused = await request("GET", "/v2/user", { token: user.token });
  assert.equal(refused.status, 429);
  assert.equal(refused.body.error.code, "too_many_requests");
  assert.equal(refused.headers["retry-after"], "40");
  assert.equal(refused.body.error.limit.total, LIMIT);
  assert.equal((await request("GET", "/v2/user", { token: other.token })).status, 200);
  clock.advance(40_000);
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 200);
});

test("all tokens and keys of a user share one count, with the keys of all teams that the user answers for", async () => {
  const user = await createUser();
  const made = await request("POST", "/v3/user/tokens", { token: user.token, body: { name: "second" } });
  const teams = [await openTeam(client, user), await createTeam(user)] as const;
  const limited = await request("POST", `/v3/user/tokens?teamId=${teams[0].id}`, {
    token: user.token,
    body: { name: "third" },
  });
  const keys = [];
  for (const scope of ["", ...teams.map(({ id }) => `?teamId=${id}`)]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    keys.push((await createKey(client, user.token, scope)).body.value as string);
  }
  const values = [user.token, made.body.bearerToken, limited.body.bearerToken, ...keys];
  const colleague = await createUser();
  await teams[0].add(colleague, "OWNER");
  const theirs = await createKey(client, colleague.token, `?teamId=${teams[0].id}`);
  clock.advance(60_000);
  for (let sent = 1; sent <= LIMIT; sent++) {
    const { status, headers } = await readKeys(client, values[sent % values.length] as string);
    assert.equal(status, 200);
    assert.equal(headers["x-ratelimit-remaining"], String(LIMIT - sent));
    assert.equal(headers["ratelimit"], `"principal";r=${LIMIT - sent};t=60`);
  }
  for (const token of values) {
    const refused = await readKeys(client, token);
    assert.equal(refused.status, 429);
    assert.match(refused.body.error.message, /credentials of an account, with the keys of teams/);
  }
  const { headers } = await readKeys(client, theirs.body.value);
  assert.equal(headers["x-ratelimit-remaining"], String(LIMIT - 1), "another member answers for this key");
});

test("gates have a count of their own, which nothing else uses up, for all teams of who answers for their keys", async () => {
  const user = await createUser();
  const gates: { readonly path: string; readonly token: string }[] = [];
  const keys: string[] = [];
  for (const team of [await createTeam(user), await createTeam(user)]) {
    const scope = `?teamId=${team.id}`;
    // oxlint-disable no-await-in-loop -- one after another
    const put = await request("PUT", `/v1/security/firewall/config${scope}&projectId=shop`, {
      token: user.token,
      body: { firewallEnabled: true },
    });
    assert.equal(put.status, 200);
    const gate = await createKey(client, user.token, scope, { permissions: ["gate:connect"] });
    gates.push({ path: `/v1/gate/bundle${scope}&projectId=shop`, token: gate.body.value });
    keys.push((await createKey(client, user.token, scope)).body.value);
    // oxlint-enable no-await-in-loop
  }
  clock.advance(60_000);
  while ((await readKeys(client, keys[0] as string)).status === 200);
  for (let sent = 1; sent <= LIMIT; sent++) {
    const { path, token } = gates[sent % gates.length] as (typeof gates)[number];
    const { status, headers } = await request("GET", path, { token });
    assert.equal(status, 200);
    assert.equal(headers["ratelimit"], `"gate";r=${LIMIT - sent};t=60`);
  }
  for (const { path, token } of gates) {
    const refused = await request("GET", path, { token });
    assert.equal(refused.status, 429);
    assert.match(refused.body.error.message, /gates of an account, with those of teams/);
  }
});

test("wrong credentials from one IPv6 /64 network share one count, which the headers name", async () => {
  const guess = (ip: string) => request("GET", "/v2/user", { token: `guess_${"0".repeat(40)}`, ip });
  for (let sent = 1; sent <= LIMIT; sent++) {
    const { status, headers } = await guess(`2001:db8:0:7::${sent.toString(16)}`);
    assert.equal(status, 401);
    assert.equal(headers["ratelimit"], `"address";r=${LIMIT - sent};t=60`);
    assert.equal(headers["x-ratelimit-remaining"], String(LIMIT - sent));
  }
  const refused = await guess("2001:db8:0:7:ffff::1");
  assert.equal(refused.status, 429);
  assert.match(refused.body.error.message, /REEVE_RATE_LIMIT/);
  assert.equal((await guess("2001:db8:0:8::1")).status, 401);
});

test("wrong credentials are limited by address, and valid credentials from that address are not", async () => {
  const user = await createUser();
  const statuses: number[] = [];
  for (let guess = 0; guess <= LIMIT; guess++) {
    const token = `guess_${String(guess).padStart(40, "0")}`;
    statuses.push((await request("GET", "/v2/user", { token })).status);
  }
  assert.equal(statuses.filter((status) => status === 401).length, LIMIT);
  assert.equal(statuses.at(-1), 429);
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 200);
});
