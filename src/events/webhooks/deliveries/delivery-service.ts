// The handlers of a webhook's log.
import { isAdministrator } from "../../../platform/kernel/caller.ts";
import type { Static } from "typebox";
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { MOST_COUNTED } from "../../../platform/kernel/counts.ts";
import { ApiError, fieldError } from "../../../platform/kernel/errors.ts";
import { newId } from "../../../platform/kernel/ids.ts";
import { DEFAULT_LIMIT } from "../../../platform/kernel/pagination.ts";
import type { PageLinks } from "../../../platform/kernel/pagination.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../events/emit.ts";
import { invalidQuery, readBounds, readPatterns, splitList, typesOf } from "../../events/feed/filter.ts";
import { TIMESTAMP_EXPECTED, parseTimestamp } from "../../events/timestamp.ts";
import type { deliveriesContract } from "./delivery-contract.ts";
import { readDeliveries, sequenceBefore } from "../../queue/log.ts";
import type { DeliveryFilter } from "../../queue/log.ts";
import { countStates } from "../../queue/health-store.ts";
import { findPayload, listAttempts } from "../../queue/log-store.ts";
import type { DeliveryRow } from "../../queue/log-store.ts";
import { DELIVERY_STATES, KEPT_ATTEMPTS } from "../../queue/vocabulary.ts";
import type { DeliveryState, WebhookKey } from "../../queue/vocabulary.ts";
import { MOST_WEBHOOKS, REPLAYED_BY_DEFAULT } from "./delivery-schema.ts";
import type { AllDeliveriesQuery, DeliveriesQuery } from "./delivery-schema.ts";
import { readMergedLog } from "./merged-log.ts";
import { publicAttempt, publicDelivery, publicReplay } from "./delivery-view.ts";
import { requireKnownEvents } from "../destination.ts";
import { getDelivery, getReplay, getWebhook, requireActive } from "../find.ts";
import { composeBody } from "../message-body.ts";
import { expediteQueue, requeueFirst } from "../../queue/queue-store.ts";
import { beginReplay } from "../../queue/replay.ts";
import { findRunning } from "../../queue/replay-store.ts";
import { areResponsesLogged } from "../rules.ts";
import { listLatestWebhooks } from "../store.ts";
import type { FoundWebhook } from "../store.ts";
import { refuseSeconds } from "../../../platform/kernel/units.ts";

type LogQuery = Static<typeof DeliveriesQuery>;

function isState(name: string): name is DeliveryState {
  return (DELIVERY_STATES as readonly string[]).includes(name);
}

function readStates({ state }: Pick<LogQuery, "state">): readonly DeliveryState[] | null {
  const names = splitList("state", state);
  if (!names.every(isState)) throw invalidQuery("state", `expected names out of ${DELIVERY_STATES.join(", ")}`);
  return names.length === 0 || names.length === DELIVERY_STATES.length ? null : names;
}

function readFilter(query: Pick<LogQuery, "state" | "type">): DeliveryFilter {
  return { states: readStates(query), types: typesOf(readPatterns("type", query.type)) };
}

function linksOf(rows: readonly DeliveryRow[], hasOlder: boolean): PageLinks {
  const newest = rows[0];
  const oldest = rows.at(-1);
  return {
    next: hasOlder && oldest ? { name: "before", value: oldest.sequence } : null,
    prev: newest ? { name: "after", value: newest.sequence } : null,
    replaced: ["before", "after"],
  };
}

/** Whether the last attempt of a delivery had a response with this status, of this class, or none. */
function matcherOf(status: string): (row: DeliveryRow) => boolean {
  if (status === "none") return (row) => row.status === null && row.lastAttemptAt !== null;
  if (status.endsWith("xx")) return (row) => row.status !== null && Math.floor(row.status / 100) === Number(status[0]);
  return (row) => row.status === Number(status);
}

/** The webhooks whose deliveries a list has: the one that the query names, or those that were sent something last. */
async function chooseWebhooks(
  tx: Tx,
  call: Pick<Call, "scope"> & { readonly query: Static<typeof AllDeliveriesQuery> },
): Promise<readonly string[]> {
  const { webhookId, before = Number.MAX_SAFE_INTEGER } = call.query;
  if (webhookId !== undefined)
    return [(await getWebhook(tx, call, webhookId, { field: "query.webhookId", webhookId })).id];
  const latest = await listLatestWebhooks(tx, { ownerId: call.scope.ownerId, before, limit: MOST_WEBHOOKS });
  return latest.map(({ id }) => id);
}

/** How many deliveries to the webhooks are in each state. A state is read no further once there are more than are counted. */
async function countByState(tx: Tx, ownerId: string, webhookIds: readonly string[]) {
  const counts: Record<DeliveryState, number> = { pending: 0, delivered: 0, failed: 0, skipped: 0 };
  const limit = MOST_COUNTED + 1;
  for (const webhookId of webhookIds) {
    const states = DELIVERY_STATES.filter((state) => counts[state] < limit).map((state) => ({ state }));
    if (states.length === 0) break;
    for (const { state, count } of await countStates(tx, {
      ownerId,
      webhookId,
      states: JSON.stringify(states),
      limit,
    })) {
      counts[state as DeliveryState] = Math.min(limit, counts[state as DeliveryState] + count);
    }
  }
  return counts;
}

/** The body as it is sent; null when the event was deleted. */
async function bodyOf(tx: Tx, { teamId }: FoundWebhook, delivery: DeliveryRow): Promise<string | null> {
  const { webhookId, ownerId, sequence, type, createdAt } = delivery;
  const event = await findPayload(tx, { ownerId, sequence });
  if (!event) return null;
  return composeBody(
    { webhookId, teamId },
    { sequence, type, createdAt, payload: event.payload, userId: event.userId },
  );
}

/** A time of the body in whole milliseconds; null when there is none. */
function readTime(
  field: "since" | "until",
  given: string | number | undefined,
  round: (ms: number) => number,
): number | null {
  if (given === undefined) return null;
  const time = parseTimestamp(String(given));
  if (time === undefined) {
    throw fieldError("bad_request", `body.${field}`, TIMESTAMP_EXPECTED);
  }
  refuseSeconds("bad_request", `body.${field}`, time);
  return round(time);
}

async function requireNoReplay(tx: Tx, webhook: WebhookKey): Promise<void> {
  const running = await findRunning(tx, webhook);
  if (!running) return;
  throw new ApiError("replay_running", "A replay of this webhook is still running; wait until it is finished", {
    replayId: running.id,
  });
}

/** The state of a delivery that events record. */
function progressOf({ state, attempts }: Pick<DeliveryRow, "state" | "attempts">) {
  return { state, attempts };
}

export const deliveriesService: Implements<typeof deliveriesContract> = {
  async listDeliveries(tx, call) {
    const { query, params } = call;
    const { id: webhookId, ownerId } = await getWebhook(tx, call, params.webhookId);
    const webhook = { ownerId, webhookId };
    const { limit = DEFAULT_LIMIT } = query;
    const filter = readFilter(query);
    const bounds = await readBounds(query, (time) => sequenceBefore(tx, webhook, time));
    const isForward = query.after !== undefined && query.before === undefined;
    const direction = isForward ? "oldest" : "newest";
    const rows = await readDeliveries(tx, webhook, filter, { ...bounds, limit: limit + 1, direction });
    const page = rows.slice(0, limit);
    if (isForward) page.reverse();
    const isOperator = isAdministrator(call.caller);
    return {
      deliveries: page.map((row) => publicDelivery(row, isOperator)),
      links: linksOf(page, isForward || rows.length > limit),
    };
  },

  async listAllDeliveries(tx, call) {
    const { query } = call;
    const { limit = DEFAULT_LIMIT, status } = query;
    const filter = { ...readFilter(query), matches: status === undefined ? null : matcherOf(status) };
    const parts = [];
    const webhookIds = await chooseWebhooks(tx, call);
    for (const webhookId of webhookIds) {
      const webhook = { ownerId: call.scope.ownerId, webhookId };
      parts.push({ ...webhook, ...(await readBounds(query, (time) => sequenceBefore(tx, webhook, time))) });
    }
    const { rows, next } = await readMergedLog(tx, parts, filter, limit);
    const isOperator = isAdministrator(call.caller);
    return {
      deliveries: rows.map((row) => publicDelivery(row, isOperator)),
      ...(query.withCounts ? { counts: await countByState(tx, call.scope.ownerId, webhookIds) } : {}),
      pagination: { next },
      links: { next: next === null ? null : { name: "before", value: next }, prev: null, replaced: ["before"] },
    };
  },

  async getDelivery(tx, call) {
    const webhook = await getWebhook(tx, call, call.params.webhookId);
    const row = await getDelivery(tx, webhook, call.params.deliveryId);
    const { ownerId, webhookId, sequence } = row;
    const isOperator = isAdministrator(call.caller);
    const attempts = await listAttempts(tx, { ownerId, webhookId, sequence, limit: KEPT_ATTEMPTS });
    return {
      delivery: publicDelivery(row, isOperator),
      requestBody: await bodyOf(tx, webhook, row),
      attempts: attempts.map((attempt) => publicAttempt(attempt, isOperator, areResponsesLogged(webhook))),
    };
  },

  async redeliver(tx, call) {
    const webhook = await getWebhook(tx, call, call.params.webhookId);
    const before = await getDelivery(tx, webhook, call.params.deliveryId);
    requireActive(webhook);
    const { ownerId, webhookId, sequence } = before;
    await requeueFirst(tx, { ownerId, webhookId, sequence, now: call.now });
    await expediteQueue(tx, { ownerId, webhookId });
    const delivery = publicDelivery(
      await getDelivery(tx, webhook, call.params.deliveryId),
      isAdministrator(call.caller),
    );
    await emit(tx, call, {
      type: "webhook-redeliver",
      ownerId,
      entityId: webhookId,
      text: `asked for another delivery of ${before.type} ${sequence} to ${webhook.url}`,
      payload: { webhookUrl: webhook.url, webhookId, deliveryId: delivery.id },
      previous: progressOf(before),
      next: progressOf(delivery),
    });
    return { delivery };
  },

  async replayWebhook(tx, call) {
    const webhook = await getWebhook(tx, call, call.params.webhookId);
    const { id: webhookId, ownerId } = webhook;
    const { types, states = REPLAYED_BY_DEFAULT, ...range } = call.body ?? {};
    requireKnownEvents(types, "body.types");
    const since = readTime("since", range.since, Math.ceil);
    const until = readTime("until", range.until, Math.floor);
    requireActive(webhook);
    await requireNoReplay(tx, { ownerId, webhookId });
    const id = newId("replay");
    const requested = {
      ownerId,
      webhookId,
      id,
      states: JSON.stringify([...new Set(states)]),
      types: types === undefined ? null : JSON.stringify([...new Set(types)]),
      since,
      until,
    };
    const replay = publicReplay(await beginReplay(tx, webhook, requested, call.now));
    await emit(tx, call, {
      type: "webhook-replay",
      ownerId,
      entityId: webhookId,
      text: `asked for all ${replay.states.join(" and ")} deliveries to ${webhook.url} again`,
      payload: {
        webhookUrl: webhook.url,
        webhookId,
        replayId: id,
        states: replay.states,
        types: replay.types,
        since,
        until,
      },
    });
    return { replay };
  },

  async getReplay(tx, call) {
    const webhook = await getWebhook(tx, call, call.params.webhookId);
    return { replay: publicReplay(await getReplay(tx, webhook, call.params.replayId)) };
  },
};
