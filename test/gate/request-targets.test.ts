// Targets of requests that are no path: a whole URL, whose host wins over `Host`, and the server as a whole, on every way.
import assert from "node:assert/strict";
import type { IncomingMessage, RequestListener } from "node:http";
import { after, test } from "node:test";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { createGate } from "../../src/gate/middleware.ts";
import { listenerOf } from "./fetch-listener.ts";
import { SILENT, listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import { say, takeWebSockets, upgrade } from "./web-socket.ts";

const world = await startGateWorld();
const { team } = world;
const deny = (name: string, condition: object) => ({
  name,
  active: true,
  conditionGroup: [{ conditions: [condition] }],
  action: { mitigate: { action: "deny" } },
});
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    deny("No host", { type: "host", op: "eq", value: "admin.test" }),
    deny("No address", { type: "host", op: "eq", value: "127.0.0.1" }),
    deny("No path", { type: "path", op: "pre", value: "/admin" }),
  ],
});
const hosts = [{ host: "*", team: team.slug, project }];
const gate = createGate({ server: world.server, key: world.key, team: team.slug, project, log: SILENT });
await gate.ready;
after(() => gate.close());

const seenBy = ({ headers, url, method }: IncomingMessage) => ({ host: headers.host, url, method });
const application: RequestListener = (message, res) => void res.end(JSON.stringify(seenBy(message)));
const hono = new Hono();
hono.all("*", (context) => {
  const { host, pathname, search } = new URL(context.req.url);
  const named = context.req.header("host");
  return context.json({ host: named === host ? host : `${named} and ${host}`, url: pathname + search });
});
const fastify = Fastify();
await fastify.register(gate.fastify);
fastify.all("/*", (request) => seenBy(request.raw));
fastify.route({
  method: "GET",
  url: "/x",
  constraints: { host: "private.test" },
  handler: () => ({ host: "private.test" }),
});
const fastifyUrl = await fastify.listen({ port: 0, host: "127.0.0.1" });
after(() => fastify.close());

const behind = await listenOn(application);
takeWebSockets(behind.server);
const proxy = await world.startGate({ hosts, upstream: behind.url });
const WAYS = {
  "proxy mode": proxy.url,
  "node:http": (await listenOn(gate.node(application))).url,
  Express: (await listenOn(express().use(gate.express(), application))).url,
  Fastify: fastifyUrl,
  "Hono on the gate's node:http": (await listenOn(gate.node(listenerOf(hono.fetch)))).url,
  "web-standard requests": (await listenOn(listenerOf(gate.fetch(hono.fetch as (request: Request) => Response)))).url,
} as const;

for (const [way, base] of Object.entries(WAYS)) {
  const send = (target: string, host = "shop.test", method = "GET") =>
    sendTo(base, target, { method, headers: { host } });

  test(`${way}: a whole URL is taken as its path and its host`, async () => {
    for (const [target, url] of [
      ["http://shop.test/ok?a=1", "/ok?a=1"],
      // The server of Hono takes small letters alone.
      [way === "web-standard requests" ? "http://SHOP.test/ok" : "HTTP://shop.test/ok", "/ok"],
      ["https://shop.test/ok", "/ok"],
      ["http://shop.test", "/"],
      ["http://shop.test?a=1", "/?a=1"],
    ] as const) {
      const { status, text } = await send(target);
      assert.deepEqual([target, status], [target, 200]);
      const { host, url: seen } = JSON.parse(text) as { host: string; url: string };
      assert.deepEqual([target, host, seen], [target, "shop.test", url]);
    }
    assert.equal((await send("http://shop.test/admin")).status, 403);
    assert.equal((await send("http://admin.test/ok", "admin.test")).status, 403);
  });

  test(`${way}: no host of a request is one that the gate has not decided on`, async () => {
    for (const [target, host] of [
      ["http://admin.test/ok", "shop.test"],
      ["http://shop.test/ok", "admin.test"],
      ["http://shop.test:80/ok", "admin.test"],
    ] as const) {
      const { status, text } = await send(target, host);
      if (status === 200) assert.doesNotMatch(text, /admin\.test/, target);
      else assert.ok(status === 403 || status === 400, `${target}: ${status}`);
    }
  });

  test(`${way}: a host is refused that URLs spell otherwise`, async () => {
    for (const host of [
      "adm%69n.test",
      "admin%2etest",
      "%61dmin.test:80",
      "ad%C2%ADmin.test",
      "%EF%BD%81dmin.test",
      "adm\u00ecn.test",
      "127.1",
      "127.0.0.1.",
      "0x7f.1",
      "0177.0.0.1:80",
      "2130706433",
      "shop~.test",
    ]) {
      assert.deepEqual([host, (await send("/ok", host)).status], [host, 400]);
    }
    for (const host of [
      "SHOP.test",
      "shop.test.",
      "shop.test:80",
      "my_shop.test",
      "10.0.0.1",
      "[::1]:8080",
      "3com.1a",
    ]) {
      assert.deepEqual([host, (await send("/ok", host)).status], [host, 200]);
    }
    for (const host of ["admin.test", "ADMIN.test:80", "admin.test.", "127.0.0.1"]) {
      assert.deepEqual([host, (await send("/ok", host)).status], [host, 403]);
    }
  });

  test(`${way}: what names no host is refused`, async () => {
    for (const target of [
      "ftp://shop.test/ok",
      "ws://shop.test/ok",
      "http://user@shop.test/ok",
      "http://user:password@shop.test/ok",
      "http:///ok",
      "http://",
      "http:/ok",
      "http://shop.test\\@admin.test/ok",
      "http://shop.test#/ok",
      "ok",
    ]) {
      // The server of Hono reads it as `http://ok/`, for the gate and for the application.
      if (way === "web-standard requests" && target === "http:///ok") continue;
      const { status } = await send(target);
      // Express itself finds nothing there.
      const expected = way === "Express" && target === "http://" ? 404 : 400;
      assert.deepEqual([target, status], [target, expected]);
    }
  });
}

test("the server as a whole is asked as it was, and decided on as all its paths", async () => {
  for (const base of [WAYS["proxy mode"], WAYS["node:http"]]) {
    for (const target of ["*", "http://shop.test"]) {
      const { status, text } = await sendTo(base, target, { method: "OPTIONS", headers: { host: "shop.test" } });
      assert.deepEqual([status, JSON.parse(text)], [200, { host: "shop.test", url: "*", method: "OPTIONS" }]);
    }
    assert.equal((await sendTo(base, "*", { method: "OPTIONS", headers: { host: "admin.test" } })).status, 403);
    assert.equal((await sendTo(base, "*", { method: "GET", headers: { host: "shop.test" } })).status, 400);
  }
});

test("below a prefix of Express the path is whole, for the gate and for the application", async () => {
  const router = express.Router().use(gate.express(), (message, res) => {
    res.json({ url: message.url, baseUrl: message.baseUrl, path: message.path });
  });
  const { url } = await listenOn(express().use("/shop", router).use("/admin", router));
  const asked = async (target: string) => await sendTo(url, target, { headers: { host: "shop.test" } });
  const { path, baseUrl } = JSON.parse((await asked("http://shop.test/shop/a/b?c=1")).text);
  assert.deepEqual([baseUrl, path], ["/shop", "/a/b"]);
  assert.equal((await asked("http://shop.test/admin/a")).status, 403);
});

test("in Fastify, which has chosen a route by Host, a whole URL of another host is refused", async () => {
  const { status, text } = await sendTo(WAYS.Fastify, "http://shop.test/x", { headers: { host: "private.test" } });
  assert.deepEqual([status, text.startsWith("Expected ")], [400, true]);
  const same = await sendTo(WAYS.Fastify, "http://private.test/x", { headers: { host: "private.test" } });
  assert.deepEqual(JSON.parse(same.text), { host: "private.test" });
});

test("pages of the gate itself are the same by a whole URL", async () => {
  const health = await sendTo(proxy.url, "http://shop.test/.well-known/reeve/health", { headers: { host: "x" } });
  assert.ok(JSON.parse(health.text).projects);
  const check = await sendTo(proxy.url, "http://shop.test/.well-known/reeve/check/ok", { headers: { host: "x" } });
  assert.equal(check.status, 404);
  const challenge = await sendTo(proxy.url, "http://shop.test/.well-known/reeve/challenge/nothing");
  assert.equal(challenge.status, 404);
  assert.ok(!challenge.text.includes('"url"'), "it does not reach the application");
});

test("a WebSocket is asked for by a whole URL too", async () => {
  const { socket, head } = await upgrade(proxy.url, "http://shop.test/live");
  assert.match(head, /^HTTP\/1\.1 101 /);
  assert.equal(await say(socket, "hello"), "allow:hello");
  for (const target of ["http://shop.test/admin", "http://admin.test/live"]) {
    assert.match((await upgrade(proxy.url, target)).head, /^HTTP\/1\.1 403 /);
  }
  for (const target of ["ws://shop.test/live", "http://a@shop.test/live"]) {
    assert.match((await upgrade(proxy.url, target)).head, /^HTTP\/1\.1 400 /);
  }
});
