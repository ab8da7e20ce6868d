// REEVE_DRAIN: a server that was told to stop serves on for a while, so that balancers can turn to others.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request as sendRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { serveReeve, stopReeve } from "./reeve-process.ts";

/** Two signals within less count as one. */
const SAME_KEY_MS = 300;

const storage = await createStorage();
after(() => storage.remove());

test("a drain serves on while readiness says shutting_down, and a second signal ends it", async () => {
  const server = await serveReeve({ ...storage.flags, drain: "3600", logLevel: "info" });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (path: string, body?: object) => {
    const method = body ? "POST" : "GET";
    const headers = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
    const request = sendRequest(`${server.url}${path}`, { agent, method, headers });
    request.end(body && JSON.stringify(body));
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return { status: response.statusCode, isReused: request.reusedSocket, text: await readText(response) };
  };
  assert.equal((await ask("/health/ready")).status, 200);
  server.child.kill("SIGTERM");
  const refusal = await waitFor("readiness to be refused", async () => {
    const { status, text } = await ask("/health/ready");
    return status === 503 ? text : undefined;
  });
  assert.match(refusal, /"code":"shutting_down"/);
  // On new connections too.
  assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
  for (const body of [undefined, { slug: "made-in-the-drain" }]) {
    const { status, isReused } = await ask(body ? "/v1/teams" : "/v2/user", body);
    assert.deepEqual([status, isReused], [200, true]);
  }
  agent.destroy();
  await setTimeout(SAME_KEY_MS);
  const { code, stderr } = await stopReeve(server);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /"seconds":3600,"msg":"draining: [^]*"msg":"stopping: /);
});

test("a drain ends by itself", async () => {
  const server = await serveReeve({ ...storage.flags, drain: "1", logLevel: "info" });
  const { code, stderr } = await stopReeve(server);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /"seconds":1,"msg":"draining: [^]*"msg":"stopping: /);
});
