// OPTIONS says what a path knows, and what pages of named origins may send; without the setting no response names any origin.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "../../src/serve/config/config.ts";
import { startOwnApp, startTestApp } from "../harness/test-app.ts";

const NAMED = "https://app.example.com";
const PREFLIGHT = {
  origin: NAMED,
  "access-control-request-method": "PATCH",
  "access-control-request-headers": "authorization,content-type",
};
const usual = await startTestApp();
const shared = await startOwnApp({ corsOrigins: `${NAMED},http://localhost:5173` });

const named = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name === "vary" || name.startsWith("access-control-")));

test("OPTIONS of a path has its methods and needs no credential", async () => {
  for (const { request } of [usual, shared]) {
    const { status, headers, text } = await request("OPTIONS", "/v2/teams/team_1", { token: null });
    assert.deepEqual([status, text, headers["allow"]], [204, "", "GET, PATCH, DELETE, HEAD, OPTIONS"]);
    const posted = await request("OPTIONS", "/v1/teams/join", { token: null, body: { any: "body" } });
    assert.deepEqual([posted.status, posted.headers["allow"]], [204, "POST, OPTIONS"]);
    assert.equal((await request("OPTIONS", "/absent", { token: null })).status, 404);
  }
});

test("without the setting nothing is shared", async () => {
  const asked = await usual.request("OPTIONS", "/v2/teams/team_1", { token: null, headers: PREFLIGHT });
  assert.deepEqual([asked.status, named(asked.headers)], [204, {}]);
  assert.deepEqual(named((await usual.request("GET", "/v2/user", { headers: { origin: NAMED } })).headers), {});
});

test("a preflight of a named origin is answered with the methods and headers that it asks for", async () => {
  const { status, headers } = await shared.request("OPTIONS", "/v2/teams/team_1", { token: null, headers: PREFLIGHT });
  const { "access-control-expose-headers": exposed, ...others } = named(headers);
  assert.equal(status, 204);
  assert.match(exposed ?? "", /\bX-Request-Id\b/);
  assert.deepEqual(others, {
    vary: "origin, access-control-request-method, access-control-request-headers",
    "access-control-allow-origin": NAMED,
    "access-control-allow-methods": "GET, PATCH, DELETE, HEAD, OPTIONS",
    "access-control-allow-headers": "authorization,content-type",
    "access-control-max-age": "7200",
  });
});

test("any other origin gets no more than that responses depend on it", async () => {
  for (const origin of [
    "https://app.example.com.evil.example",
    "https://app.example.com:8443",
    "http://app.example.com",
    "null",
  ]) {
    const headers = { ...PREFLIGHT, origin };
    const asked = await shared.request("OPTIONS", "/v2/teams/team_1", { token: null, headers });
    assert.deepEqual(named(asked.headers), { vary: "origin" }, origin);
    const read = await shared.request("GET", "/v2/user", { headers: { origin } });
    assert.deepEqual([read.status, named(read.headers)], [200, { vary: "origin" }], origin);
  }
});

test("a page of a named origin may read responses, refusals too, and none that a cookie got", async () => {
  const headers = { origin: "http://localhost:5173" };
  for (const [method, url, token] of [
    ["GET", "/v2/user", undefined],
    ["GET", "/v2/teams/absent", undefined],
    ["GET", "/v2/user", null],
    ["DELETE", "/v2/user", null],
    ["PUT", "/v2/user", null],
  ] as const) {
    const response = await shared.request(method, url, { headers, ...(token === null && { token }) });
    assert.equal(response.headers["access-control-allow-origin"], headers.origin, `${method} ${url}`);
    assert.equal(response.headers["access-control-allow-credentials"], undefined);
  }
});

test("the setting takes origins alone", () => {
  const read = (REEVE_CORS_ORIGINS: string) => readSettings({}, { REEVE_CORS_ORIGINS }).corsOrigins;
  assert.deepEqual(read("https://a.example.com, http://localhost:5173"), [
    "https://a.example.com",
    "http://localhost:5173",
  ]);
  assert.equal(readSettings({}, {}).corsOrigins, null);
  for (const wrong of [
    "*",
    "null",
    "https://a.example.com/",
    "https://a.example.com/x",
    "a.example.com",
    "https://A.example.com",
    "file:///x",
    "https://a.example.com:443",
  ]) {
    assert.throws(
      () => read(wrong),
      /REEVE_CORS_ORIGINS: expected origins such as https:\/\/app\.acme\.com, without a path/,
      wrong,
    );
  }
});
