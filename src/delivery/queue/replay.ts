// Making what a webhook missed due again: a range of its log, from the oldest on, in steps that are bounded however much
// there is. The call that asks for it takes the first step; the others are a task, which goes on where the last one
// ended, in whatever process.
import type { Tx } from "../../kernel/tx.ts";
import { lockChain } from "../../resources/events/emit.ts";
import { wakeQueues } from "../../resources/events/enqueue.ts";
import { typesOf } from "../../resources/events/feed/filter.ts";
import { readDeliveries } from "../../resources/webhooks/deliveries/delivery-log.ts";
import type { DeliveryFilter, OfWebhook } from "../../resources/webhooks/deliveries/delivery-log.ts";
import type { DeliveryState } from "../../resources/webhooks/deliveries/delivery-schema.ts";
import { hurryQueue } from "./queue-store.ts";
import {
  advanceReplay,
  askAllAgain,
  findNextReplay,
  findReplay,
  findRunning,
  listWindow,
  pauseQueue,
  resumeQueue,
} from "./replay-store.ts";
import type { ReplayRow } from "./replay-store.ts";
import { findWebhook } from "../../resources/webhooks/store.ts";
import type { WebhookRow } from "../../resources/webhooks/store.ts";

/** Deliveries that one step looks at. */
const STEP = 500;

function webhookOf({ owner_id: ownerId, webhook_id: webhookId }: ReplayRow): OfWebhook {
  return { ownerId, webhookId };
}

function filterOf({ states, types }: ReplayRow): DeliveryFilter & { readonly states: readonly DeliveryState[] } {
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

/** Makes due what fits of the next deliveries, from the first one on that does: gaps cost nothing. */
async function takeStep(tx: Tx, replay: ReplayRow, now: number): Promise<Step> {
  const { cursor, before } = replay;
  const webhook = webhookOf(replay);
  const filter = filterOf(replay);
  const [first] = await readDeliveries(tx, webhook, filter, { after: cursor, before, limit: 1, direction: "oldest" });
  if (!first) return { cursor: before - 1, queued: 0, isLast: true };
  const from = first.sequence;
  const looked = await listWindow(tx, { ...webhook, from, before, limit: STEP });
  const [states, types] = [new Set<string>(filter.states), filter.types && new Set(filter.types)];
  const fitting = looked.filter(({ state, type }) => states.has(state) && (types === null || types.has(type)));
  const to = looked.at(-1)?.sequence ?? from;
  const sequences = JSON.stringify(fitting.map(({ sequence }) => sequence));
  const queued = await askAllAgain(tx, { ...webhook, from, to, sequences, now });
  return { cursor: to, queued, isLast: looked.length < STEP };
}

async function advance(tx: Tx, replay: ReplayRow, now: number): Promise<Step> {
  const { id, webhook_id: webhookId, owner_id: ownerId } = replay;
  const step = await takeStep(tx, replay, now);
  const { cursor, queued, isLast } = step;
  await advanceReplay(tx, { ownerId, webhookId, id, cursor, queued, now, finishedAt: isLast ? now : null });
  return step;
}

/** Begins a replay of an active webhook, whose receiver is tried even if it is given time to recover. */
export async function beginReplay(tx: Tx, { ordering }: WebhookRow, replay: ReplayRow, now: number): Promise<void> {
  const webhook = webhookOf(replay);
  const { isLast } = await advance(tx, replay, now);
  // In strict order nothing is sent before all is due that comes first.
  if (ordering === "strict" && !isLast) await pauseQueue(tx, webhook);
  else await hurryQueue(tx, webhook);
}

async function steer(tx: Tx, replay: ReplayRow, isLast: boolean, now: number): Promise<void> {
  const webhook = webhookOf(replay);
  const row = await findWebhook(tx, { ownerId: webhook.ownerId, id: webhook.webhookId });
  // Switched off meanwhile: what is due waits as everything else does.
  if (row?.is_active !== 1) return;
  if (row.ordering === "strict" && !isLast) {
    await pauseQueue(tx, webhook);
    return;
  }
  await resumeQueue(tx, webhook);
  await wakeQueues(tx, [webhook.webhookId], now);
}

/** Whether a webhook that is switched on is to be left alone for the time being. */
export async function isPaused(
  tx: Tx,
  { ownerId, webhookId, ordering }: OfWebhook & Pick<WebhookRow, "ordering">,
): Promise<boolean> {
  return ordering === "strict" && (await findRunning(tx, { ownerId, webhookId })) !== undefined;
}

export async function isAnyReplayRunning(reader: Tx): Promise<boolean> {
  return (await findNextReplay(reader, {})) !== undefined;
}

/** Takes the replay that has waited longest a step further; answers whether there was one. */
export async function continueReplay(tx: Tx, _input: null, now: number): Promise<number> {
  const next = await findNextReplay(tx, {});
  if (!next) return 0;
  const { id, webhook_id: webhookId, owner_id: ownerId } = next;
  await lockChain(tx, ownerId);
  const replay = await findReplay(tx, { ownerId, webhookId, id });
  if (replay?.finished_at === null) await steer(tx, replay, (await advance(tx, replay, now)).isLast, now);
  return 1;
}
