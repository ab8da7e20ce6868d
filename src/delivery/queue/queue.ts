// The queues from the side of who delivers: webhooks are taken, what is due to them is read and sent, outcomes are
// noted, and the webhooks are given back. At least once: whoever dies between sending and noting leaves the delivery to
// the next one.
import { HOUR_MS } from "../../kernel/scheduling/clock.ts";
import type { Tx } from "../../kernel/tx.ts";
import { KEPT_ATTEMPTS } from "../../resources/webhooks/deliveries/delivery-schema.ts";
import { deleteAttempts, insertAttempts, settleDeliveries } from "./delivery-store.ts";
import {
  findReady,
  freeQueues,
  freeTaken,
  noteFailing,
  releaseQueues,
  renewQueues,
  takeQueues,
} from "./queue-store.ts";
import { lockQueues } from "./queue-lock-store.ts";

/** Longer than an attempt may take; so long a webhook waits whose process was lost. */
export const LEASE_MS = 60_000;
/** For so long a receiver may ask for nothing at all. */
export const LONGEST_PAUSE_MS = HOUR_MS;

export type TakenQueue = Awaited<ReturnType<typeof takeQueues>>[number];

/** One attempt, and where it leaves its delivery. */
export interface AttemptOutcome {
  readonly webhookId: string;
  readonly sequence: number;
  /** How many attempts there were before this one. With another number by now, somebody else has settled it. */
  readonly attempts: number;
  readonly state: "pending" | "delivered" | "failed";
  /** When it is tried again; null when it is not. */
  readonly dueAt: number | null;
  readonly tries: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly errorStage: string | null;
  readonly error: string | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly isTruncated: boolean;
}

/** A webhook, and the taking of it: whoever has it anew, the same process too, is another holder. */
export interface Held {
  readonly webhookId: string;
  readonly holder: string;
}

/** A webhook that is given back: nobody need look at it before `heldUntil`. */
export interface Release extends Held {
  readonly heldUntil: number;
  readonly failures: number;
}

/** Since when every attempt to a webhook has failed; null: no longer. */
export interface FailingNote extends Held {
  readonly failingSince: number | null;
}

export interface Settlement {
  readonly outcomes: readonly AttemptOutcome[];
  /** The last word on each webhook. */
  readonly failing: readonly FailingNote[];
  readonly releases: readonly Release[];
}

/** The highest number that a column of integers holds. */
export const ANY_FAILURES = 2 ** 31 - 1;

/** Which webhooks may be taken. */
export interface Taking {
  readonly holder: string;
  readonly limit: number;
  /** Of webhooks whose receivers failed more often in a row, none. */
  readonly mostFailures: number;
}

/** Whether there is a webhook to take: a read, so that asking often costs little. */
export async function isAnyReady(reader: Tx, mostFailures: number, now: number): Promise<boolean> {
  return (await findReady(reader, { now, mostFailures })) !== undefined;
}

async function takeWebhooks(
  tx: Tx,
  { holder, limit, mostFailures }: Taking,
  now: number,
): Promise<readonly TakenQueue[]> {
  return await takeQueues(tx, { now, heldUntil: now + LEASE_MS, holder, limit, mostFailures });
}

/**
 * Locks the queues of `held`, and answers what of it may be changed now. Whoever records an event holds the queues of many
 * webhooks, so who delivers waits for one at most, and only with nothing locked: then nobody waits for it in a circle, and
 * an owner who changes much holds up no others. What is left out has to be tried again, alone.
 */
async function lockHeld(
  tx: Tx,
  held: readonly Held[],
  hasLocks: boolean,
): Promise<{ readonly locked: ReadonlySet<string>; readonly left: readonly string[] }> {
  const webhookIds = [...new Set(held.map(({ webhookId }) => webhookId))];
  const isAlone = webhookIds.length === 1 && !hasLocks;
  const rows = await lockQueues[isAlone ? "waiting" : "at-once"](tx, { webhookIds: JSON.stringify(webhookIds) });
  const locked = new Set(rows.map(({ webhookId }) => webhookId));
  return { locked, left: isAlone ? [] : webhookIds.filter((webhookId) => !locked.has(webhookId)) };
}

/** Answers the webhooks that have to be kept one by one, because somebody is changing their queues. */
async function keepWebhooks(tx: Tx, held: readonly Held[], now: number): Promise<readonly string[]> {
  const { locked, left } = await lockHeld(tx, held, false);
  const kept = held.filter(({ webhookId }) => locked.has(webhookId));
  await renewQueues(tx, { held: JSON.stringify(kept), heldUntil: now + LEASE_MS });
  return left;
}

/** Gives back what a process that is gone had, of a store that only one process works on. */
async function freeWebhooks(tx: Tx, _input: null): Promise<void> {
  await freeQueues(tx, {});
}

/** Gives back what a taking has of which nobody knows whether it was committed. */
async function undoTaking(tx: Tx, holder: string): Promise<void> {
  await freeTaken(tx, { holder });
}

/** An attempt that makes room for a later one. */
interface Replaced {
  readonly webhookId: string;
  readonly sequence: number;
  readonly number: number;
}

/** A settlement as it is posted to the writer: as text, because copying objects costs more than all the rest of it. */
export interface PackedSettlement extends Omit<Settlement, "outcomes"> {
  readonly count: number;
  /** JSON array of what becomes of deliveries. */
  readonly outcomes: string;
  /** JSON array of what is kept of their attempts. */
  readonly attempts: string;
  /** Of deliveries that were asked for again and again, and have more attempts than are kept. */
  readonly replaced: readonly Replaced[];
}

export function packSettlement({ outcomes, failing, releases }: Settlement): PackedSettlement {
  return {
    failing,
    releases,
    count: outcomes.length,
    outcomes: JSON.stringify(
      outcomes.map(({ webhookId, sequence, attempts, tries, state, dueAt, status, errorStage }) => {
        return { webhookId, sequence, attempts, tries, state, dueAt, status, errorStage };
      }),
    ),
    attempts: JSON.stringify(outcomes.map((outcome) => ({ ...outcome, isTruncated: outcome.isTruncated ? 1 : 0 }))),
    replaced: outcomes
      .filter(({ attempts }) => attempts >= KEPT_ATTEMPTS)
      .map(({ webhookId, sequence, attempts }) => ({ webhookId, sequence, number: attempts + 1 - KEPT_ATTEMPTS })),
  };
}

type DeliveryKey = Pick<AttemptOutcome, "webhookId" | "sequence">;

async function noteOutcomes(tx: Tx, settlement: PackedSettlement, now: number): Promise<void> {
  const { count, outcomes } = settlement;
  let { attempts, replaced } = settlement;
  const settled = await settleDeliveries(tx, { outcomes, now });
  if (settled.length < count) {
    const keys = new Set(settled.map(({ webhook_id, sequence }) => `${webhook_id} ${sequence}`));
    const isSettled = ({ webhookId, sequence }: DeliveryKey) => keys.has(`${webhookId} ${sequence}`);
    attempts = JSON.stringify((JSON.parse(attempts) as readonly DeliveryKey[]).filter(isSettled));
    replaced = replaced.filter(isSettled);
  }
  if (settled.length > 0) await insertAttempts(tx, { attempts });
  if (replaced.length > 0) await deleteAttempts(tx, { attempts: JSON.stringify(replaced) });
}

/**
 * Notes what came of attempts, and gives back webhooks. Answers those whose failing and giving back has to be settled one
 * by one, because somebody is changing their queues.
 */
async function settle(tx: Tx, settlement: PackedSettlement, now: number): Promise<readonly string[]> {
  const { count, failing, releases } = settlement;
  if (count > 0) await noteOutcomes(tx, settlement, now);
  if (failing.length === 0 && releases.length === 0) return [];
  const { locked, left } = await lockHeld(tx, [...failing, ...releases], count > 0);
  const isLocked = ({ webhookId }: Held) => locked.has(webhookId);
  const [notes, ended] = [failing.filter(isLocked), releases.filter(isLocked)];
  if (notes.length > 0) await noteFailing(tx, { notes: JSON.stringify(notes) });
  if (ended.length > 0) await releaseQueues(tx, { releases: JSON.stringify(ended) });
  return left;
}

/** What those who deliver do with the queues, as internal commands. */
export const queueCommands = { freeWebhooks, takeWebhooks, undoTaking, keepWebhooks, settleDeliveries: settle };
