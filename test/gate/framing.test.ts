// Requests of which two servers would not agree where the body ends (RFC 9112, 6.1): refused on every way, and nothing more is read from the
// connection, in which an application could find a second request.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { createGate } from "../../src/gate/middleware.ts";
import { listenerOf } from "./fetch-listener.ts";
import { SILENT, echo, listenOn, startGateWorld } from "./gate-world.ts";
import { sendRaw } from "./programs/send-raw.ts";

const world = await startGateWorld();
const { team } = world;
const project = await world.newProject({ firewallEnabled: true, rules: [] });
const hosts = [{ host: "*", team: team.slug, project }];
const gate = createGate({
  server: world.server,
  key: world.key,
  team: team.slug,
  project,
  whenError: "open",
  log: SILENT,
});
await gate.ready;
after(() => gate.close());

/** What reached an application. */
const seen: string[] = [];
const application: RequestListener = (message, res) => {
  seen.push(`${message.method} ${message.url}`);
  echo(message, res);
};
const hono = new Hono();
hono.all("*", async (context) => {
  seen.push(`${context.req.method} ${context.req.path}`);
  return context.json({ body: await context.req.text(), headers: context.req.header() });
});
const fastify = Fastify();
await fastify.register(gate.fastify);
fastify.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
fastify.all("/*", ({ method, url, body, headers }) => {
  seen.push(`${method} ${url}`);
  return { body, headers };
});
const fastifyUrl = await fastify.listen({ port: 0, host: "127.0.0.1" });
after(() => fastify.close());
/** As with `node --insecure-http-parser`. */
const lenient: Server = createServer({ insecureHTTPParser: true }, gate.node(application));
lenient.listen(0, "127.0.0.1");
await once(lenient, "listening");
after(() => void lenient.close());

const web = gate.fetch(hono.fetch, {
  ip: (_request, env) => (env as { incoming: IncomingMessage }).incoming.socket.remoteAddress,
});
const proxy = await world.startGate({ hosts, upstream: (await listenOn(application)).url, whenError: "open" });
const WAYS = {
  "proxy mode": proxy.url,
  "node:http": (await listenOn(gate.node(application))).url,
  "node:http with its lenient parser": `http://127.0.0.1:${(lenient.address() as AddressInfo).port}`,
  Express: (await listenOn(express().use(gate.express(), application))).url,
  Fastify: fastifyUrl,
  "web-standard requests": (await listenOn(listenerOf(web))).url,
} as const;

/** Also where the gate answers by itself, and would keep the connection. */
const OWN = {
  "proxy mode": ["/.well-known/reeve/health", "/.well-known/reeve/nothing"],
  all: ["/x", "/.well-known/reeve/challenge", "/.well-known/vercel/rate-limit-api/x"],
} as const;

const BODY = "6\r\nabcdef\r\n0\r\n\r\n";
const LAST = "GET /last HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n";
const post = (target: string, version: string, lines: string) =>
  `POST ${target} HTTP/${version}\r\nHost: shop.test\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\n${lines}\r\n\r\n${BODY}`;

const UNKNOWN = [
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: ,chunked",
  "Transfer-Encoding: , chunked",
  "transfer-encoding: x;a=b, chunked",
];
/** Node.js hands these on, too, before it finds that they have no end and says so. */
const ENDLESS = [
  "Transfer-Encoding: gzip",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunked, identity",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: chunked;x",
];
const OLD = ["1.0", "0.9"].flatMap((version) =>
  ["Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked"].map((lines) => [version, lines] as const),
);
const BOTH = ["Content-Length: 16\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 16"];

for (const [way, url] of Object.entries(WAYS)) {
  const port = Number(new URL(url).port);
  const isProxy = way === "proxy mode";
  // A web-standard Request does not say on which connection it came: what follows is decided on by itself, and its response is not sent.
  const isOf = (one: string) => way !== "web-standard requests" || one !== "GET /last";
  const targets = isProxy ? [...OWN.all, ...OWN["proxy mode"]] : OWN.all;

  /** The statuses of all answers to a request and one behind it. */
  async function answersTo(text: string): Promise<{ statuses: number[]; text: string }> {
    seen.length = 0;
    const answer = await sendRaw(port, text + LAST);
    return { statuses: [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)), text: answer };
  }

  test(`${way}: another coding than chunked is 501, and ends the connection`, async () => {
    for (const target of targets) {
      for (const lines of UNKNOWN) {
        const { statuses, text } = await answersTo(post(target, "1.1", lines));
        assert.deepEqual([target, lines, statuses, seen.filter(isOf)], [target, lines, [501], []]);
        assert.match(text, /^connection: close\r$/im);
        assert.match(text, /^x-reeve-decision: deny; reason=bad_request;/im);
      }
    }
  });

  test(`${way}: chunked is read and passed on`, async () => {
    for (const coding of ["chunked", "Chunked", "CHUNKED"]) {
      const { statuses, text } = await answersTo(post("/x", "1.1", `Transfer-Encoding: ${coding}`));
      assert.deepEqual(
        [statuses, seen.toSorted()],
        [
          [200, 200],
          ["GET /last", "POST /x"],
        ],
      );
      assert.ok(text.includes('"body":"abcdef"'), text);
      if (isProxy) assert.ok(text.includes('"transfer-encoding":"chunked"'), text);
    }
  });

  // A web-standard Request does not say the version of HTTP.
  if (way !== "web-standard requests") {
    test(`${way}: Transfer-Encoding in an older HTTP is refused, and ends the connection`, async () => {
      for (const target of targets) {
        for (const [version, lines] of OLD) {
          const { statuses, text } = await answersTo(post(target, version, lines));
          assert.deepEqual([target, version, lines, statuses, seen], [target, version, lines, [400], []]);
          assert.match(text, /^connection: close\r$/im);
          assert.match(text, /^x-reeve-decision: deny; reason=bad_request;/im);
        }
      }
    });
  }

  test(`${way}: a body without an end reaches nobody`, async () => {
    for (const lines of ENDLESS) {
      const { statuses } = await answersTo(post("/x", "1.1", lines));
      const isRefused = statuses.every((status) => status === 400 || status === 501);
      // Within an application its own server answers as well.
      const isAnswered = isProxy ? statuses.length === 1 : statuses.length > 0;
      assert.deepEqual([lines, isRefused, isAnswered, seen.filter(isOf)], [lines, true, true, []]);
    }
  });

  test(`${way}: a body with two ends reaches nobody`, async () => {
    for (const lines of BOTH) {
      const { statuses } = await answersTo(post("/x", "1.1", lines));
      assert.deepEqual([lines, statuses, seen], [lines, [400], []]);
    }
  });
}

test("a proxy that asks with such a request gets no decision", async () => {
  const asked = await world.startGate({ hosts, whenError: "open" });
  const head = post("/.well-known/reeve/check/x", "1.1", "Transfer-Encoding: gzip, chunked");
  assert.match(await sendRaw(Number(new URL(asked.url).port), head + LAST), /^HTTP\/1\.1 501 (?!.*HTTP\/1\.1)/s);
});
