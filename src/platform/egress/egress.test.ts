import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openEgress } from "./egress.ts";

test("a request arrives as it was given, at an allowed address and at no other", async () => {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    request
      .setEncoding("utf8")
      .on("data", (text: string) => arrived.push(`${request.headers.host} ${request.url} ${text}`));
    request.on("end", () => response.writeHead(202, { "X-Receiver": "here" }).end("taken"));
  }).listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const egress = openEgress({ rules: { allow: ["127.0.0.1/32"], ports: [[port, port]] }, dnsServers: null });
  try {
    const send = (host: string) => egress.send({ url: `http://${host}:${port}/hook?a=1`, headers: {}, body: "{}" });
    const outcome = await send("127.0.0.1");
    assert.ok("response" in outcome);
    assert.equal(outcome.response.status, 202);
    assert.equal(outcome.response.headers["x-receiver"], "here");
    assert.equal(outcome.response.body, "taken");
    assert.equal(outcome.response.isTruncated, false);
    assert.deepEqual(arrived, [`127.0.0.1:${port} /hook?a=1 {}`]);
    const refused = await send("127.0.0.2");
    assert.equal("error" in refused && refused.error.stage, "refused");
    assert.equal(arrived.length, 1);
  } finally {
    await egress.close();
    server.close();
  }
});
