// A body in chunks of one byte each takes hundreds of times its size in memory, and counts for that.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { listen } from "../../../../test/http/raw-connection.ts";
import { startOwnApp } from "../../../../test/harness/test-app.ts";

const { app, createUser } = await startOwnApp();

test("a body of chunks that take more memory than a client may have is refused", async () => {
  const { token } = await createUser();
  const socket = connect({ port: await listen(app), host: "127.0.0.1" }).setEncoding("utf8");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const head = `POST /v2/secrets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
  // Together 200 kB. The refusal is sent when the rest was discarded.
  socket.write(`${"1\r\n \r\n".repeat(200_000)}0\r\n\r\n`);
  const [response] = (await once(socket, "data")) as [string];
  assert.match(response, /^HTTP\/1\.1 503 [^]*32 MiB/);
  socket.destroy();
});
