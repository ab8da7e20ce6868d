// A worker beside servers on PostgreSQL, as a supervisor starts them: in any order.
import assert from "node:assert/strict";
import { after, test } from "node:test";
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
