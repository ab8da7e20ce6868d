// Rules that decide by bodies, in each way that sees them: what is read reaches the application whole, and what cannot be read has the
// outcome of the policy.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { createGate } from "../../src/gate/middleware.ts";
import { listenerOf } from "./fetch-listener.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { team } = world;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const rule = (name: string, mitigate: object, ...conditions: object[]) => ({
  name,
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate },
});
const onPath = (value: string) => ({ type: "path", op: "pre", value });
const CONFIGURATION = {
  firewallEnabled: true,
  rules: [
    rule("role", { action: "deny" }, onPath("/api"), { type: "body", key: "user.role", op: "eq", value: "admin" }),
    rule("script", { action: "deny" }, onPath("/api"), { type: "body", key: "*", op: "sub", value: "<script" }),
  ],
};
const project = await world.newProject(CONFIGURATION);
const hosts = [{ host: "*", team: team.slug, project }];
const application = await listenOn(echo);

const options = { server: world.server, key: world.key, team: team.slug, project, trustedProxies: [] as string[] };
const gate = createGate(options);
await gate.ready;
after(() => gate.close());

const parsing = express();
parsing.use(gate.express());
parsing.use(express.json({ limit: "1mb" }), express.urlencoded(), express.text({ type: "*/*", limit: "1mb" }));
parsing.use((message, res) => void res.json({ body: message.body }));
const fastify = Fastify({ bodyLimit: 1_048_576 });
fastify.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
await fastify.register(gate.fastify);
fastify.all("/*", (request) => ({ body: request.body }));
await fastify.ready();
after(() => fastify.close());
const web = gate.fetch(async (request: Request) => Response.json({ body: await request.text() }));
const hono = new Hono();
hono.all("*", async (context) => context.json({ body: await context.req.text() }));

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly decision: string;
}
type Send = (path: string, type: string, body: string, more?: object) => Promise<Sent>;

const overHttp =
  (url: string): Send =>
  async (path, type, body, more = {}) => {
    const headers = { "content-type": type, ...more };
    const { status, text, headers: got } = await sendTo(url, path, { method: "POST", headers, body });
    return { status, text, decision: String(got["x-reeve-decision"]) };
  };

const nodeServer = createServer(gate.node(echo));
nodeServer.listen(0, "127.0.0.1");
await once(nodeServer, "listening");
after(() => void nodeServer.close());
await fastify.listen({ port: 0, host: "127.0.0.1" });
const proxy = await world.startGate({ hosts, upstream: application.url });

const WAYS: Readonly<Record<string, Send>> = {
  proxy: overHttp(proxy.url),
  "node:http": overHttp(`http://127.0.0.1:${(nodeServer.address() as AddressInfo).port}`),
  Express: overHttp((await listenOn(parsing)).url),
  Fastify: overHttp(`http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`),
  "Hono on the gate's node:http": overHttp((await listenOn(gate.node(listenerOf(hono.fetch)))).url),
  async fetch(path, type, body, more = {}) {
    const headers = { "content-type": type, ...more } as Record<string, string>;
    const response = await web(new Request(`http://shop.test${path}`, { method: "POST", headers, body }));
    return {
      status: response.status,
      text: await response.text(),
      decision: String(response.headers.get("x-reeve-decision")),
    };
  },
};

for (const [way, send] of Object.entries(WAYS)) {
  test(`${way}: bodies are decided by, however they are written, and reach the application whole`, async () => {
    const denied = [
      [JSON_TYPE, '{"user":{"role":"admin"}}'],
      [JSON_TYPE, String.raw`{"user":{"r\u006fle":"\u0061dmin"}}`],
      [JSON_TYPE, '{"user":{"role":"guest","role":"admin"}}'],
      [FORM_TYPE, "a=1&user.role=%61dmin"],
      [FORM_TYPE, "comment=%3Cscript%3E"],
      ["text/xml", "<c><user><role>x</role></user><t>&#x3c;script</t></c>"],
      ["text/plain", "<SCRIPT>"],
    ] as const;
    for (const [type, body] of denied) assert.equal((await send("/api/x", type, body)).status, 403, `${type} ${body}`);
    const allowed = [
      [JSON_TYPE, '{"user":{"role":"guest"}}'],
      [FORM_TYPE, "user.role=guest&comment=%3Cb%3E"],
      ["text/plain", "x".repeat(60_000)],
    ] as const;
    for (const [type, body] of allowed) {
      const { status, text } = await send("/api/x", type, body);
      assert.equal(status, 200, body.slice(0, 40));
      // Frameworks have parsed it, and others show it as it came.
      const shown = JSON.parse(text).body as unknown;
      const written = typeof shown === "string" ? shown : JSON.stringify(shown);
      assert.ok(written === body || type === FORM_TYPE, written.slice(0, 60));
      if (type === FORM_TYPE) assert.match(written, /guest/);
    }
  });

  test(`${way}: bodies that cannot be read are refused where a rule reads them, and nowhere else`, async () => {
    const unread = [
      ["body_too_large", "text/plain", "x".repeat(70_000)],
      ["body_undecodable", JSON_TYPE, "{a:1}"],
      ["body_nul", FORM_TYPE, "a=%00"],
    ] as const;
    for (const [reason, type, body] of unread) {
      const { status, decision } = await send("/api/x", type, body);
      assert.equal(status, 403, reason);
      assert.match(decision, new RegExp(`^deny; version=1; reason=${reason}; id=`));
    }
    const upload = await send("/upload", "text/plain", "x".repeat(70_000));
    assert.equal(upload.status, 200);
    assert.equal((JSON.parse(upload.text).body as string).length, 70_000);
    assert.equal((await send("/upload", "text/plain", "<script>")).status, 200);
  });
}

test("the rule of the docs leaves raw uploads out, and reads every other body", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/firewall.md"), "utf8");
  const [, example = ""] = /```json\n(\{\n {2}"name": "No scripts in bodies[^]*?)```/.exec(page) ?? [];
  const rules = [JSON.parse(example) as object];
  const uploads = await world.startGate({
    hosts: [{ host: "*", team: team.slug, project: await world.newProject({ firewallEnabled: true, rules }) }],
    upstream: application.url,
  });
  for (const type of ["application/octet-stream", "image/png", "application/pdf"]) {
    const statusOf = async (path: string, body: Buffer) => {
      const request = { method: "PUT", headers: { "content-type": type }, body };
      return (await sendTo(uploads.url, path, request)).status;
    };
    const file = Buffer.from("\x89PNG\r\n\x1a\n\0<script", "latin1");
    assert.equal(await statusOf("/uploads/photo.png", file), 200, type);
    assert.equal(await statusOf("/photos/photo.png", file), 403, type);
    assert.equal(await statusOf("/photos/text", Buffer.from("plain text")), 200, type);
  }
});

test("a handler that makes a Request of what the gate has read gets the whole body", async () => {
  const stream = async (request: Request) => new Response(request.body);
  // What is shown is that bodies arrive, also on a machine on which decisions take too long.
  const patient = createGate({ ...options, whenError: "open" });
  await patient.ready;
  for (const handle of [hono.fetch, stream]) {
    const { url } = await listenOn(patient.node(listenerOf(handle)));
    for (const size of [0, 1, 60_000]) {
      for (const body of ["x".repeat(size), new Blob(["x".repeat(size)]).stream()]) {
        const headers = { "content-type": "text/plain" };
        const response = await fetch(`${url}/api/x`, { method: "POST", headers, body, duplex: "half" });
        const text = await response.text();
        const got = handle === stream ? text : (JSON.parse(text) as { body: string }).body;
        assert.deepEqual([size, typeof body, response.status, got.length], [size, typeof body, 200, size]);
      }
    }
  }
  await patient.close();
});

test("with the policy open, or only detecting, such a request reaches the application with its body", async () => {
  const open = await world.startGate({ hosts, upstream: application.url, whenBodyUnread: "open" });
  const detecting = await world.startGate({ hosts, upstream: application.url, detectOnly: ["all"] });
  const large = "x".repeat(200_000);
  for (const [{ url }, expected] of [
    [open, /^allow; version=1; reason=body_too_large; id=/],
    [detecting, /^allow; version=1; reason=body_too_large; would=deny; id=/],
  ] as const) {
    const { status, text } = await overHttp(url)("/api/x", "text/plain", large);
    const seen = JSON.parse(text) as { body: string; headers: Record<string, string> };
    assert.deepEqual([status, seen.body.length], [200, large.length]);
    assert.match(seen.headers["x-reeve-decision"] ?? "", expected);
  }
});

test("rules that only log, or are only watched, refuse nothing because they cannot read a body", async () => {
  const onBody = { type: "body", op: "eq", key: "role", value: "admin" };
  const rateLimit = { algo: "fixed_window", window: 60, limit: 1, keys: ["host"], action: "log" };
  const rules = [
    rule("logs", { action: "log" }, onBody),
    rule("counts", { action: "rate_limit", rateLimit }, onBody),
    rule("watched", { action: "deny" }, onBody),
    rule("denies", { action: "deny" }, onPath("/api"), onBody),
  ];
  const logging = await world.newProject({ firewallEnabled: true, rules });
  const active = await world.request("GET", `/v1/firewalls/active?teamId=${world.team.id}&projectId=${logging}`, {
    token: world.user.token,
  });
  const watched = active.body.rules.find(({ name }: { name: string }) => name === "watched").id as string;
  const here = [{ host: "*", team: world.team.slug, project: logging }];
  const { url } = await world.startGate({ hosts: here, upstream: application.url, detectOnly: [watched] });
  const send = overHttp(url);
  const large = await send("/upload", "text/plain", "x".repeat(70_000));
  const seen = JSON.parse(large.text) as { body: string; headers: Record<string, string> };
  assert.deepEqual([large.status, seen.body.length], [200, 70_000]);
  assert.match(seen.headers["x-reeve-decision"] ?? "", /^allow; version=1; reason=body_too_large; id=/);
  assert.equal((await send("/upload", JSON_TYPE, "{a:1}")).status, 200);
  assert.match(
    JSON.parse((await send("/upload", JSON_TYPE, '{"role":"admin"}')).text).headers["x-reeve-decision"],
    /would=deny/,
  );
  const { status, decision } = await send("/api/x", JSON_TYPE, "{a:1}");
  assert.equal(status, 403);
  assert.match(decision, /^deny; version=1; reason=body_undecodable; id=/);
});

test("forward authentication sees no bodies, so rules that read them do not match", async () => {
  const { url } = await world.startGate({ hosts });
  const headers = {
    "x-forwarded-method": "POST",
    "x-forwarded-host": "shop.test",
    "x-forwarded-uri": "/api/x",
    "content-type": JSON_TYPE,
  };
  assert.equal((await sendTo(url, "/.well-known/reeve/check", { headers })).status, 204);
});

test("a condition on the body without a key is told what the key is", async () => {
  const keyless = rule("keyless", { action: "deny" }, onPath("/api"), { type: "body", op: "ex" });
  await assert.rejects(
    world.publish(project, { firewallEnabled: true, rules: [keyless] }),
    /a value of the body, or \* for all/,
  );
});

test("a header of a body that is sent twice is read as both say", async () => {
  for (const more of [{ "content-encoding": ["identity", "gzip"] }, { "content-type": ["text/plain", JSON_TYPE] }]) {
    const { status, decision } = await (WAYS.proxy as Send)("/api", JSON_TYPE, "{}", more);
    assert.equal(status, 403);
    assert.match(decision, /reason=body_undecodable/);
  }
});
