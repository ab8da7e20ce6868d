// Bodies of a member within its rate limit: large ones that are refused, and ones that stop after their first byte.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Agent } from "undici";
import { startFairServer } from "./quiet-tenant.ts";
import type { Member, StartAttack } from "./quiet-tenant.ts";
import { keepOpen } from "./raw-clients.ts";

const MIB = 1_048_576;
const CONNECTIONS = 8;

const fair = await startFairServer();

/** Sends the body on some connections again and again, as fast as the rate limit lets it. */
function sendAgain(path: string, body: string): StartAttack {
  return async () => {
    const { key, teamId } = await fair.createMember();
    const dispatcher = new Agent({ connections: CONNECTIONS });
    const over = new AbortController();
    const statuses = new Set<number>();
    const send = async () => {
      while (!over.signal.aborted) {
        const {
          statusCode,
          headers,
          body: answer,
        } = await dispatcher.request({
          origin: fair.url,
          path: `${path}?teamId=${teamId}`,
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body,
        });
        await answer.dump();
        statuses.add(statusCode);
        const waitS = Number(headers["retry-after"] ?? 0);
        await setTimeout(waitS * 1_000, undefined, { signal: over.signal }).catch(() => undefined);
      }
    };
    const senders = Promise.all(Array.from({ length: CONNECTIONS }, send));
    return async () => {
      over.abort();
      await senders;
      await dispatcher.destroy();
      statuses.delete(429);
      assert.deepEqual([...statuses], [400], "the bodies are refused");
    };
  };
}

const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":1`).join(",")}}`;
const BODIES: readonly (readonly [name: string, body: string])[] = [
  ["110 000 members", members(110_000)],
  ["as many members as there may be", members(19_999)],
  ["as many members as fit into 60 KiB", members(7_600)],
  ["340 000 empty texts", `[${'"",'.repeat(340_000)}""]`],
  ["a million levels", "[".repeat(1_000_000)],
  ["a number of 900 000 digits", "1".repeat(900_000)],
  ["a text of 500 000 escaped quotes", `{"name":"${String.raw`\"`.repeat(500_000)}"}`],
  ["a member twice, and a long text", `{"a":1,"a":"${"x".repeat(1_000_000)}"}`],
];
for (const [name, body] of BODIES) {
  test(`a member sends bodies with ${name}`, async () => {
    assert.ok(body.length <= MIB);
    await fair.holds(sendAgain("/v1/api-keys", body));
  });
}

const headOf = ({ key, teamId }: Member) =>
  `POST /v1/api-keys?teamId=${teamId} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${MIB}\r\n\r\n`;

test("a member announces 128 bodies of 1 MiB and sends a byte of each", async () => {
  await fair.holds(async () => {
    const opened = await keepOpen(fair.port, 128, `${headOf(await fair.createMember())}{`);
    // Not small: what it takes of the memory of bodies is counted.
    const response = await fair.request("POST", "/v1/teams", { slug: "x".repeat(100_000) });
    assert.equal(response.status, 400);
    return opened.close;
  });
});
