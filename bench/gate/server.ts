// A server of its own process, by name: what the gate is compared with, and an application with and without the middleware.
import { randomBytes } from "node:crypto";
import { Agent, createServer } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createProxyServer } from "httpxy";
import { createChallenges } from "../../src/gate/challenge/challenges.ts";
import { BASE_PATH } from "../../src/gate/challenge/routes.ts";
import { createSpentSolutions } from "../../src/gate/challenge/spent-solutions.ts";
import { createWaiting } from "../../src/gate/challenge/waiting.ts";
import { createCounting } from "../../src/gate/counters/counting.ts";
import type { GateOptions, createGate as CreateGate } from "../../src/gate/middleware.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";

const BODY = JSON.stringify({ items: Array.from({ length: 20 }, (_, at) => ({ id: at, name: `Item ${at}` })) });

const application: RequestListener = (_message, res) => {
  res.writeHead(200, { "content-type": "application/json", "content-length": BODY.length });
  res.end(BODY);
};

/** The least that answers a proxy that asks. */
const check: RequestListener = (_message, res) => {
  res.writeHead(204, { "x-decision": "allow" });
  res.end();
};

function proxyTo(target: string): RequestListener {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_024, maxFreeSockets: 256 });
  const proxy = createProxyServer({ target, agent });
  return (message, res) => void proxy.web(message, res);
}

async function withMiddleware(options: GateOptions): Promise<RequestListener> {
  // What people install, not its source.
  const module: { createGate: typeof CreateGate } = await import(new URL("../../dist/gate.js", import.meta.url).href);
  const gate = module.createGate(options);
  await gate.ready;
  return gate.node(application);
}

/** Challenges every request without a pass, as a gate that is so busy does. */
function challengeAt(load: number): RequestListener {
  const challenges = createChallenges({
    clock: Date.now,
    load: () => load,
    spent: createSpentSolutions({ clock: Date.now }),
    waiting: createWaiting(createCounting(null), Date.now),
  });
  const key = randomBytes(32).toString("base64url");
  const keys = [{ day: Math.floor(Date.now() / DAY_MS), key }];
  const attackMode = { isEnabled: false, activeUntil: null };
  const scope = { ownerId: "team", projectId: "shop", keys, attackMode };
  async function answer(message: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = "", url: target = "", headers } = message;
    const request = { method, target, headers, scheme: "http", host: headers.host ?? "", ip: "127.0.0.1" } as const;
    const body = await text(message);
    if (challenges.hasPass(request, scope)) return application(message, res);
    const page = target.startsWith(BASE_PATH)
      ? await challenges.handle(request, body, scope)
      : challenges.respond(request, scope, { id: "decision", rule: null }, { body });
    res.writeHead(page.status, page.headers as OutgoingHttpHeaders).end(page.body);
  }
  return (message, res) => {
    answer(message, res).catch((error: Error) => res.destroy(error));
  };
}

const LISTENERS: Readonly<Record<string, (argument: string) => RequestListener | Promise<RequestListener>>> = {
  check: () => check,
  proxy: proxyTo,
  middleware: (options) => withMiddleware(JSON.parse(options) as GateOptions),
  challenge: (load) => challengeAt(Number(load)),
  application: () => application,
};

const [name = "", argument = ""] = process.argv.slice(2);
const server = createServer(await LISTENERS[name]?.(argument));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
