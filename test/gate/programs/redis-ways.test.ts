// Every way in front of an application decides the corpus as `evaluate` predicts when decisions have to wait for a store.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { after, describe, it } from "node:test";
import express from "express";
import fastify from "fastify";
import type { GateLog } from "../../../src/gate/gate-log.ts";
import { createGate } from "../../../src/gate/middleware.ts";
import type { ApplicationGate } from "../../../src/gate/middleware.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { STATUS, expectDecisions } from "../alike.ts";
import { CONFIGURATION, REQUESTS } from "../corpus.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate-world.ts";
import { startRedis } from "./redis-server.ts";

const world = await startGateWorld();
const redis = await startRedis();
const project = await world.newProject(CONFIGURATION);
const assertAlike = await expectDecisions(world, project);

const gates: ApplicationGate[] = [];
after(async () => {
  for (const gate of gates) await gate.close();
});

const state = { isAway: false };
const log: GateLog = {
  info() {},
  warn: (_details, message) => void (state.isAway ||= message.includes("counter store")),
  error() {},
};

/** On a busy machine a store may miss its deadline, and the gate counts by itself: that says nothing about the way. */
async function whileShared(attempt: () => Promise<void>): Promise<void> {
  for (let left = 10; ; left--) {
    await redis.command("FLUSHALL");
    state.isAway = false;
    try {
      return await attempt();
    } catch (error) {
      if (!state.isAway || left === 0) throw error;
    }
  }
}

async function newGate(): Promise<ApplicationGate> {
  const { key, server, team } = world;
  const gate = createGate({
    server,
    key,
    team: team.slug,
    project,
    redisUrl: redis.url,
    log,
    trustedProxies: ["10.0.0.0/8"],
  });
  gates.push(gate);
  await gate.ready;
  return gate;
}

const WAYS: Readonly<Record<string, () => Promise<string>>> = {
  "the gate as a proxy": async () => {
    const upstream = (await listenOn(echo)).url;
    const hosts = [{ host: "*", team: world.team.slug, project }];
    return (await world.startGate({ hosts, upstream, redisUrl: redis.url }, { log })).url;
  },
  "a handler of node:http": async () => (await listenOn((await newGate()).node(echo))).url,
  "an Express application": async () => {
    const app = express();
    app.use((await newGate()).express());
    app.use((request, response) => void response.json({ headers: request.headers }));
    return (await listenOn(app)).url;
  },
  "a Fastify application": async () => {
    const app = fastify({ forceCloseConnections: true });
    app.addHttpMethod("PROPFIND");
    await app.register((await newGate()).fastify);
    app.setNotFoundHandler(async (request, reply) => await reply.code(200).send({ headers: request.raw.headers }));
    after(() => app.close());
    return await app.listen({ host: "127.0.0.1", port: 0 });
  },
};

describe("with a store", () => {
  for (const [name, start] of Object.entries(WAYS)) {
    it(`decides alike: ${name}`, async () => {
      await whileShared(async () => {
        const url = await start();
        await assertAlike((request) =>
          sendTo(url, request.target, { ...request, headers: { ...request.headers, host: request.host } }),
        );
      });
    });
  }

  it("decides alike: a handler of web-standard requests", async () => {
    await whileShared(async () => {
      const handler = (await newGate()).fetch(
        async (request: Request) => Response.json({ headers: Object.fromEntries(request.headers) }),
        { ip: (request) => request.headers.get("x-test-ip") ?? undefined },
      );
      await assertAlike(
        async ({ method, target, headers, host, ip }) => {
          const own = { ...(headers as Record<string, string>), "x-test-ip": ip };
          const response = await handler(new Request(`http://${host}${target}`, { method, headers: own }));
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers),
            text: await response.text(),
          };
        },
        STATUS,
        REQUESTS.filter(({ headers }) => Object.values(headers).every((value) => typeof value === "string")),
      );
    });
  });

  it("loses nothing of a WebSocket or a body that waits for the decision", async () => {
    const limiting = (path: string, limit: number) => ({
      name: path,
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: path }] }],
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: { algo: "token_bucket", window: 3_600, limit, keys: ["ip"], action: "rate_limit" },
        },
      },
    });
    const limited = await world.newProject({
      firewallEnabled: true,
      rules: [limiting("/open", 10_000_000), limiting("/shut", 1)],
    });
    const application = await listenOn(echo);
    application.server.on("upgrade", (_message: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      socket.write(head);
      socket.on("data", (data: Buffer) => socket.write(data));
      socket.on("error", () => undefined);
    });
    const hosts = [{ host: "*", team: world.team.slug, project: limited }];
    const { url } = await world.startGate({ hosts, upstream: application.url, redisUrl: redis.url });
    async function upgrade(target: string, until: string): Promise<string> {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      after(() => socket.destroy());
      const head = `GET ${target} HTTP/1.1\r\nHost: shop.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
      socket.write(`${head}early,`);
      setImmediate(() => socket.write("soon."));
      let text = "";
      while (!text.includes(until)) text += String((await once(socket, "data"))[0]);
      return text;
    }
    assert.match(await upgrade("/open", "soon."), /^HTTP\/1\.1 101 [^]*early,soon\.$/);
    await waitFor(
      "a refusal",
      async () => (await upgrade("/shut", "\r\n\r\n")).startsWith("HTTP/1.1 429 ") || undefined,
    );
    const body = "x".repeat(1_000_000);
    const { status, text } = await sendTo(url, "/open", { method: "POST", body });
    assert.deepEqual([status, (JSON.parse(text) as { body: string }).body === body], [200, true]);
  });
});
