// The addresses of the authorization server, and its errors when the store fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, startTestApp } from "../../../test/harness/test-app.ts";
import { createOAuthClient, form } from "../../../test/sign-in/oauth-client.ts";

const METADATA = "/.well-known/oauth-authorization-server";
const DEVICE = "/oauth/device_authorization";

test("the metadata names the issuer and every endpoint that there is", async () => {
  const { request } = await startTestApp();
  const { status, body } = await request("GET", METADATA, { token: null, headers: { host: "127.0.0.1:4000" } });
  assert.equal(status, 200);
  assert.equal(body.issuer, "http://127.0.0.1:4000");
  const endpoints = Object.entries(body).filter(([name]) => name.endsWith("_endpoint"));
  assert.deepEqual(endpoints.map(([name]) => name).toSorted(), [
    "authorization_endpoint",
    "device_authorization_endpoint",
    "introspection_endpoint",
    "revocation_endpoint",
    "token_endpoint",
  ]);
  for (const [name, url] of endpoints) {
    assert.ok(String(url).startsWith("http://127.0.0.1:4000/oauth/"));
    const { pathname } = new URL(String(url));
    const asked = form({ client_id: "nobody" });
    const { body: refusal } = await (name === "authorization_endpoint"
      ? request("GET", `${pathname}?client_id=nobody`, { token: null })
      : request("POST", pathname, asked));
    assert.equal(refusal.error, "invalid_client");
  }
  assert.equal((await request("GET", `${METADATA}/other`, { token: null })).status, 404);
});

test("a public URL is the issuer, whatever a client calls the server, and clients insert its path", async () => {
  const client = await startOwnApp({ publicUrl: "https://example.com/reeve" });
  const { request } = client;
  for (const path of [METADATA, `${METADATA}/reeve`]) {
    const { body } = await request("GET", path, { token: null, headers: { host: "evil.example" } });
    assert.deepEqual(
      [body.issuer, body.token_endpoint],
      ["https://example.com/reeve", "https://example.com/reeve/oauth/token"],
    );
  }
  const { post } = createOAuthClient(client);
  const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" };
  const { body } = await post(DEVICE, {}, { headers });
  assert.equal(body.verification_uri, "https://example.com/reeve/console/device");
});

test("without a public URL, only this machine is served", async () => {
  const { request } = await startTestApp();
  for (const host of ["localhost", "localhost:4000", "127.0.0.1", "127.1.2.3:1", "[::1]:4000"]) {
    const { body } = await request("GET", METADATA, { token: null, headers: { host } });
    assert.equal(body.issuer, `http://${host}`);
  }
  for (const host of ["example.com", "localhost.example.com", "10.0.0.1:4000", "127.0.0.1.example.com"]) {
    const answers = [
      await request("GET", METADATA, { token: null, headers: { host } }),
      await request("POST", DEVICE, { ...form({ client_id: "reeve-cli" }), headers: { host } }),
    ];
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.error], [400, "invalid_request"], host);
      assert.match(body.error_description, /REEVE_PUBLIC_URL/);
    }
  }
});

test("a request comes from the address that the trusted proxies tell, and from no other", async () => {
  const client = await startOwnApp({ trustedProxies: "10.0.0.0/8" });
  const { begin } = createOAuthClient(client);
  const headers = { "x-forwarded-for": "198.51.100.9" };
  await begin({}, { ip: "10.1.1.1", headers });
  await begin({}, { ip: "192.0.2.1", headers });
  const rows = await client.query("select address from oauth_records order by address");
  assert.deepEqual(
    rows.map(({ address }) => address),
    ["192.0.2.0/24 192.0.2.1", "198.51.100.0/24 198.51.100.9"],
  );
});

test("a failure of the store is no refusal of the protocol, and is logged", async () => {
  const lines: string[] = [];
  const client = await startOwnApp({}, (line) => lines.push(line));
  const { begin, post } = createOAuthClient(client);
  await begin();
  await client.query("alter table oauth_records rename to gone");
  const { status, body, headers } = await post(DEVICE, {});
  assert.deepEqual([status, body.error], [500, "server_error"]);
  assert.ok(body.error_description.includes(headers["x-request-id"]));
  assert.ok(lines.some((line) => line.includes("request failed") && line.includes("oauth_records")));
});

test("requests of programs count for their address, before their form has come", async () => {
  const client = await startOwnApp({ rateLimit: "3" });
  const { request } = client;
  const paths = ["/oauth/token", "/oauth/introspect", "/oauth/revoke", DEVICE, "/v1/identity/exchange"];
  const ask = (path: string, ip: string) => request("POST", path, { ...form({ client_id: "nobody" }), ip });
  for (const [at, path] of paths.entries()) {
    const ip = (host: number) => `2001:db8:${at + 1}::${host}`;
    for (let sent = 1; sent <= 3; sent++) assert.notEqual((await ask(path, ip(sent))).status, 429, path);
    const { status, headers, body } = await ask(path, ip(4));
    assert.deepEqual([status, headers["retry-after"], body.error], [429, "60", "temporarily_unavailable"], path);
    assert.match(body.error_description, /REEVE_RATE_LIMIT/);
    assert.notEqual((await ask(path, "2001:db8:99::1")).status, 429, "another address");
    client.clock.advance(60_000);
  }
});
