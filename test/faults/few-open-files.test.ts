// The system allows the process fewer open files than its connection limit: it accepts no more connections than there are files
// for, and closes idle ones in favour of clients that send requests.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { request } from "undici";
import { serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { createStorage } from "../harness/test-app.ts";

const OPEN_FILES = 400;
const token = "an_administrators_token_of_this_test_file";

const storage = await createStorage();
const flags = { ...storage.flags, bootstrapToken: token, logLevel: "warn" };
const server = await serveReeve(flags, {}, ["sh", "-c", `ulimit -n ${OPEN_FILES} && exec "$@"`, "sh"]);
const sockets = new Set<Socket>();
after(async () => {
  for (const socket of sockets) socket.destroy();
  await stopReeve(server);
  await storage.remove();
});

test("idle connections keep no client out", async () => {
  const port = Number(new URL(server.url).port);
  for (let count = 0; count < OPEN_FILES + 100; count++) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    sockets.add(socket);
    // oxlint-disable-next-line no-await-in-loop -- in their order
    await once(socket, "connect");
  }
  const { statusCode, body } = await request(`${server.url}/v2/user`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await body.dump();
  assert.equal(statusCode, 200);
  assert.match(server.logged(), /"openFiles":400,"msg":"REEVE_MAX_CONNECTIONS is more/);
});
