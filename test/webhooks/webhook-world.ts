// What the tests of delivery share: owners with webhooks, many events at once, and the stored deliveries.
import assert from "node:assert/strict";
import type { App } from "../../src/serve/app.ts";
import { send } from "../harness/test-app.ts";
import type { TestResponse, Body, TestApp, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { plantEvents } from "../resources/planted-events.ts";

/** The type that `publish` and `publishMany` record. */
export const TYPE = "deployment.created";

export interface StoredDelivery {
  readonly sequence: number;
  readonly type: string;
  readonly state: string;
  readonly dueAt: number | null;
  readonly attempts: number;
  readonly tries: number;
  readonly status: number | null;
  readonly errorStage: string | null;
}

export interface WebhookOwner extends TestUser {
  call(method: string, path: string, body?: unknown, app?: App): Promise<TestResponse>;
  /** Creates a webhook; fails when that is refused. The response has the secret. */
  hook(url: string, more?: object): Promise<Body>;
  /** Records an event and returns its sequence. */
  publish(payload?: object, app?: App): Promise<number>;
  /** Records so many events in one transaction, their payloads numbered from 0. */
  publishMany(count: number): Promise<void>;
}

export async function openOwner(api: TestApp): Promise<WebhookOwner> {
  const owner = await api.createUser();
  async function call(method: string, path: string, body?: unknown, app = api.app): Promise<TestResponse> {
    return await send(app, method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  }
  return {
    ...owner,
    call,
    async hook(url, more = {}) {
      const made = await call("POST", "/v1/webhooks", { url, events: [TYPE], ...more });
      assert.equal(made.status, 200, made.text);
      return made.body;
    },
    async publish(payload = {}, app = api.app) {
      const published = await call("POST", "/v1/events", { type: TYPE, payload }, app);
      assert.equal(published.status, 200, published.text);
      return published.body.sequence;
    },
    async publishMany(count) {
      const planted = Array.from({ length: count }, (_, n) => ({ type: TYPE, payload: { n } }) as const);
      await api.withStore((store) => plantEvents(store, owner.id, api.clock.now, planted));
    },
  };
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}

/** The stored deliveries of a webhook, in the order of their events. */
export async function deliveriesOf({ query }: TestApp, webhookId: string): Promise<StoredDelivery[]> {
  const rows = await query(`select * from webhook_deliveries where webhook_id = '${webhookId}' order by sequence`);
  return rows.map((row) => ({
    sequence: Number(row["sequence"]),
    type: String(row["type"]),
    state: String(row["state"]),
    dueAt: numberOrNull(row["due_at"]),
    attempts: Number(row["attempts"]),
    tries: Number(row["tries"]),
    status: numberOrNull(row["status"]),
    errorStage: row["error_stage"] as string | null,
  }));
}

/** The attempts of a webhook, in their order. */
export async function attemptsOf({ query }: TestApp, webhookId: string): Promise<Record<string, unknown>[]> {
  return await query(`select * from webhook_attempts where webhook_id = '${webhookId}' order by sequence, number`);
}

/** Waits until `isReached` is true of the webhook's deliveries, and no process has leased it. */
export async function untilStored(
  api: TestApp,
  webhookId: string,
  isReached: (deliveries: readonly StoredDelivery[]) => boolean,
): Promise<readonly StoredDelivery[]> {
  return await waitFor("deliveries to be stored", async () => {
    const [queue] = await api.query(`select holder from webhook_queues where webhook_id = '${webhookId}'`);
    if (queue?.["holder"] !== null) return undefined;
    const deliveries = await deliveriesOf(api, webhookId);
    return isReached(deliveries) ? deliveries : undefined;
  });
}

/** Whether there are so many deliveries, and all were delivered. */
export function areDelivered(count: number) {
  return (deliveries: readonly StoredDelivery[]) =>
    deliveries.length === count && deliveries.every(({ state }) => state === "delivered");
}

/** Wakes the process after the clock was moved, so that it does not wait for its next poll. */
export async function lookNow({ app, clock }: TestApp): Promise<void> {
  await app.runner.changes.pruneIdempotencyRecords(null, clock.now);
}
