// The endpoints of a webhook's log: deliveries, redelivery and replays.
import { Nullable, defineContract } from "../../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { KEPT_ATTEMPTS } from "../../queue/vocabulary.ts";
import {
  AllDeliveriesQuery,
  Attempt,
  DeliveriesQuery,
  Delivery,
  NewReplay,
  Replay,
  StateCounts,
  MOST_LOOKED_AT,
  MOST_WEBHOOKS,
} from "./delivery-schema.ts";
import { READ, WRITE } from "../webhook-schema.ts";

const TAG = "Webhooks";
const WEBHOOK = { webhookId: Type.String({ description: "Id of the webhook." }) };
const DELIVERY = Type.Object({ ...WEBHOOK, deliveryId: Type.String({ description: "Id of the delivery." }) });

export const deliveriesContract = defineContract({
  listDeliveries: {
    method: "GET",
    path: "/v1/webhooks/:webhookId/deliveries",
    tag: TAG,
    summary: "List the deliveries to a webhook, newest first",
    description: "One item for each event. All filters apply together. `Link` leads to the next page.",
    access: READ,
    params: Type.Object(WEBHOOK),
    query: DeliveriesQuery,
    example: { query: { state: "failed" } },
    response: Type.Object({ deliveries: Type.Array(Delivery) }),
    errors: [],
    emits: [],
  },
  listAllDeliveries: {
    method: "GET",
    path: "/v1/webhook-deliveries",
    tag: TAG,
    summary: "List the deliveries to all webhooks, newest first",
    description:
      "All filters apply together. Of an owner with many webhooks, the " +
      `${MOST_WEBHOOKS} that were sent something last are read; \`webhookId\` chooses another one. The deliveries of one event are on one ` +
      "page, which may so have a few more than `limit`. With `status`, one call looks at " +
      `${MOST_LOOKED_AT} deliveries and more at most: a page may be short, or empty, although \`pagination.next\` leads on.`,
    access: READ,
    query: AllDeliveriesQuery,
    example: { query: { state: "failed", status: "5xx" } },
    response: Type.Object({
      deliveries: Type.Array(Delivery),
      counts: Type.Optional(StateCounts),
      pagination: Type.Object({
        next: Nullable(Type.Integer({ description: "`before` of the next page; null: this is the last one." })),
      }),
    }),
    errors: [],
    emits: [],
  },
  getDelivery: {
    method: "GET",
    path: "/v1/webhooks/:webhookId/deliveries/:deliveryId",
    tag: TAG,
    summary: "Read a delivery with its attempts",
    access: READ,
    params: DELIVERY,
    response: Type.Object({
      delivery: Delivery,
      requestBody: Nullable(
        Type.String({ description: "The exact body that is sent; null when the event was deleted." }),
      ),
      attempts: Type.Array(Attempt, { description: `Newest first; the last ${KEPT_ATTEMPTS} are kept.` }),
    }),
    errors: [],
    emits: [],
  },
  redeliver: {
    method: "POST",
    path: "/v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver",
    tag: TAG,
    gives: "nothing",
    summary: "Send a delivery again",
    description:
      "In any state, the delivery is due at once, before all others that wait, and begins a new round of tries, also " +
      "during the cool-down of its receiver.",
    access: WRITE,
    params: DELIVERY,
    response: Type.Object({ delivery: Delivery }),
    errors: ["webhook_inactive"],
    emits: ["webhook-redeliver"],
  },
  replayWebhook: {
    method: "POST",
    path: "/v1/webhooks/:webhookId/replay",
    tag: TAG,
    gives: "nothing",
    summary: "Replay the deliveries that a webhook missed",
    description:
      "All matching deliveries up to the present event are made due again, oldest first and with a new round of tries. " +
      "The call itself does a part of many, and the rest follows in the background: `finishedAt` is when all are due. A " +
      "`strict` webhook is sent nothing until then, so that nothing overtakes them. One replay of a webhook runs at a time.",
    access: WRITE,
    params: Type.Object(WEBHOOK),
    isBodyOptional: true,
    body: NewReplay,
    example: { body: { since: "2030-01-01", states: ["failed"] } },
    response: Type.Object({ replay: Replay }),
    errors: ["unknown_event", "webhook_inactive", "replay_running"],
    emits: ["webhook-replay"],
  },
  getReplay: {
    method: "GET",
    path: "/v1/webhooks/:webhookId/replays/:replayId",
    tag: TAG,
    summary: "Read how far a replay is",
    access: READ,
    params: Type.Object({ ...WEBHOOK, replayId: Type.String({ description: "Id of the replay." }) }),
    response: Type.Object({ replay: Replay }),
    errors: [],
    emits: [],
  },
});
