// What the log keeps of attempts, and what asking again does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS, SECOND_MS } from "../../src/kernel/clock.ts";
import { startTestApp } from "../harness.ts";
import { waitFor } from "../mail/mail-server.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";

const api = await startTestApp(LOOPBACK);
const KIBIBYTE = 1_024;

interface Delivery {
  readonly id: string;
  readonly sequence: number;
  readonly state: string;
  readonly attempts: number;
}

async function newHook(settings: object = {}) {
  const owner = await api.createUser();
  const receiver = await startReceiver();
  const call = (method: string, path: string, body?: unknown) =>
    api.request(method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const body = { url: receiver.url, events: ["deployment.*"], ...settings };
  const { id } = (await call("POST", "/v1/webhooks", body)).body;
  const path = `/v1/webhooks/${id}`;
  return {
    ...owner,
    webhookId: id as string,
    path,
    receiver,
    call,
    publish: (payload: object = {}) => call("POST", "/v1/events", { type: "deployment.created", payload }),
    /** The log, when it is as a test wants it. */
    async until(isAsWanted: (deliveries: readonly Delivery[]) => boolean): Promise<readonly Delivery[]> {
      return await waitFor("the log to be as wanted", async () => {
        const { deliveries } = (await call("GET", `${path}/deliveries?limit=100`)).body;
        return isAsWanted(deliveries) ? deliveries : undefined;
      });
    },
  };
}

test("every attempt is kept: what was sent, what was answered, and how far it came", async () => {
  const { path, receiver, call, publish, until } = await newHook({
    headers: { Authorization: "Bearer s3cret-of-mine" },
  });
  receiver.answer((response, { headers }) => {
    response.writeHead(500, { "content-type": "text/plain", "x-seen": String(headers["webhook-id"]) });
    response.end("é".repeat(20 * KIBIBYTE));
  });
  const firstAt = api.clock.now;
  await publish();
  const [waiting] = await until(([first]) => first?.attempts === 1);
  assert.ok(waiting);
  assert.equal(waiting.state, "pending");
  receiver.answer((response) => response.destroy());
  api.clock.advance(6 * SECOND_MS);
  await until(([first]) => first?.attempts === 2);
  receiver.answer(204);
  api.clock.advance(6 * MINUTE_MS);
  await until(([first]) => first?.state === "delivered");
  const { delivery, requestBody, attempts } = (await call("GET", `${path}/deliveries/${waiting.id}`)).body;
  assert.equal(delivery.lastAttemptAt, api.clock.now);
  assert.deepEqual([delivery.status, delivery.errorStage, delivery.nextAttemptAt], [204, null, null]);
  assert.deepEqual(
    receiver.received.map(({ text }) => text),
    [requestBody, requestBody, requestBody],
  );
  assert.deepEqual(
    attempts.map(({ number, status, error, startedAt }: Record<string, never>) => [
      number,
      status,
      error?.["stage"] ?? null,
      startedAt,
    ]),
    [
      [3, 204, null, api.clock.now],
      [2, null, "response", firstAt + 6 * SECOND_MS],
      [1, 500, null, firstAt],
    ],
  );
  const [, , first] = attempts;
  assert.equal(Buffer.byteLength(first.responseBody), 16 * KIBIBYTE);
  assert.equal(first.isTruncated, true);
  assert.equal(first.responseHeaders["x-seen"], waiting.id);
  const [received] = receiver.received;
  assert.equal(received?.headers["authorization"], "Bearer s3cret-of-mine");
  assert.equal(first.requestHeaders["authorization"], "(not logged)");
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature", "x-vercel-signature", "user-agent"]) {
    assert.equal(first.requestHeaders[name], received?.headers[name], name);
  }
  const stored = await api.query("select request_headers from webhook_attempts");
  assert.equal(JSON.stringify(stored).includes("s3cret-of-mine"), false);
});
