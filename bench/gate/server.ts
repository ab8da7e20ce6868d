// A server of its own process, by name: what the gate is compared with, and an application with and without the middleware.
import { Agent, createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createProxyServer } from "httpxy";
import type { GateOptions, createGate as CreateGate } from "../../src/gate/middleware.ts";

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

const [name, argument = ""] = process.argv.slice(2);
const listener =
  name === "check"
    ? check
    : name === "proxy"
      ? proxyTo(argument)
      : name === "middleware"
        ? await withMiddleware(JSON.parse(argument) as GateOptions)
        : application;
const server = createServer(listener);
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
