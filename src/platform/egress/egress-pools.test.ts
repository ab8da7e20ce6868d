import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { httpResponse, startReceiver } from "../../../test/egress/receiver.ts";
import { openConnector } from "./egress-connector.ts";
import { openPools } from "./egress-pools.ts";

const rules = { allow: [], ports: [] };
const connector = openConnector({ rules, lookUp: async () => [], timeoutMs: 1_000 });
const pools = openPools(connector);
after(async () => await pools.destroy());

const MINUTE_MS = 60_000;

describe("pools of connections", () => {
  test("serve an origin for a minute, so that a changed name is resolved again", () => {
    const first = pools.get("https://moving.example", 1_000);
    assert.equal(pools.get("https://moving.example", 1_000 + MINUTE_MS - 1), first);
    assert.equal(first.closed, false);
    const second = pools.get("https://moving.example", 1_000 + MINUTE_MS);
    assert.notEqual(second, first);
    assert.equal(first.closed, true);
    assert.equal(pools.get("https://moving.example", 1_000 + MINUTE_MS), second);
  });

  test("are kept for 1 024 origins; the least recently used one makes room", () => {
    const all = Array.from({ length: 1_024 }, (_, at) => pools.get(`https://host-${at}.example`, 2 * MINUTE_MS + at));
    pools.get("https://host-0.example", 2 * MINUTE_MS + 2_000);
    pools.get("https://one-more.example", 2 * MINUTE_MS + 2_001);
    // The one of the test above was the oldest.
    assert.deepEqual(
      all.flatMap((pool, at) => (pool.closed ? [at] : [])),
      [1],
    );
  });

  test("close idle connections when there are too many", async () => {
    const closed: string[] = [];
    const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
    const { port } = await startReceiver((socket) => socket.write(httpResponse(204)), {
      host: "0.0.0.0",
      onConnection: (socket) => {
        const { localAddress } = socket;
        socket.on("close", () => closed.push(localAddress ?? ""));
      },
    });
    const local = openConnector({
      rules: { ...rules, allow: ["127.0.0.0/8"] },
      lookUp: async () => [],
      timeoutMs: 5_000,
    });
    const few = openPools(local, 2);
    const ask = async (host: string, now: number) =>
      await few.get(`http://${host}:${port}`, now).request({ path: "/", method: "POST" });
    for (const [at, host] of hosts.entries()) await ask(host, at);
    while (closed.length === 0) await setImmediate();
    assert.deepEqual(closed, ["127.0.0.1"]);
    assert.equal(local.open, 2);
    await few.destroy();
  });
});

describe("a connection", () => {
  test("to a refused address is not made for any caller", async () => {
    for (const hostname of ["127.0.0.1", "::1", "::ffff:7f00:1"]) {
      const error = await new Promise((resolve) => {
        connector.connect({ hostname, protocol: "http:", port: "80" }, (...[refusal]) => resolve(refusal));
      });
      assert.match(String(error), /^EgressError: expected a public address, got /);
    }
    assert.equal(connector.open, 0);
  });
});
