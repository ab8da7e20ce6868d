// The endpoints of webhooks.
import { Nullable, RecordOf, defineContract } from "../../platform/kernel/contract.ts";
import type { Callback } from "../../platform/kernel/contract.ts";
import { MAX_LIMIT, PAGE_QUERY } from "../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import { ProjectName } from "../../platform/kernel/project.ts";
import {
  HEALTH_QUERY,
  READ,
  WRITE,
  ListedWebhook,
  MAX_WEBHOOKS,
  NewWebhook,
  NewlySignedWebhook,
  Webhook,
  WebhookChange,
} from "./webhook-schema.ts";
import { MS } from "../../platform/kernel/units.ts";

const TAG = "Webhooks";
const ONE = Type.Object({ webhookId: Type.String({ description: "Id of the webhook." }) });
const DAY_MS = 86_400_000;

/** Tests of an owner that may be in flight: each takes as long as its receiver does, up to the time-out. */
export const MAX_TESTS = 8;
export const DEFAULT_OVERLAP_MS = DAY_MS;
const MAX_OVERLAP_MS = 7 * DAY_MS;

/** The message to the receiver. docs/webhooks.md says more. */
const WebhookMessage = Type.Object(
  {
    id: Type.String({ description: "The same for all attempts: store it, to recognise duplicates." }),
    type: Type.String({ description: "A name of `GET /v1/events/types`." }),
    createdAt: Type.Integer({ description: "When the event happened; ms since the epoch." }),
    region: Nullable(Type.String({ description: "Always null." })),
    payload: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object", additionalProperties: true }),
    sequence: Type.Optional(
      Type.Integer({ description: "Position in the owner's chain of events, for catching up; tests have none." }),
    ),
  },
  { title: "WebhookMessage" },
);

const EVENT_CALLBACK: Callback = {
  name: "event",
  to: "url",
  summary: "An event",
  description:
    "Sent for each event that the webhook subscribes to, at least once. Respond with a 2xx status within 15 s; a " +
    "failed delivery is retried for three days.",
  headers: {
    "webhook-id": "The message's id.",
    "webhook-timestamp": "When this attempt was made; seconds since the epoch.",
    "webhook-signature": "Signatures by Standard Webhooks, separated by spaces; one valid signature is enough.",
    "x-vercel-signature": "Hex HMAC-SHA1 over the body, under the secret as text.",
    "x-vercel-signature-previous": "The same under the previous secret, while that is valid.",
  },
  body: WebhookMessage,
};

export const webhooksContract = defineContract({
  createWebhook: {
    method: "POST",
    path: "/v1/webhooks",
    aliases: ["/webhooks"],
    tag: TAG,
    gives: "destination",
    summary: "Create a webhook",
    description: `An owner has at most ${MAX_WEBHOOKS}. Only this response shows the secret that signs deliveries.`,
    access: WRITE,
    body: NewWebhook,
    example: { body: { url: "https://hooks.example.com/reeve", events: ["deployment.created"] } },
    response: NewlySignedWebhook,
    errors: ["invalid_webhook", "unknown_event", "too_many_webhooks", "master_key_missing"],
    emits: ["webhook-created"],
    callback: EVENT_CALLBACK,
  },
  listWebhooks: {
    method: "GET",
    path: "/v1/webhooks",
    aliases: ["/webhooks"],
    tag: TAG,
    summary: "List webhooks, newest first",
    description: `A bare array, as clients expect, with all webhooks unless there is a \`limit\`. \`Link\` leads to the next page.`,
    access: READ,
    query: Type.Object({
      ...PAGE_QUERY,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `Webhooks per page; ${MAX_LIMIT} by default.` }),
      ),
      projectId: Type.Optional(ProjectName("Only those that get events of this project.")),
      ...HEALTH_QUERY,
    }),
    response: Type.Array(ListedWebhook),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getWebhook: {
    method: "GET",
    path: "/v1/webhooks/:webhookId",
    aliases: ["/webhooks/:webhookId"],
    tag: TAG,
    summary: "Read a webhook",
    access: READ,
    params: ONE,
    query: Type.Object(HEALTH_QUERY),
    response: Webhook,
    errors: [],
    emits: [],
  },
  updateWebhook: {
    method: "PATCH",
    path: "/v1/webhooks/:webhookId",
    aliases: ["/webhooks/:webhookId"],
    tag: TAG,
    gives: { what: "destination", when: "handler" },
    summary: "Change a webhook",
    description:
      "Absent members stay as they are. `headers` replaces all headers, and always counts as a change; a webhook that has some gets another `url` only together with them. `active: true` also activates a webhook that was disabled because it failed: its " +
      "pending deliveries go on, and those that it missed are `skipped` until they are replayed.",
    access: WRITE,
    params: ONE,
    body: WebhookChange,
    example: { body: { events: ["*"], description: "Everything" } },
    response: Webhook,
    errors: ["invalid_webhook", "unknown_event", "revision_mismatch", "master_key_missing"],
    emits: ["webhook-updated"],
  },
  rotateWebhookSecret: {
    method: "POST",
    path: "/v1/webhooks/:webhookId/rotate-secret",
    tag: TAG,
    gives: "destination",
    summary: "Give a webhook another secret",
    description:
      "The previous secret signs too during the overlap, so that the receiver can change over. A key pair is replaced " +
      "as well. Only this response shows the new secret.",
    access: WRITE,
    protects: true,
    params: ONE,
    isBodyOptional: true,
    body: Type.Object(
      {
        overlapMs: Type.Optional(
          Type.Integer({
            ...MS,
            minimum: 0,
            maximum: MAX_OVERLAP_MS,
            description: "The overlap: a day by default, a week at most.",
          }),
        ),
        force: Type.Optional(
          Type.Boolean({ description: "Rotate also during the overlap of the last rotation, which ends now." }),
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { overlapMs: 86_400_000 } },
    response: NewlySignedWebhook,
    errors: ["rotation_pending", "revision_mismatch", "master_key_missing"],
    emits: ["webhook-secret-rotate"],
  },
  testWebhook: {
    method: "POST",
    path: "/v1/webhooks/:webhookId/test",
    tag: TAG,
    gives: "nothing",
    summary: "Send a test to a webhook now",
    description:
      "Sends one signed `test-webhook` and reports its outcome. The test is a delivery in the webhook's log, which is not " +
      `retried. It also works for an inactive webhook. An owner may have ${MAX_TESTS} tests in flight.`,
    access: WRITE,
    params: ONE,
    isBodyOptional: true,
    body: Type.Object({}, { additionalProperties: false }),
    returns: "What was sent to the webhook's URL, and what came back.",
    response: Type.Object({
      deliveryId: Type.String({ description: "Of the delivery in the log; `webhook-id` on the wire." }),
      delivered: Type.Boolean({ description: "The receiver responded with a 2xx status." }),
      status: Nullable(Type.Integer({ description: "Null when there was no response." })),
      durationMs: Type.Integer(),
      requestHeaders: RecordOf(Type.String()),
      requestBody: Type.String(),
      responseHeaders: RecordOf(Type.String()),
      responseBody: Type.String({ description: "The first 16 KiB." }),
      isTruncated: Type.Boolean(),
      error: Nullable(Type.Object({ stage: Type.String(), message: Type.String() })),
    }),
    errors: ["master_key_missing"],
    emits: ["webhook-test"],
  },
  deleteWebhook: {
    method: "DELETE",
    path: "/v1/webhooks/:webhookId",
    aliases: ["/webhooks/:webhookId"],
    tag: TAG,
    gives: "nothing",
    summary: "Delete a webhook",
    description: "Its log is deleted too. Pending deliveries are not sent any more.",
    access: WRITE,
    params: ONE,
    status: 204,
    response: Type.Null(),
    errors: ["revision_mismatch"],
    emits: ["webhook-deleted"],
  },
});
