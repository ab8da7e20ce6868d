import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { builtFile } from "../../../../test/harness/program.ts";
import { send, startOwnApp, startTestApp } from "../../../../test/harness/test-app.ts";
import type { TestApp } from "../../../../test/harness/test-app.ts";

const PAGE = "/console/sign-in?return=teams";

/** Where a page leads a browser that calls the server by `host`; null: it is shown. */
async function leadsTo({ app }: TestApp, host: string, headers: Record<string, string> = {}, path = PAGE, ip = "::1") {
  const response = await send(app, "GET", path, { token: null, ip, headers: { host, ...headers } });
  if (response.status !== 307) return null;
  return response.headers["location"];
}

// Pages of the console's app are there only with its files.
builtFile("console/index.html");
const local = await startTestApp();

test("a page that a number of this machine calls leads to localhost, with its path, its query and its port", async () => {
  assert.equal(await leadsTo(local, "127.0.0.1:4000"), `http://localhost:4000${PAGE}`);
  assert.equal(await leadsTo(local, "[::1]:9000"), `http://localhost:9000${PAGE}`, "a tunnel has a port of its own");
  assert.equal(await leadsTo(local, "0.0.0.0:4000"), `http://localhost:4000${PAGE}`);
  assert.equal(await leadsTo(local, "127.0.0.1"), `http://localhost${PAGE}`);
  for (const path of ["/console/", "/console/teams/acme", "/console/set-up?code=abc", "/docs/", "/docs/errors"]) {
    assert.equal(await leadsTo(local, "127.0.0.1:4000", {}, path), `http://localhost:4000${path}`);
  }
});

test("a page stays at localhost, and at names and numbers of which nobody knows another name", async () => {
  for (const host of ["localhost:4000", "reeve.localhost:4000", "192.168.1.5:4000", "reeve.lan", "127.0.0.2:4000"]) {
    assert.equal(await leadsTo(local, host), null, host);
  }
});

test("the API, scripts of pages, forms and the protocols of programs stay where they are called", async () => {
  const headers = { host: "127.0.0.1:4000" };
  const paths = ["/v2/user", "/health/live", "/openapi.json", "/console/passkeys.js", "/oauth/authorize?client_id=x"];
  for (const path of [...paths, "/.well-known/oauth-authorization-server"]) {
    const { status } = await send(local.app, "GET", path, { token: null, headers });
    assert.notEqual(status, 307, path);
  }
  const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
  for (const path of ["/console/sign-in", "/console/passkey-options"]) {
    assert.notEqual((await send(local.app, "POST", path, { token: null, headers: form, body: "name=a" })).status, 307);
  }
});

test("what leads to the approval of a program stays at the name that the program called", async () => {
  for (const path of ["authorize?request=abc", "sign-in?return=authorize%3Frequest%3Dabc"]) {
    assert.equal(await leadsTo(local, "127.0.0.1:4000", {}, `/console/${path}`), null, path);
  }
});

test("behind a proxy that nobody trusts, its own name for the server decides nothing", async () => {
  for (const name of ["x-forwarded-for", "x-real-ip", "via", "forwarded", "x-forwarded-host"]) {
    assert.equal(await leadsTo(local, "127.0.0.1:4000", { [name]: "192.0.2.1" }), null, name);
  }
  const { port } = new URL(await (await startOwnApp()).app.server.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(port), "127.0.0.1");
  socket.end(`GET ${PAGE} HTTP/1.0\r\nHost: 127.0.0.1:4000\r\n\r\n`);
  assert.match(await text(socket), /^HTTP\/1\.1 200 /);
});

test("with a public URL its name rules", async () => {
  const flags = { publicUrl: "https://reeve.example.com/base", trustedProxies: "10.0.0.1" };
  const published = await startOwnApp(flags);
  const own = `https://reeve.example.com/base${PAGE}`;
  for (const host of ["127.0.0.1:4000", "localhost:4000", "reeve.lan", "old.example.com:8443"]) {
    assert.equal(await leadsTo(published, host), own, host);
  }
  for (const host of ["reeve.example.com", "REEVE.example.com:8443"])
    assert.equal(await leadsTo(published, host), null);
  // A proxy that keeps the name, and one that passes it on.
  const proxied = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https" };
  assert.equal(await leadsTo(published, "old.example.com", proxied, PAGE, "10.0.0.1"), own);
  const named = { ...proxied, "x-forwarded-host": "reeve.example.com" };
  assert.equal(await leadsTo(published, "10.0.0.9:4000", named, PAGE, "10.0.0.1"), null);
});

test("a browser behind a proxy that names another host is not sent in circles", async () => {
  const published = await startOwnApp({ publicUrl: "https://reeve.example.com" });
  const { status, headers } = await send(published.app, "GET", PAGE, { token: null, headers: { host: "upstream" } });
  assert.equal(status, 307);
  const [cookie = ""] = [headers["set-cookie"] ?? []].flat();
  assert.match(cookie, /; HttpOnly/);
  assert.equal(await leadsTo(published, "upstream", { cookie: cookie.split(";")[0] as string }), null);
});

test("no host makes a location of another server", async () => {
  for (const host of ["127.0.0.1:4000@evil.example", "127.0.0.1:4000/..", "evil.example", "127.0.0.1:99999", ""]) {
    assert.equal(await leadsTo(local, host), null, host);
  }
});
