// Replays: a range of a webhook's log is made due again, from the oldest delivery on, in steps that are bounded however long the
// range is. The call that asks for a replay takes the first step. An internal change takes the others, each from where the last
// one ended, in whatever process.
import { TEST_NAME } from "../../platform/kernel/clients/public-webhook-names.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { lockOwner } from "../events/emit.ts";
import { wakeQueues } from "../events/enqueue.ts";
import { typesOf } from "../events/feed/filter.ts";
import { sequenceBefore, streamsOf } from "./log.ts";
import type { DeliveryFilter } from "./log.ts";
import { expediteQueue } from "./queue-store.ts";
import {
  advanceReplay,
  findNextReplay,
  findReplay,
  findRunning,
  insertReplay,
  listWindow,
  pauseQueue,
  requeueAll,
  resumeQueue,
} from "./replay-store.ts";
import type { ReplayRow } from "./replay-store.ts";
import type { DeliveryState, WebhookKey } from "./vocabulary.ts";

/** Deliveries that one step reads. */
const STEP = 500;

/** The members of a webhook that a replay depends on. */
export interface ReplayedWebhook {
  readonly isActive: number;
  readonly ordering: string;
}

/** Finds the webhook of a replay; undefined when it was deleted. */
export type FindReplayed = (tx: Tx, webhook: WebhookKey) => Promise<ReplayedWebhook | undefined>;

/** A replay as it is asked for. */
export type RequestedReplay = Pick<ReplayRow, "id" | "ownerId" | "webhookId" | "states" | "types" | "since" | "until">;

function webhookOf({ ownerId, webhookId }: RequestedReplay): WebhookKey {
  return { ownerId, webhookId };
}

function filterOf({ states, types }: RequestedReplay): DeliveryFilter & { readonly states: readonly DeliveryState[] } {
  return {
    states: JSON.parse(states) as DeliveryState[],
    types: types === null ? null : typesOf(JSON.parse(types) as string[]),
  };
}

interface Step {
  readonly cursor: number;
  readonly queued: number;
  readonly isLast: boolean;
}

type Range = Pick<ReplayRow, "cursor" | "before">;

/** Requeues the matching ones of the next deliveries. */
async function requeueNext(tx: Tx, replay: RequestedReplay & Range, streams: string, now: number): Promise<Step> {
  const { cursor: after, before } = replay;
  const webhook = webhookOf(replay);
  const filter = filterOf(replay);
  const deliveries = await listWindow(tx, { ...webhook, after, before, streams, limit: STEP });
  const from = deliveries[0]?.sequence;
  if (from === undefined) return { cursor: before - 1, queued: 0, isLast: true };
  const [states, types] = [new Set<string>(filter.states), filter.types && new Set(filter.types)];
  const isWanted = (type: string) => type !== TEST_NAME && (types === null || types.has(type));
  const matching = deliveries.filter(({ state, type }) => states.has(state) && isWanted(type));
  const to = deliveries.at(-1)?.sequence ?? from;
  const sequences = JSON.stringify(matching.map(({ sequence }) => sequence));
  const queued = await requeueAll(tx, { ...webhook, from, to, sequences, now });
  return { cursor: to, queued, isLast: deliveries.length < STEP };
}

async function advance(tx: Tx, replay: ReplayRow, now: number): Promise<Step> {
  const { id, webhookId, ownerId } = replay;
  const streams = await streamsOf(tx, webhookOf(replay), filterOf(replay));
  const step = await requeueNext(tx, replay, streams, now);
  const { cursor, queued, isLast } = step;
  await advanceReplay(tx, { ownerId, webhookId, id, cursor, queued, now, finishedAt: isLast ? now : null });
  return step;
}

/**
 * Begins a replay of an active webhook: takes the first step, and stores how far that has come. It sends also during a cool-down of the
 * receiver.
 */
export async function beginReplay(
  tx: Tx,
  { ordering }: Pick<ReplayedWebhook, "ordering">,
  requested: RequestedReplay,
  now: number,
): Promise<ReplayRow> {
  const { since, until } = requested;
  const webhook = webhookOf(requested);
  // Together, because statements travel to PostgreSQL.
  const [after, last, streams] = await Promise.all([
    since === null ? 0 : sequenceBefore(tx, webhook, since),
    sequenceBefore(tx, webhook, until === null ? Number.MAX_SAFE_INTEGER : until + 1),
    streamsOf(tx, webhook, filterOf(requested)),
  ]);
  const range = { cursor: after, before: last + 1 };
  const { isLast, ...reached } = await requeueNext(tx, { ...requested, ...range }, streams, now);
  const times = { createdAt: now, steppedAt: now, finishedAt: isLast ? now : null };
  const replay = { ...requested, ...range, ...reached, ...times };
  await insertReplay(tx, replay);
  // In strict order nothing is sent before everything that comes first is due.
  if (ordering === "strict" && !isLast) await pauseQueue(tx, webhook);
  else await expediteQueue(tx, webhook);
  return replay;
}

/** Pauses the queue until the last step in strict order, and wakes it otherwise. */
async function updateQueue(
  tx: Tx,
  webhook: WebhookKey,
  { ordering, isLast }: { readonly ordering: string; readonly isLast: boolean },
  now: number,
): Promise<void> {
  if (ordering === "strict" && !isLast) {
    await pauseQueue(tx, webhook);
    return;
  }
  await resumeQueue(tx, webhook);
  await wakeQueues(tx, [webhook.webhookId], now);
}

/** Whether a replay pauses the queue of an active webhook. */
export async function isPaused(
  tx: Tx,
  { ownerId, webhookId, ordering }: WebhookKey & Pick<ReplayedWebhook, "ordering">,
): Promise<boolean> {
  return ordering === "strict" && (await findRunning(tx, { ownerId, webhookId })) !== undefined;
}

export async function isAnyReplayRunning(reader: Tx): Promise<boolean> {
  return (await findNextReplay(reader, {})) !== undefined;
}

/** Takes the next step of the replay that has waited longest for it; returns 0 when there is no replay. */
export async function continueReplay(tx: Tx, findReplayed: FindReplayed, now: number): Promise<number> {
  const next = await findNextReplay(tx, {});
  if (!next) return 0;
  const { id, webhookId, ownerId } = next;
  await lockOwner(tx, ownerId);
  const replay = await findReplay(tx, { ownerId, webhookId, id });
  if (replay?.finishedAt !== null) return 1;
  const { isLast } = await advance(tx, replay, now);
  const webhook = await findReplayed(tx, { ownerId, webhookId });
  // While the webhook is inactive, its due deliveries wait like all others.
  if (webhook?.isActive === 1)
    await updateQueue(tx, { ownerId, webhookId }, { ordering: webhook.ordering, isLast }, now);
  return 1;
}
