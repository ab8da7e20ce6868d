// PostgreSQL is frozen: its connections stay open, the system accepts new ones, and the server sends nothing.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createStorage } from "../../harness/test-app.ts";
import { serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { createPostgresNode } from "../../postgres/node.ts";

/** Longer than the timeouts of statements, connecting and checks. */
const FROZEN_MS = 9_000;

test("readiness keeps one reason for as long as the database is frozen", async () => {
  const storage = await createStorage();
  after(() => storage.remove());
  const node = await createPostgresNode("frozen");
  after(() => node.remove());
  await node.start();
  const databaseUrl = `postgres://${node.login}@${node.host}/postgres?query_timeout=3000&statement_timeout=2500`;
  const server = await serveReeve({ ...storage.flags, databaseUrl, logLevel: "fatal" });
  const ask = async () => {
    const response = await fetch(`${server.url}/health/ready`);
    const { error } = (await response.json()) as { error?: { checks: { store?: { code: string } } } };
    return error?.checks.store?.code ?? "ready";
  };
  await waitFor("readiness", async () => (await ask()) === "ready");
  const thaw = await node.freeze();
  const until = performance.now() + FROZEN_MS;
  const told: string[] = [];
  while (performance.now() < until) {
    const code = await ask();
    if (code !== told.at(-1)) told.push(code);
    await pause(50);
  }
  await thaw();
  // A response from before may be cached for a moment.
  if (told[0] === "ready") told.shift();
  assert.deepEqual(told, ["store_timeout"]);
  await waitFor("readiness", async () => (await ask()) === "ready");
  assert.equal((await stopReeve(server)).code, 0);
});
