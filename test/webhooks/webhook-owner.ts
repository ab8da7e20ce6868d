// A user with a webhook to a receiver, who reads its log.
import type { TestResponse, TestApp, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";

export interface Delivery {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly createdAt: number;
  readonly durationMs: number | null;
}

export interface WebhookOwner extends TestUser {
  readonly webhookId: string;
  readonly path: string;
  readonly receiver: Receiver;
  call(method: string, path: string, body?: unknown): Promise<TestResponse>;
  publish(type?: string): Promise<TestResponse>;
  /** Waits until `isAsWanted` is true of the newest hundred deliveries. */
  until(isAsWanted: (deliveries: readonly Delivery[]) => boolean): Promise<readonly Delivery[]>;
}

/** Creates the user, and a webhook that subscribes to `deployment.*`, unless `settings` say otherwise. */
export async function createWebhookOwner(api: TestApp, settings: object = {}): Promise<WebhookOwner> {
  const owner = await api.createUser();
  const receiver = await startReceiver();
  const call = (method: string, path: string, body?: unknown) =>
    api.request(method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const made = await call("POST", "/v1/webhooks", { url: receiver.url, events: ["deployment.*"], ...settings });
  if (made.status !== 200) throw new Error(made.text);
  const path = `/v1/webhooks/${made.body.id}`;
  return {
    ...owner,
    webhookId: made.body.id,
    path,
    receiver,
    call,
    publish: (type = "deployment.created") => call("POST", "/v1/events", { type }),
    until: (isAsWanted) =>
      waitFor("the log to be as wanted", async () => {
        const { deliveries } = (await call("GET", `${path}/deliveries?limit=100`)).body;
        return isAsWanted(deliveries) ? deliveries : undefined;
      }),
  };
}
