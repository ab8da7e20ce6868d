// Every way in front of an application decides the requests of the corpus alike, and as `evaluate` predicts.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { serve } from "@hono/node-server";
import type { HttpBindings } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { createGate } from "../../src/gate/middleware.ts";
import type { ApplicationGate } from "../../src/gate/middleware.ts";
import { STATUS, expectDecisions } from "./alike.ts";
import type { AssertAlike } from "./alike.ts";
import { CONFIGURATION, REQUESTS } from "./corpus.ts";
import type { CorpusRequest } from "./corpus.ts";
import { SILENT, echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { key, server, team } = world;

let project: string;
let assertLike: AssertAlike;

before(async () => {
  project = await world.newProject(CONFIGURATION);
  assertLike = await expectDecisions(world, project);
});

const hosts = () => [{ host: "*", team: team.slug, project }];

const asSent = ({ headers, host }: CorpusRequest) => ({ ...headers, host });
const CHECK = "/.well-known/reeve/check";
const CHECKED = { ...STATUS, allow: 204, bypass: 204 };

describe("the endpoint that proxies ask", () => {
  // The headers that ForwardAuth is documented to send: https://doc.traefik.io/traefik/middlewares/http/forwardauth/
  it("decides by the headers of Traefik", async () => {
    const { url } = await world.startGate({ hosts: hosts() });
    await assertLike(async (request) => {
      const { method, target, host, ip, headers } = request;
      const forwarded = {
        "x-forwarded-method": method,
        "x-forwarded-proto": "http",
        "x-forwarded-host": host,
        "x-forwarded-uri": target,
      };
      return await sendTo(url, CHECK, {
        headers: { ...headers, host: "gate:4080", ...forwarded, "x-forwarded-for": ip },
      });
    }, CHECKED);
  });

  it("decides by the headers of nginx, and answers as nginx understands", async () => {
    const { url } = await world.startGate({ hosts: hosts() });
    const statuses = { ...CHECKED, challenge: 401, rate_limit: 403, redirect: 403 };
    await assertLike(async ({ method, target, host, ip, headers }) => {
      const original = { "x-original-method": method, "x-original-uri": target, "x-forwarded-proto": "http" };
      return await sendTo(url, `${CHECK}?compat=nginx`, {
        headers: { ...headers, host, ...original, "x-forwarded-for": ip },
      });
    }, statuses);
  });

  // The form that `http_service` with `path_prefix` is documented to have: the method, the path after the prefix, and the allowed headers.
  // https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/filters/http/ext_authz/v3/ext_authz.proto
  it("decides by the request itself, as Envoy sends it below a prefix", async () => {
    const { url } = await world.startGate({ hosts: hosts() });
    await assertLike(async (request) => {
      const { method, target, ip } = request;
      return await sendTo(url, CHECK + target, { method, headers: { ...asSent(request), "x-forwarded-for": ip } });
    }, CHECKED);
  });
});

describe("the gate as a proxy", () => {
  it("decides, and tells the application", async () => {
    const application = await listenOn(express().use(echo));
    const { url } = await world.startGate({ hosts: hosts(), upstream: application.url });
    await assertLike((request) => sendTo(url, request.target, { ...request, headers: asSent(request) }));
  });
});

describe("a target with a fragment", () => {
  it("is refused on every way: rules would not see what follows", async () => {
    const application = await listenOn(echo);
    const proxy = await world.startGate({ hosts: hosts(), upstream: application.url });
    const asked = await world.startGate({ hosts: hosts() });
    const target = "/x?a#&role=admin";
    const statuses = async (path: string, headers: Record<string, string> = {}, { url } = asked) =>
      (await sendTo(url, path, { headers: { host: "shop.test", "user-agent": "Mozilla/5.0", ...headers } })).status;
    const forwarded = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": target };
    const original = { "x-original-method": "GET", "x-original-uri": target };
    assert.equal(await statuses(target, {}, proxy), 400);
    assert.equal(await statuses(CHECK, forwarded), 403);
    assert.equal(await statuses(`${CHECK}?compat=nginx`, original), 403);
    assert.equal(await statuses(CHECK + target), 403);
    assert.equal(await statuses("/x?a%23&role=admin", {}, proxy), 200);
  });
});

describe("a host in brackets", () => {
  it("is an address: Traefik and Caddy take `[shop.test]:80` for shop.test", async () => {
    const asked = await world.startGate({ hosts: hosts() });
    for (const [host, status] of [
      ["[::1]", 204],
      ["[2001:db8::1%25eth0]:8080", 204],
      ["[shop.test]", 403],
      ["[shop.test]:80", 403],
      ["[]", 403],
    ] as const) {
      const headers = { "user-agent": "Mozilla/5.0", "x-forwarded-for": "203.0.113.7" };
      const forwarded = { "x-forwarded-method": "GET", "x-forwarded-host": host, "x-forwarded-uri": "/" };
      assert.equal((await sendTo(asked.url, CHECK, { headers: { ...headers, ...forwarded } })).status, status, host);
      assert.equal((await sendTo(asked.url, `${CHECK}/`, { headers: { ...headers, host } })).status, status, host);
    }
  });
});

describe("the middleware", () => {
  /** A Request joins the values of a repeated header, so a rule sees one. */
  const ONCE = REQUESTS.filter(({ headers }) => Object.values(headers).every((value) => typeof value === "string"));
  const gates: ApplicationGate[] = [];
  after(async () => {
    for (const gate of gates) await gate.close();
  });
  async function newGate(): Promise<ApplicationGate> {
    const gate = createGate({ server, key, team: team.slug, project, log: SILENT, trustedProxies: ["10.0.0.0/8"] });
    gates.push(gate);
    await gate.ready;
    return gate;
  }
  const assertServed = async (url: string) =>
    await assertLike((request) => sendTo(url, request.target, { ...request, headers: asSent(request) }));

  it("protects a handler of node:http", async () => {
    await assertServed((await listenOn((await newGate()).node(echo))).url);
  });

  it("protects an Express application", async () => {
    const app = express();
    app.use((await newGate()).express());
    app.use(
      (request, response) => void response.json({ method: request.method, url: request.url, headers: request.headers }),
    );
    await assertServed((await listenOn(app)).url);
  });

  it("protects a Fastify application", async () => {
    const app = fastify({ forceCloseConnections: true });
    app.addHttpMethod("PROPFIND");
    await app.register((await newGate()).fastify);
    app.setNotFoundHandler(async (request, reply) => await reply.code(200).send({ headers: request.raw.headers }));
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    after(() => app.close());
    await assertServed(url);
  });

  it("protects a Hono application, whose server knows the address of the client", async () => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.all("*", (context) => context.json({ headers: context.req.header() }));
    const trusted = await newGate();
    const address = (_request: Request, env: unknown) => (env as HttpBindings).incoming.socket.remoteAddress;
    const hono = serve({ fetch: trusted.fetch(app.fetch, { ip: address }), hostname: "127.0.0.1", port: 0 });
    after(() => hono.close());
    await once(hono, "listening");
    const url = `http://127.0.0.1:${(hono.address() as AddressInfo).port}`;
    await assertLike((request) => sendTo(url, request.target, { ...request, headers: asSent(request) }), STATUS, ONCE);
  });

  it("tells a handler of web-standard requests what only the gate says, and not what a client claims", async () => {
    const handler = (await newGate()).fetch(async (request: Request) =>
      Response.json(Object.fromEntries(request.headers)),
    );
    const claims = ["x-reeve-status", "x-reeve-location", "x-reeve-decision", "x-real-ip"];
    const headers = Object.fromEntries(claims.map((name) => [name, "claimed"]));
    const told = (await (await handler(new Request("http://shop.test/", { headers }))).json()) as Record<
      string,
      string
    >;
    assert.deepEqual(
      Object.entries(told).filter(([, value]) => value === "claimed"),
      [],
    );
    assert.match(told["x-reeve-decision"] ?? "", /^allow; /);
  });

  it("takes what ip says for an address only if it is one", async () => {
    const says = async (ip: string | null) => {
      const handler = (await newGate()).fetch(
        async (request: Request) => Response.json(request.headers.get("x-real-ip")),
        { ip: () => ip as string },
      );
      return await (await handler(new Request("http://shop.test/"))).json();
    };
    // Text of a client's would have a whole report refused.
    for (const unknown of [null, "", "unknown", "x".repeat(100)]) assert.equal(await says(unknown), null);
    assert.equal(await says("203.0.113.7:51234"), "203.0.113.7");
    assert.equal(await says("::ffff:203.0.113.7"), "203.0.113.7");
    assert.equal(await says("[2001:DB8::1]:443"), "2001:db8::1");
  });

  it("protects a handler of web-standard requests", async () => {
    const gate = await newGate();
    const handler = gate.fetch(
      async (request: Request) =>
        Response.json({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers) }),
      { ip: (request) => request.headers.get("x-test-ip") ?? undefined },
    );
    await assertLike(
      async ({ method, target, headers, host, ip }) => {
        const pairs = Object.entries(headers).flatMap(([name, value]) =>
          [value].flat().map((text): [string, string] => [name, text]),
        );
        const request = new Request(`http://${host}${target}`, { method, headers: [...pairs, ["x-test-ip", ip]] });
        const response = await handler(request);
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
      },
      STATUS,
      ONCE,
    );
  });
});
