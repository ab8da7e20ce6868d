// The schemas of deliveries, their attempts, and replays.
import { Nullable, OneOf, Pattern, RecordOf } from "../../../platform/kernel/contract.ts";
import { EXACT_UP_TO, MOST_COUNTED } from "../../../platform/kernel/counts.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import { DELIVERY_STATES } from "../../queue/vocabulary.ts";
import type { DeliveryState } from "../../queue/vocabulary.ts";
import { COMMAS } from "../../../platform/kernel/units.ts";

const MAX_REPLAYED_TYPES = 200;

export const Delivery = Type.Object(
  {
    id: Type.String({ description: "`webhook-id` on the wire, the same for all attempts." }),
    webhookId: Type.String(),
    eventId: Type.String(),
    sequence: Type.Integer({ description: "Of the event in its owner's chain." }),
    type: Type.String({ description: "A name of `GET /v1/events/types`." }),
    state: OneOf(DELIVERY_STATES, {
      description:
        "`pending`: its next attempt is in flight or waits. `delivered`: the receiver responded with a 2xx status. " +
        "`failed`: given up. `skipped`: the event happened while the webhook was inactive.",
    }),
    attempts: Type.Integer({ description: "The number of attempts so far." }),
    nextAttemptAt: Nullable(
      Type.Integer({
        description:
          "Null when it is not pending. It may be later: while the webhook is inactive or its receiver cools down, or " +
          "when other deliveries come first.",
      }),
    ),
    createdAt: Type.Integer({ description: "When the event happened, ms since the epoch." }),
    lastAttemptAt: Nullable(Type.Integer({ description: "When the last attempt ended." })),
    durationMs: Nullable(Type.Integer({ description: "How long the last attempt took; null: there was none." })),
    status: Nullable(Type.Integer({ description: "The status of the last response; null: there was none." })),
    errorStage: Nullable(
      Type.String({
        description:
          "The stage at which the last attempt ended without a response. `unreachable`: the host can't be resolved, or is not one that webhooks may reach; administrators see `dns` or `refused`.",
      }),
    ),
  },
  { title: "Delivery" },
);

const Headers = RecordOf(Type.String());

export const Attempt = Type.Object(
  {
    number: Type.Integer({ description: "1, 2, 3, ..." }),
    startedAt: Type.Integer(),
    durationMs: Type.Integer(),
    status: Nullable(Type.Integer({ description: "Null when there was no response." })),
    error: Nullable(Type.Object({ stage: Type.String(), message: Type.String() })),
    requestHeaders: { ...Headers, description: "Without the values of the webhook's own headers." },
    responseHeaders: Headers,
    responseBody: Type.String({ description: "The first 16 KiB." }),
    isTruncated: Type.Boolean({ description: "The receiver sent more." }),
  },
  { title: "DeliveryAttempt" },
);

/** Of pending deliveries, only those that were tried. */
export const REPLAYED_BY_DEFAULT: readonly DeliveryState[] = ["skipped", "failed", "pending"];

const Timestamp = Type.Unsafe<string | number>({
  type: ["string", "integer"],
  minimum: 0,
  maxLength: 40,
});

export const NewReplay = Type.Object(
  {
    since: Type.Optional({ ...Timestamp, description: "Only events at this time (ms or ISO 8601) or later." }),
    until: Type.Optional({ ...Timestamp, description: "Only events at this time (ms or ISO 8601) or earlier." }),
    states: Type.Optional(
      Type.Array(OneOf(DELIVERY_STATES), {
        minItems: 1,
        maxItems: DELIVERY_STATES.length,
        description: `Deliveries in these states; ${REPLAYED_BY_DEFAULT.join(", ")} by default. Of pending ones, only those that wait for their next try.`,
      }),
    ),
    types: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        minItems: 1,
        maxItems: MAX_REPLAYED_TYPES,
        description: "Names of `GET /v1/events/types`, or globs of them; all by default.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const Replay = Type.Object(
  {
    id: Type.String(),
    webhookId: Type.String(),
    states: Type.Array(OneOf(DELIVERY_STATES)),
    types: Type.Unsafe<readonly string[] | null>({ type: ["array", "null"], items: { type: "string" } }),
    since: Nullable(Type.Integer({ description: "ms since the epoch." })),
    until: Nullable(Type.Integer()),
    queued: Type.Integer({ description: "The number of deliveries that it has made due so far." }),
    createdAt: Type.Integer(),
    finishedAt: Nullable(Type.Integer({ description: "Null while it runs." })),
  },
  { title: "Replay" },
);

const Sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const DeliveriesQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `Items per page; ${DEFAULT_LIMIT} by default.` }),
  ),
  before: Type.Optional({ ...Sequence, description: "Only events below this sequence." }),
  after: Type.Optional({
    ...Sequence,
    description: "Only events above this sequence; without `before`, the page that follows it.",
  }),
  since: Type.Optional(
    Type.String({ maxLength: 40, description: "Only events at this time (ms or ISO 8601) or later." }),
  ),
  until: Type.Optional(
    Type.String({ maxLength: 40, description: "Only events at this time (ms or ISO 8601) or earlier." }),
  ),
  state: Type.Optional(
    Type.String({ ...COMMAS, maxLength: 100, description: `Comma-separated: ${DELIVERY_STATES.join(", ")}.` }),
  ),
  type: Type.Optional(
    Type.String({
      ...COMMAS,
      maxLength: 2048,
      description: "Comma-separated names of event types or globs (`team-*`, `*`).",
    }),
  ),
});

/** Of so many webhooks of an owner one list has the deliveries. */
export const MOST_WEBHOOKS = 100;
/** One call looks at so many deliveries for those with the status that it asks for, for which there is no index. */
export const MOST_LOOKED_AT = 1_000;

const { after: _after, ...FILTERS } = DeliveriesQuery.properties;

export const AllDeliveriesQuery = Type.Object({
  ...FILTERS,
  webhookId: Type.Optional(Type.String({ description: "Only deliveries to this webhook." })),
  withCounts: Type.Optional(Type.Boolean({ description: "Also returns `counts`." })),
  status: Type.Optional(
    Pattern("^(?:[1-5]xx|[1-5][0-9][0-9]|none)$", "a status such as `404`, a class such as `5xx`, or `none`", {
      description: "The status of the last response, or its class; `none`: the last attempt had no response.",
    }),
  ),
});

const Count = (description: string) => Type.Integer({ minimum: 0, maximum: MOST_COUNTED + 1, description });

export const StateCounts = Type.Object(
  {
    pending: Count("Deliveries that wait."),
    delivered: Count("Deliveries that succeeded."),
    failed: Count("Deliveries that were given up."),
    skipped: Count("Deliveries of events while the webhook was inactive."),
  } satisfies Record<DeliveryState, unknown>,
  {
    description:
      "Only with `withCounts`: how many deliveries to the webhooks are in each state, whatever the other filters. " +
      EXACT_UP_TO,
  },
);
