// A worker beside servers on PostgreSQL, as a supervisor starts them: in any order.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { serveReeve, startReeve, stopReeve } from "./reeve-process.ts";

test("a worker that starts before the first server waits for the schema, and ends while it waits when told to", async () => {
  const storage = await createStorage();
  after(() => storage.remove());
  const flags = { ...storage.flags, logLevel: "warn" };
  const [waiting, stopped] = [startReeve(["worker"], flags), startReeve(["worker"], flags)];
  for (const worker of [waiting, stopped]) {
    await waitFor("the log to tell", () => worker.logged().includes("has made the schema") || undefined);
  }
  assert.equal((await stopReeve(stopped)).code, 0);
  const server = await serveReeve(storage.flags);
  await waiting.printed(/^Reeve works on /m);
  assert.equal((await stopReeve(waiting)).code, 0);
  assert.equal((await stopReeve(server)).code, 0);
});

test("a worker that waits for the schema says so at its address, and that it lives", async () => {
  const storage = await createStorage();
  after(() => storage.remove());
  const port = await freePort();
  const worker = startReeve(["worker"], { ...storage.flags, workerPort: String(port), logLevel: "warn" });
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const readCode = async () => {
    const response = await ask("/health/ready").catch(() => undefined);
    const body = await response?.text();
    return response && `${response.status} ${/"code":"(?!not_ready)(\w+)"/.exec(body ?? "")?.[1]}`;
  };
  await waitFor("the worker to wait", async () => (await readCode()) === "503 schema_awaited" || undefined);
  assert.equal((await ask("/health/live")).status, 200);
  const metrics = await (await ask("/metrics")).text();
  assert.match(metrics, /^reeve_ready 0$/m);
  assert.match(metrics, /^reeve_health_check_failed\{code="schema_awaited"\} 1$/m);
  const server = await serveReeve(storage.flags);
  await worker.printed(/^Health at /m);
  await waitFor("readiness", async () => (await ask("/health/ready")).status === 200 || undefined);
  assert.equal((await stopReeve(worker)).code, 0);
  await stopReeve(server);
});
