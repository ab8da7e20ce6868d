import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { readSettings } from "../config/config.ts";
import { DEFAULT_STORAGE_LIMITS, storageLimits } from "../../platform/kernel/settings/setting-values.ts";
import { instanceSettings } from "../config/instance-settings.ts";
import { createPasswordHashing } from "../../identity/sign-in/password-hashing.ts";
import { createIssuerKeys } from "../../identity/workload/exchange/issuer-keys.ts";
import { createWorkloadIdentity } from "../../identity/workload/exchange/workload-identity.ts";
import { createOAuth } from "../../identity/oauth-server/oauth.ts";
import { createProviderSignIn } from "../../identity/providers/provider-sign-in.ts";
import { openProviders } from "../../identity/providers/providers.ts";
import { createInvitations } from "../../teams/members/joining/invitations.ts";
import { createSignIn } from "../../identity/sign-in/sign-in.ts";
import { Metrics } from "../../platform/kernel/telemetry/metrics.ts";
import { pino } from "pino";
import { prose } from "../../platform/http/page-frame.ts";
import { html } from "../../platform/kernel/text/html.ts";
import { createDiskReserve } from "../../platform/http/limits/disk-reserve.ts";
import { createServer } from "./server.ts";

const { request, app, admin, clock, startAnother } = await startOwnApp();
const open = { token: null };

test("a server without the console has its pages without script, and none of its files", async () => {
  const { session } = await openSession({ app, clock }, admin);
  const headers = { cookie: `reeve=${session}` };
  const without = await startAnother({ console: "off" });
  try {
    const [asset = ""] =
      /assets\/[\w.-]+\.js/.exec((await app.server.inject({ url: "/console/", headers })).payload) ?? [];
    assert.notEqual(asset, "");
    assert.doesNotMatch((await without.server.inject({ url: "/console/", headers })).payload, /<script/);
    assert.equal((await app.server.inject({ url: `/console/${asset}` })).statusCode, 200);
    assert.equal((await without.server.inject({ url: `/console/${asset}` })).statusCode, 404);
  } finally {
    await without.close();
  }
});

test("an unchanged document responds with 304", async () => {
  const { headers } = await request("GET", "/openapi.json", open);
  const again = await request("GET", "/openapi.json", { ...open, headers: { "if-none-match": headers["etag"] ?? "" } });
  assert.equal(again.status, 304);
  assert.equal(again.text, "");
});

test("the root leads browsers to the console and names the document to programs", async () => {
  const ask = (url: string, accept?: string) =>
    request("GET", url, { ...open, headers: accept === undefined ? {} : { accept } });
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  for (const [url, accept, target, path] of [
    ["/", browser, "console/", "/reeve/console/"],
    ["/docs", browser, "docs/", "/reeve/docs/"],
    ["/docs", undefined, "docs/", "/reeve/docs/"],
  ] as const) {
    const { status, headers } = await ask(url, accept);
    assert.deepEqual([status, headers["location"]], [302, target]);
    assert.equal(new URL(target, `http://localhost/reeve${url}`).pathname, path);
  }
  for (const accept of [undefined, "*/*", "application/json", "application/json, text/html;q=0.9"]) {
    const { status, body } = await ask("/", accept);
    assert.deepEqual([status, body.error.code], [404, "not_found"], String(accept));
    assert.match(body.error.message, /GET \/openapi\.json/);
  }
  assert.equal((await request("POST", "/", open)).status, 404);
});

test("the document is compressed for clients that accept it", async () => {
  for (const url of ["/openapi.json", "/openapi.json?aliases=true"]) {
    const ask = async (encoding: string, tag = "") =>
      await app.server.inject({ url, headers: { "accept-encoding": encoding, "if-none-match": tag } });
    const [plain, compressed] = [await ask("gzip;q=0, br"), await ask("br, gzip")];
    assert.deepEqual(
      [plain, compressed].map(({ headers }) => [headers["content-encoding"], headers["vary"], headers["content-type"]]),
      [undefined, "gzip"].map((encoding) => [encoding, "accept-encoding", plain.headers["content-type"]]),
    );
    assert.equal(gunzipSync(compressed.rawPayload).toString("utf8"), plain.payload);
    assert.ok(compressed.rawPayload.length < plain.rawPayload.length / 4);
    // What is kept of the one is not taken for the other.
    const tag = String(compressed.headers["etag"]);
    assert.notEqual(tag, plain.headers["etag"]);
    assert.deepEqual([(await ask("gzip", tag)).statusCode, (await ask("", tag)).statusCode], [304, 200]);
  }
});

test("an Authorization of another form is refused with the problem and without repeating it", async () => {
  const alone = /: Authorization holds the credential alone; write Bearer and a space before it$/;
  const none = /: Authorization holds no credential; write it after Bearer and a space$/;
  const other = /: Authorization has another scheme; write Bearer, a space and the credential$/;
  const variable = /: Authorization holds the name of a variable instead of its value; in a shell, use double quotes/;
  for (const [authorization, message] of [
    ["Bearer $TOKEN", variable],
    ["$REEVE_TOKEN", variable],
    ["Bearer %TOKEN%", variable],
    ["Bearer {{token}}", variable],
    [`Bearer "${admin.token}"`, /: Authorization holds quotes or brackets; write the credential without them$/],
    [`Bearer <${admin.token}>`, /: Authorization holds quotes or brackets; write the credential without them$/],
    [`Bearer ${admin.token}\\n`, /: Authorization holds a line break as text; cut it off the credential$/],
    [`Bearer Bearer ${admin.token}`, /: Authorization has Bearer twice; write it once$/],
    [admin.token, alone],
    ["rvt_anything", alone],
    ["rvk_anything", alone],
    ["test_0123456789abcdef", alone],
    ["", none],
    ["Bearer", none],
    ["bearer ", none],
    ["Basic cnZ0Xw==", other],
    ["Token 0123456789abcdef", other],
    ["Bearer: 0123456789abcdef", other],
    [
      "Bearer 0123456789abcdef",
      /: the credential is unknown, expired, revoked, or may not be used from this address; sign in again, or make another one in the console$/,
    ],
    [
      "Bearer short",
      /: the credential is unknown, expired, revoked, or may not be used from this address; sign in again, or make another one in the console$/,
    ],
  ] as const) {
    const response = await request("GET", "/v2/user", { ...open, headers: { authorization } });
    const { status, body, text: shown, headers } = response;
    assert.deepEqual([status, body.error.code, body.error.invalidToken], [401, "not_authorized", true], authorization);
    assert.match(body.error.message, message, authorization);
    assert.equal(headers["www-authenticate"], "Bearer");
    const [sent = ""] = /\w{9,}.*/.exec(authorization) ?? [];
    assert.ok(sent === "" || !shown.includes(sent), shown);
  }
});

test("text in the reference can't become markup", () => {
  assert.equal(html`<p title="${'"x'}">${"<b>&'"}</p>`.text, '<p title="&quot;x">&lt;b&gt;&amp;&#39;</p>');
  assert.equal(html`${prose("say `<i>`")}`.text, "say <code>&lt;i&gt;</code>");
});

test("health and metrics need no credential, and metrics count responses by operation and status", async () => {
  assert.deepEqual((await request("GET", "/health/live", open)).body, { status: "live" });
  assert.equal((await request("GET", "/health/ready", open)).body.status, "ready");
  assert.equal((await request("GET", "/v2/user")).status, 200);
  assert.equal((await request("GET", "/v2/user", open)).status, 401);
  const { text: metrics } = await request("GET", "/metrics", open);
  const counted = (status: number) =>
    metrics.includes(`reeve_http_request_duration_seconds_count{operation="getCurrentUser",status="${status}"}`);
  assert.ok(counted(200) && counted(401));
  assert.match(metrics, /process_resident_memory_bytes \d/);
  assert.ok(!metrics.includes(admin.token));
});

test("a process that cannot serve is live but not ready, and names the failed checks", async () => {
  const parts = { ...app.runner, clock: Date.now, instance: instanceSettings(readSettings({}, {})) };
  const invitations = createInvitations(parts);
  const server = createServer({
    runner: app.runner,
    appFiles: null,
    documentation: null,
    findFailedChecks: async () => [
      { check: "store", code: "store_unreachable", advice: "see that it runs", isFatal: true },
      { check: "clock", code: "clock_skewed", advice: "set it", isFatal: false },
    ],
    operations: new Map(),
    clock: Date.now,
    logger: pino({ level: "silent" }),
    metrics: new Metrics(),
    tracing: null,
    rateLimit: 0,
    disk: createDiskReserve(null, 0, pino({ level: "silent" })),
    maxConnections: 10,
    signIn: createSignIn({
      ...parts,
      invitations,
      hashing: createPasswordHashing(),
      signUp: { kind: "invitation" },
      logFailure: assert.fail,
    }),
    providers: createProviderSignIn({
      ...parts,
      invitations,
      providers: openProviders({
        providers: [],
        publicUrl: "",
        logFailure: () => assert.fail(),
        logAbsence: () => assert.fail(),
      }),
    }),
    oauth: createOAuth({ ...app.runner, clock: Date.now, maxTokens: 1 }),
    identity: createWorkloadIdentity({
      ...app.runner,
      clock: Date.now,
      issuerKeys: createIssuerKeys({
        fetchDocument: async () => assert.fail(),
        rules: { allow: [], ports: [] },
        clock: Date.now,
      }),
      ownUrl: null,
    }),
    mailLinks: { find: async () => undefined, change: async () => undefined },
    instance: {
      ownUrl: null,
      hasMail: false,
      hasPasswords: true,
      providers: [],
      mailLimits: { user: 0, team: 0 },
      firewallCostLimit: 1,
      maxTokens: 1,
      storageLimits: storageLimits(DEFAULT_STORAGE_LIMITS),
      egress: { allow: [], ports: [] },
    },
    trustedProxies: null,
    publicUrl: "",
    corsOrigins: [],
    runEffect: async () => null,
    version: "0.0.0",
    heartbeatMs: 1_000,
  });
  assert.equal((await server.inject({ url: "/health/live" })).statusCode, 200);
  const ready = await server.inject({ url: "/health/ready" });
  assert.equal(ready.statusCode, 503);
  assert.deepEqual(ready.json(), {
    error: {
      code: "not_ready",
      message: "Not ready: store_unreachable",
      checks: { store: { code: "store_unreachable", advice: "see that it runs" } },
      requestId: ready.headers["x-request-id"],
      docs: "/docs/errors#not_ready",
    },
  });
});

test("while stopping, requests in flight are completed and readiness is refused", async () => {
  const other = await startAnother();
  await other.server.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((other.server.server.address() as AddressInfo).port, "127.0.0.1");
  const responses = text(socket);
  const body = JSON.stringify({ username: "late", email: "late@example.com" });
  const arrived = once(other.server.server, "request");
  socket.write(
    `POST /v1/users HTTP/1.1\r\nHost: reeve\r\nAuthorization: Bearer ${admin.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await arrived;
  const closed = other.close();
  socket.write(`${body}GET /health/ready HTTP/1.1\r\nHost: reeve\r\n\r\n`);
  const [, first, second] = (await responses).split("HTTP/1.1 ");
  assert.match(first ?? "", /^200 /);
  assert.match(second ?? "", /^503 [^]*"shutting_down"/);
  await closed;
});
