// What clients and applications may send that is no ordinary HTTP: the gate stays up, decides, and serves its own pages to nobody else.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createTcpServer, connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:http";
import { after, test } from "node:test";
import Fastify from "fastify";
import { createGate } from "../../src/gate/middleware.ts";
import { waitFor } from "../harness/wait-for.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { team } = world;
const onPath = (value: string) => ({ type: "path", op: "pre", value });
const deny = (name: string, ...conditions: object[]) => ({
  name,
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate: { action: "deny" } },
});
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    deny("No admin", onPath("/admin")),
    deny("No role", onPath("/api"), { type: "body", key: "role", op: "eq", value: "admin" }),
  ],
});
const hosts = [{ host: "*", team: team.slug, project }];
const application = await listenOn(echo);
const gate = await world.startGate({ hosts, upstream: application.url });

/** Sends bytes, and returns what comes until it matches, or the connection ends. */
async function sendBytes(url: string, bytes: string, until = /\r\n\r\n[^]/): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  after(() => socket.destroy());
  socket.on("error", () => undefined);
  let got = "";
  socket.on("data", (data: Buffer) => (got += data.toString("latin1")));
  socket.write(bytes);
  await waitFor("an answer", () => until.test(got) || socket.destroyed || socket.readableEnded);
  return got;
}

const head = (target: string, ...lines: string[]) =>
  [`GET ${target} HTTP/1.1`, "Host: shop.test", ...lines, "", ""].join("\r\n");
const UPGRADE = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];

test("an upgrade with a body is an ordinary request", async () => {
  for (const [more, begun] of [
    ["Content-Length: 2", "x"],
    ["Transfer-Encoding: chunked", "1\r\nx\r\n"],
  ] as const) {
    const socket = connect(Number(new URL(gate.url).port), "127.0.0.1");
    socket.write(head("/live", ...UPGRADE, more) + begun);
    // The rest of its body does not come.
    await once(application.server, "request");
    socket.destroy();
    assert.equal((await sendTo(gate.url, "/admin")).status, 403);
  }
});

test("a client that offers another protocol is answered over HTTP", async () => {
  for (const protocol of ["h2c", "TLS/1.0"]) {
    const lines = [
      "Connection: Upgrade, HTTP2-Settings",
      `Upgrade: ${protocol}`,
      "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
    ];
    const answer = await sendBytes(gate.url, head("/page", ...lines));
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(answer, /http2-settings/i);
    assert.match(await sendBytes(gate.url, head("/admin", ...lines)), /^HTTP\/1\.1 403 /);
  }
});

test("a gate that is the proxy answers no checks, and an upgrade of one reaches no application", async () => {
  const described = ["X-Forwarded-Method: GET", "X-Forwarded-Host: shop.test", "X-Forwarded-Uri: /admin"];
  for (const path of ["check", "refused", "check/admin"]) {
    const target = `/.well-known/reeve/${path}`;
    assert.match(await sendBytes(gate.url, head(target, ...described)), /^HTTP\/1\.1 404 /);
    assert.match(await sendBytes(gate.url, head(target, ...described, ...UPGRADE)), /^HTTP\/1\.1 404 /);
  }
});

test("health and metrics are for trusted clients, not for those of a trusted proxy", async () => {
  for (const name of ["health", "metrics"]) {
    const target = `/.well-known/reeve/${name}`;
    const statusOf = async (headers: object, path = target) => (await sendTo(gate.url, path, { headers })).status;
    assert.equal(await statusOf({}), 200);
    assert.equal(await statusOf({ "x-forwarded-for": "127.0.0.9" }), 200);
    assert.equal(await statusOf({ "x-forwarded-for": "203.0.113.9" }), 404);
    assert.equal(await statusOf({}, `${target}/x`), 404);
  }
});

/** An application that answers everything with these bytes. */
async function answering(bytes: string, end: (socket: Socket) => void = (socket) => socket.end()): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(bytes, "latin1");
      end(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a status line that cannot be sent on is not", async () => {
  for (const [line, status] of [
    ["404 No\x01", 404],
    ["050 Low", 502],
    ["000 x", 502],
  ] as const) {
    const upstream = await answering(`HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\nok`);
    const { url } = await world.startGate({ hosts, upstream });
    assert.equal((await sendTo(url, "/")).status, status, line);
    assert.equal((await sendTo(url, "/admin")).status, 403);
  }
});

test("a response that breaks off before its head is sent is 502, with nothing of it", async () => {
  const upstream = await answering("HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\nX-Of: app\r\n\r\nzz\r\n");
  const { url } = await world.startGate({ hosts, upstream });
  const answer = await sendBytes(url, head("/"));
  assert.match(answer, /^HTTP\/1\.1 502 Bad Gateway\r\n/);
  assert.doesNotMatch(answer, /transfer-encoding|x-of/i);
});

test("a client that stays after the refusal of an upgrade is cut off", async () => {
  const upstream = await answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno");
  const { url } = await world.startGate({ hosts, upstream });
  const client = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => undefined);
  client.write(head("/live", ...UPGRADE));
  const [data] = (await once(client, "data")) as [Buffer];
  assert.match(data.toString(), /^HTTP\/1\.1 200 /);
  await waitFor("the end of the connection", () => {
    client.write("x");
    return client.destroyed;
  });
});

test("an empty body that is sent in chunks ends for every application", async () => {
  const options = { server: world.server, key: world.key, team: team.slug, project };
  const own = createGate(options);
  await own.ready;
  after(() => own.close());
  const plain = createServer(own.node(echo)).listen(0, "127.0.0.1");
  await once(plain, "listening");
  after(() => {
    plain.close();
    plain.closeAllConnections();
  });
  const fastify = Fastify();
  await fastify.register(own.fastify);
  fastify.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  fastify.post("/*", (request) => ({ body: request.body }));
  await fastify.listen({ port: 0, host: "127.0.0.1" });
  after(() => fastify.close());
  for (const server of [plain, fastify.server]) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines = ["POST /api/x HTTP/1.1", "Host: shop.test", "Content-Type: text/plain", "Transfer-Encoding: chunked"];
    assert.match(
      await sendBytes(url, [...lines, "", "0", "", ""].join("\r\n"), /"body"/),
      /^HTTP\/1\.1 200 [\s\S]*"body":""/,
    );
    const sent = [...lines, "", "2", "ok", "0", "", ""].join("\r\n");
    assert.match(await sendBytes(url, sent, /"body"/), /^HTTP\/1\.1 200 [\s\S]*"body":"ok"/);
  }
});

test("a name that applications may read as another one does not reach them", async () => {
  const claimed = { X_Reeve_Decision: "bypass; id=mine", "X-Real_IP": "198.51.100.1", x_own: "1" };
  const { text } = await sendTo(gate.url, "/", { headers: claimed });
  const names = Object.keys(JSON.parse(text).headers);
  assert.deepEqual(
    names.filter((name) => name.includes("_")),
    [],
  );
  assert.ok(names.includes("x-reeve-decision"));
});

test("headers that rules cannot see do not reach the application from a stranger", async () => {
  const claims = {
    forwarded: "for=1",
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-host": "other.test",
    "x-forwarded-method": "GET",
    "x-forwarded-server": "s",
    "x-forwarded-uri": "/${jndi}",
    "x-original-method": "GET",
    "x-original-uri": "/${jndi}",
  };
  const options = { server: world.server, key: world.key, team: team.slug, project, trustedProxies: ["10.0.0.0/8"] };
  const own = createGate(options);
  await own.ready;
  after(() => own.close());
  const within = await listenOn(own.node(echo));
  const before = await world.startGate({ hosts, upstream: application.url, trustedProxies: ["10.0.0.0/8"] });
  for (const { url } of [within, before]) {
    const { text } = await sendTo(url, "/", { headers: claims });
    for (const value of Object.values(claims)) {
      if (value !== "GET") assert.ok(!JSON.stringify(JSON.parse(text).headers).includes(`"${value}"`), value);
    }
  }
});

test("a request that cannot be judged has a decision, which is counted", async () => {
  const answer = await sendBytes(gate.url, "GET / HTTP/1.1\r\nHost: bad host\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*x-reeve-decision: deny; reason=bad_request; id=\w+/i);
  assert.match(answer, /Expected a host name or an address in Host\./);
  const twice = await sendBytes(gate.url, "GET / HTTP/1.1\r\nHost: shop.test\r\nHost: other.test\r\n\r\n");
  assert.match(twice, /^HTTP\/1\.1 400 [\s\S]*reason=bad_request[\s\S]*Expected one Host header\./i);
  const none = await sendBytes(gate.url, "GET / HTTP/1.1\r\n\r\n");
  assert.match(none, /^HTTP\/1\.1 400 [\s\S]*reason=bad_request[\s\S]*Expected a host name or an address in Host\./i);
  const garbage = await sendBytes(gate.url, "\0 no request\r\n\r\n");
  assert.match(garbage, /^HTTP\/1\.1 400 [\s\S]*reason=bad_request[\s\S]*Expected an HTTP\/1\.1 request\./i);
  const tunnel = await sendBytes(gate.url, "CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test\r\n\r\n");
  assert.match(tunnel, /^HTTP\/1\.1 405 [\s\S]*reason=bad_request[\s\S]*Expected another method than CONNECT\./i);
  const expecting = "GET / HTTP/1.1\r\nHost: shop.test\r\nExpect: more\r\nConnection: close\r\n\r\n";
  assert.match(
    await sendBytes(gate.url, expecting),
    /^HTTP\/1\.1 417 [\s\S]*reason=bad_request[\s\S]*Expected no header Expect/i,
  );
  const { text } = await sendTo(gate.url, "/.well-known/reeve/metrics");
  assert.match(text, /reeve_gate_policies_total\{reason="bad_request"\} 6/);
});

test("as many headers as proxies pass on are read, and more are refused with a decision", async () => {
  const asked = await world.startGate({ hosts });
  const withHeaders = (count: number) =>
    `GET /.well-known/reeve/check/ HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n${`X-Large: ${"x".repeat(8_000)}\r\n`.repeat(count)}\r\n`;
  assert.match(await sendBytes(asked.url, withHeaders(7)), /^HTTP\/1\.1 204 /);
  assert.match(
    await sendBytes(asked.url, withHeaders(9)),
    /^HTTP\/1\.1 431 [\s\S]*x-reeve-decision: deny; reason=bad_request[\s\S]*Expected at most 64 KiB of headers\./i,
  );
});

test("a host without a project is said to the operator, once", async () => {
  const warned: object[] = [];
  const log = { info() {}, warn: (details: object) => void warned.push(details), error() {} };
  const own = await world.startGate(
    { hosts: [{ host: "shop.test", team: team.slug, project }], upstream: application.url },
    { log },
  );
  for (let at = 0; at < 3; at++)
    assert.equal((await sendTo(own.url, "/", { headers: { host: "other.test" } })).status, 403);
  const about = warned.filter((details) => (details as { host?: string }).host === "other.test");
  assert.deepEqual(about, [{ host: "other.test", setting: "REEVE_GATE_HOSTS" }]);
  const health = JSON.parse((await sendTo(own.url, "/.well-known/reeve/health")).text);
  assert.deepEqual(
    health.unknownHosts.map(({ host, requests }: { host: string; requests: number }) => [host, requests]),
    [["other.test", 3]],
  );
});

test("a body that takes too long to read has the outcome of the policy", async () => {
  const own = await world.startGate({ hosts, upstream: application.url, bodyLimit: 1_048_576 });
  const body = `<a>${"<b/>".repeat(200_000)}</a>`;
  const { status, headers } = await sendTo(own.url, "/api/x", {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body,
  });
  assert.equal(status, 403);
  assert.match(String(headers["x-reeve-decision"]), /reason=too_slow/);
});
