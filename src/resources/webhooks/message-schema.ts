// The message to a webhook's receiver, for the documentation of the API. docs/webhooks.md says more.
import type { Callback } from "../../kernel/contract.ts";
import { Nullable } from "../../kernel/contract.ts";
import { Type } from "typebox";

const WebhookMessage = Type.Object(
  {
    id: Type.String({ description: "The same for all attempts: store it, to recognise duplicates." }),
    type: Type.String({ description: "A name of `GET /v1/events/types`." }),
    createdAt: Type.Integer({ description: "When the event happened; ms since the epoch." }),
    region: Nullable(Type.String({ description: "Always null." })),
    payload: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object", additionalProperties: true }),
    sequence: Type.Optional(
      Type.Integer({ description: "Place in the owner's chain of events, for catching up; tests have none." }),
    ),
  },
  { title: "WebhookMessage" },
);

export const EVENT_CALLBACK: Callback = {
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
