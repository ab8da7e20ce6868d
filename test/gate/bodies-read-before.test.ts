// Bodies that an application has read before it asks the gate: the gate cannot read them, and does not take them for none.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import express from "express";
import Fastify from "fastify";
import { createGate } from "../../src/gate/middleware.ts";
import { SILENT, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { team } = world;
const FORM_TYPE = "application/x-www-form-urlencoded";
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    {
      name: "role",
      active: true,
      conditionGroup: [
        {
          conditions: [
            { type: "path", op: "pre", value: "/api" },
            { type: "body", key: "user.role", op: "eq", value: "admin" },
          ],
        },
      ],
      action: { mitigate: { action: "deny" } },
    },
  ],
});
const options = { server: world.server, key: world.key, team: team.slug, project };

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly decision: string;
}
type Send = (path: string, type: string, body: string) => Promise<Sent>;

const postTo =
  (url: string): Send =>
  async (path, type, body) => {
    const { status, text, headers } = await sendTo(url, path, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    return { status, text, decision: String(headers["x-reeve-decision"]) };
  };

/** Applications that have read the body when the gate comes, each in its own way. */
async function readBefore(gateOptions: Parameters<typeof createGate>[0]): Promise<Readonly<Record<string, Send>>> {
  const late = createGate(gateOptions);
  await late.ready;
  after(() => late.close());
  const reached: RequestListener = (_message, res) => void res.end("reached");
  const listen = async (listener: RequestListener) => postTo((await listenOn(listener)).url);
  const before = async (read: (message: IncomingMessage) => unknown) =>
    await listen((message, res) => void Promise.resolve(read(message)).then(() => late.node(reached)(message, res)));
  const behind = Fastify();
  behind.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  // The gate is registered as one that knows no earlier hook.
  await behind.register(async (instance) => {
    await late.fastify({
      addHook: (_name, hook) => instance.addHook("preHandler", hook),
    });
    instance.all("/*", () => "reached");
  });
  await behind.listen({ port: 0, host: "127.0.0.1" });
  after(() => behind.close());
  const web = late.fetch(async (_request: Request) => new Response("reached"), { ip: () => "127.0.0.1" });
  const parsed = express().use(express.urlencoded(), express.json(), express.text(), late.express(), reached);
  return {
    "Express after its parsers": await listen(parsed),
    "Fastify in a hook that has the body": postTo(`http://127.0.0.1:${(behind.server.address() as AddressInfo).port}`),
    "a stream that was read to its end": await before((message) => buffer(message)),
    "a stream that is thrown away": await before((message) => void message.resume()),
    "a stream that somebody listens to": await before((message) => void message.on("data", () => {}).pause()),
    "a stream that is piped": await before((message) => void message.pipe(new PassThrough().resume())),
    "a stream of which the beginning was read": await before(async (message) => {
      await once(message, "readable");
      message.read(1);
    }),
    "a stream that is read when there is something": await listen((message, res) => {
      message.on("readable", () => message.read());
      late.node(reached)(message, res);
    }),
    "a stream that somebody reads meanwhile": await listen((message, res) => {
      late.node(reached)(message, res);
      message.prependListener("readable", () => message.read());
    }),
    async "a Request without the body that it announces"(path, type, body) {
      const headers = { "content-type": type, "content-length": String(body.length) };
      const response = await web(new Request(`http://shop.test${path}`, { method: "POST", headers }));
      return {
        status: response.status,
        text: await response.text(),
        decision: String(response.headers.get("x-reeve-decision")),
      };
    },
    async "a Request whose body is used"(path, type, body) {
      const request = new Request(`http://shop.test${path}`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      await request.text();
      const response = await web(request);
      return {
        status: response.status,
        text: await response.text(),
        decision: String(response.headers.get("x-reeve-decision")),
      };
    },
    async "a Request whose body is being read"(path, type, body) {
      const request = new Request(`http://shop.test${path}`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      request.body?.getReader();
      const response = await web(request);
      return {
        status: response.status,
        text: await response.text(),
        decision: String(response.headers.get("x-reeve-decision")),
      };
    },
  };
}

test("a body that was read before the gate is one that it cannot read, which is said once", async () => {
  const warned: string[] = [];
  const log = { info() {}, error() {}, warn: (_details: object, message: string) => void warned.push(message) };
  const saying = () => warned.filter((message) => message.includes("read before the gate"));
  for (const [way, send] of Object.entries(await readBefore({ ...options, log }))) {
    const { status, decision } = await send("/api/x", FORM_TYPE, "user.role=admin");
    assert.deepEqual([way, status], [way, 403]);
    assert.match(decision, /^deny; version=1; reason=body_undecodable; id=/);
    assert.equal((await send("/api/x", FORM_TYPE, "user.role=guest")).status, 403, way);
  }
  assert.equal(saying().length, 1);
  const late = createGate({ ...options, log: SILENT });
  await late.ready;
  after(() => late.close());
  const { url } = await listenOn((message, res) => {
    message.on("readable", () => message.read());
    late.node((_message, response) => void response.end("reached"))(message, res);
  });
  const chunked = { method: "POST", headers: { "content-type": FORM_TYPE }, duplex: "half" } as const;
  const body = new Blob(["user.role=admin"]).stream();
  assert.equal((await fetch(`${url}/api/x`, { ...chunked, body })).status, 403);
});

test("a body that was read before the gate is let through where that is chosen, and where no rule reads it", async () => {
  for (const [way, send] of Object.entries(await readBefore({ ...options, log: SILENT, whenBodyUnread: "open" }))) {
    const { status, text } = await send("/api/x", FORM_TYPE, "user.role=admin");
    assert.deepEqual([way, status, text], [way, 200, "reached"]);
  }
  const warned: object[] = [];
  const log = { info() {}, error() {}, warn: (details: object) => void warned.push(details) };
  for (const [way, send] of Object.entries(await readBefore({ ...options, log }))) {
    assert.deepEqual([way, (await send("/upload", FORM_TYPE, "user.role=admin")).status], [way, 200]);
    // There is nothing to read.
    if (!way.includes("Request")) assert.deepEqual([way, (await send("/api/x", FORM_TYPE, "")).status], [way, 200]);
  }
  assert.deepEqual(warned, []);
});
