// The gate as a proxy: what reaches the application and comes back, streamed; WebSockets; an application that fails.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request as sendRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import { say, takeWebSockets, upgrade } from "./web-socket.ts";

const world = await startGateWorld();
const { team } = world;
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    {
      name: "No admin",
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
      action: { mitigate: { action: "deny" } },
    },
  ],
});
const hosts = [{ host: "*", team: team.slug, project }];

test("a body goes to the application as it was sent, and the application knows the client and the decision", async () => {
  const application = await listenOn(echo);
  const { url } = await world.startGate({ hosts, upstream: application.url, trustedProxies: ["10.0.0.0/8"] });
  const claimed = {
    "x-forwarded-for": "203.0.113.7",
    "x-real-ip": "203.0.113.7",
    "x-reeve-decision": "allow; id=mine",
  };
  const { status, text } = await sendTo(url, "/a//b?c=%2e", {
    method: "POST",
    headers: { host: "shop.test", "content-type": "text/plain", ...claimed },
    body: "x".repeat(100_000),
  });
  const seen = JSON.parse(text) as { method: string; url: string; body: string; headers: Record<string, string> };
  assert.deepEqual([status, seen.method, seen.url, seen.body.length], [200, "POST", "/a//b?c=%2e", 100_000]);
  assert.deepEqual(
    [
      seen.headers["host"],
      seen.headers["x-forwarded-for"],
      seen.headers["x-forwarded-proto"],
      seen.headers["x-real-ip"],
    ],
    ["shop.test", "127.0.0.1", "http", "127.0.0.1"],
  );
  assert.match(seen.headers["x-reeve-decision"] ?? "", /^allow; version=1; id=\w+$/);
});

test("what a client names as of its connection ends there, and takes nothing of what the gate says with it", async () => {
  const application = await listenOn(echo);
  const { url } = await world.startGate({ hosts, upstream: application.url });
  const connection = "close, X-Reeve-Decision, x-real-ip, X-Own, Host, Content-Length";
  const { status, text, headers } = await sendTo(url, "/", {
    method: "POST",
    headers: { host: "shop.test", connection, "x-own": "1", "keep-alive": "timeout=5", "x-other": "2" },
    body: "a=b",
  });
  const seen = JSON.parse(text) as { body: string; headers: Record<string, string> };
  assert.deepEqual([status, seen.body, headers["connection"]], [200, "a=b", "close"]);
  const { connection: passed, "x-own": own, "keep-alive": kept, "x-other": other, host } = seen.headers;
  assert.deepEqual([passed, own, kept, other, host], ["close", undefined, undefined, "2", "shop.test"]);
  assert.equal(seen.headers["x-real-ip"], "127.0.0.1");
  assert.match(seen.headers["x-reeve-decision"] ?? "", /^allow; /);
});

test("a response is passed on while it comes, with its status and headers", async () => {
  let finish: () => void = () => undefined;
  const application = await listenOn((_message, res) => {
    res.writeHead(418, { "set-cookie": ["a=1", "b=2"], "keep-alive": "timeout=1" });
    res.write("first");
    finish = () => res.end("last");
  });
  const { url } = await world.startGate({ hosts, upstream: application.url });
  const request = sendRequest(url, { agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.deepEqual([response.statusCode, response.headers["set-cookie"]], [418, ["a=1", "b=2"]]);
  const [chunk] = (await once(response, "data")) as [Buffer];
  assert.equal(chunk.toString(), "first");
  finish();
  const [rest] = (await once(response, "data")) as [Buffer];
  assert.equal(rest.toString(), "last");
});

test("an application that does not answer is 502, and the gate goes on", async () => {
  const { url } = await world.startGate({ hosts, upstream: `http://127.0.0.1:${await freePort()}` });
  assert.equal((await sendTo(url, "/")).status, 502);
  assert.equal((await sendTo(url, "/admin")).status, 403);
  const { text } = await sendTo(url, "/.well-known/reeve/metrics");
  assert.match(text, /reeve_gate_upstream_failures_total 1\n/);
});

test("a gate that stops says so, serves on, and then ends each connection with the response to what is on its way", async () => {
  const application = await listenOn(echo);
  for (const upstream of [application.url, null]) {
    const own = await world.startGate({ hosts, upstream });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (path: string) => {
      const request = sendRequest(`${own.url}${path}`, { agent });
      request.end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      return [
        response.statusCode,
        response.headers.connection,
        request.reusedSocket,
        await readText(response),
      ] as const;
    };
    // Without an application it has only pages of its own.
    const served = upstream === null ? 404 : 200;
    assert.deepEqual((await ask("/")).slice(0, 3), [served, "keep-alive", false]);
    own.announceStop();
    const [status, , , said] = await ask("/.well-known/reeve/health");
    assert.deepEqual([status, (JSON.parse(said) as { status: string }).status], [503, "shutting_down"]);
    assert.deepEqual((await ask("/")).slice(0, 3), [served, "keep-alive", true]);
    const closed = own.close();
    assert.deepEqual((await ask("/")).slice(0, 3), [served, "close", true]);
    await assert.rejects(ask("/"), { code: "ECONNREFUSED" });
    await closed;
  }
});

test("a WebSocket is decided about like a request, and then connected both ways", async () => {
  const application = await listenOn(echo);
  const upgraded = takeWebSockets(application.server);
  const gate = await world.startGate({ hosts, upstream: application.url });
  const { socket, head } = await upgrade(gate.url, "/live");
  assert.match(head, /^HTTP\/1\.1 101 /);
  assert.equal(await say(socket, "hello"), "allow:hello");
  const refused = await upgrade(gate.url, "/admin/live");
  assert.match(refused.head, /^HTTP\/1\.1 403 [\s\S]*x-reeve-decision: deny; rule=/i);
  // Open connections do not keep the gate from stopping, and the application learns that its client is gone.
  const [upstream] = upgraded;
  const left = once(upstream as Socket, "end");
  await gate.close();
  await left;
});
