// The endpoints of webhooks.
import { Nullable, RecordOf, defineContract } from "../../kernel/contract.ts";
import { MAX_LIMIT, PAGE_QUERY } from "../../kernel/pagination.ts";
import { Type } from "typebox";
import { ProjectName } from "../projects/project-schema.ts";
import { EVENT_CALLBACK } from "./message-schema.ts";
import {
  ListedWebhook,
  MAX_WEBHOOKS,
  NewWebhook,
  NewlySignedWebhook,
  Webhook,
  WebhookChange,
} from "./webhook-schema.ts";

const TAG = "Webhooks";
const READ = { kind: "owner", permission: "webhook:read" } as const;
const WRITE = { kind: "owner", permission: "webhook:write" } as const;
const ONE = Type.Object({ webhookId: Type.String({ description: "Id of the webhook." }) });
const DAY_MS = 86_400_000;

/** Tests of an owner that may be in flight: each takes as long as its receiver does, up to the time-out. */
export const MAX_TESTS = 8;
export const DEFAULT_OVERLAP_MS = DAY_MS;
const MAX_OVERLAP_MS = 7 * DAY_MS;

export const webhooksContract = defineContract({
  createWebhook: {
    method: "POST",
    path: "/v1/webhooks",
    aliases: ["/webhooks"],
    tag: TAG,
    summary: "Create a webhook",
    description: `An owner has at most ${MAX_WEBHOOKS}. The answer alone shows the secret that deliveries are signed with.`,
    access: WRITE,
    body: NewWebhook,
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
    description: `A bare array, as clients expect; all of them unless \`limit\` says otherwise. \`Link\` leads on.`,
    access: READ,
    query: Type.Object({
      ...PAGE_QUERY,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `Webhooks per page; ${MAX_LIMIT} by default.` }),
      ),
      projectId: Type.Optional(ProjectName("Only those that get events of this project.")),
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
    response: Webhook,
    errors: [],
    emits: [],
  },
  updateWebhook: {
    method: "PATCH",
    path: "/v1/webhooks/:webhookId",
    aliases: ["/webhooks/:webhookId"],
    tag: TAG,
    summary: "Change a webhook",
    description:
      "What is absent stays. `headers` replaces all of them, and is a change whatever it says; a webhook that has some is given another `url` only together with them. `active: true` also takes up again one that was switched off because it failed: what was " +
      "pending goes on, and what it missed is `skipped` until it is replayed.",
    access: WRITE,
    params: ONE,
    body: WebhookChange,
    response: Webhook,
    errors: ["invalid_webhook", "unknown_event", "revision_mismatch", "master_key_missing"],
    emits: ["webhook-updated"],
  },
  rotateWebhookSecret: {
    method: "POST",
    path: "/v1/webhooks/:webhookId/rotate-secret",
    tag: TAG,
    summary: "Give a webhook another secret",
    description:
      "The one before signs beside it for the overlap, so that the receiver can change over. The key pair, where there " +
      "is one, is replaced as well. The answer alone shows the new secret.",
    access: WRITE,
    params: ONE,
    isBodyOptional: true,
    body: Type.Object(
      {
        overlapMs: Type.Optional(
          Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_MS, description: "A day by default, a week at most." }),
        ),
        force: Type.Optional(
          Type.Boolean({ description: "Rotate although the overlap of the last time runs: that secret ends now." }),
        ),
      },
      { additionalProperties: false },
    ),
    response: NewlySignedWebhook,
    errors: ["rotation_pending", "revision_mismatch", "master_key_missing"],
    emits: ["webhook-secret-rotate"],
  },
  testWebhook: {
    method: "POST",
    path: "/v1/webhooks/:webhookId/test",
    tag: TAG,
    summary: "Send a test to a webhook now",
    description:
      "Sends one signed `test-webhook` and answers what came of it; nothing is recorded or tried again. Works on an " +
      `inactive webhook too. An owner may have ${MAX_TESTS} under way.`,
    access: WRITE,
    params: ONE,
    readsOnly: true,
    isBodyOptional: true,
    body: Type.Object({}, { additionalProperties: false }),
    response: Type.Object({
      delivered: Type.Boolean({ description: "The receiver answered with a 2xx status." }),
      status: Nullable(Type.Integer({ description: "Null when there was no answer." })),
      durationMs: Type.Integer(),
      requestHeaders: RecordOf(Type.String()),
      requestBody: Type.String(),
      responseHeaders: RecordOf(Type.String()),
      responseBody: Type.String({ description: "The first 16 KiB." }),
      isTruncated: Type.Boolean(),
      error: Nullable(Type.Object({ stage: Type.String(), message: Type.String() })),
    }),
    errors: ["master_key_missing"],
    emits: [],
  },
  deleteWebhook: {
    method: "DELETE",
    path: "/v1/webhooks/:webhookId",
    aliases: ["/webhooks/:webhookId"],
    tag: TAG,
    summary: "Delete a webhook",
    description: "With its log. What was pending is not delivered any more.",
    access: WRITE,
    params: ONE,
    status: 204,
    response: Type.Null(),
    errors: ["revision_mismatch"],
    emits: ["webhook-deleted"],
  },
});
