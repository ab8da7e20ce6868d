// A burst of requests, as when all clients of a server start at once: none is refused.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Pool } from "undici";
import { serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { createStorage } from "../harness/test-app.ts";

const CONNECTIONS = 50;
const READS = 300;
const CHANGES = 100;
const token = "an_administrators_token_of_this_test_file";

const storage = await createStorage();
const server = await serveReeve({ ...storage.flags, bootstrapToken: token });
after(async () => {
  await stopReeve(server);
  await storage.remove();
});

test(`${READS} reads and ${CHANGES} changes at once on a server that has just started are all served`, async () => {
  const pool = new Pool(server.url, { connections: CONNECTIONS });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const paths = ["/v2/user", "/v2/teams", "/v3/events"];
  const send = async (index: number) => {
    const slug = `burst-${index}`;
    const { statusCode, body } = await (index % (READS / CHANGES + 1) === 0
      ? pool.request({ method: "POST", path: "/v1/teams", headers, body: JSON.stringify({ slug }) })
      : pool.request({ method: "GET", path: paths[index % paths.length] as string, headers }));
    await body.dump();
    return statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: READS + CHANGES }, (_, index) => send(index)));
  await pool.close();
  assert.deepEqual(new Set(statuses), new Set([200]));
});
