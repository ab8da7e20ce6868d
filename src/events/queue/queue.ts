// The queues from the side of the dispatchers: a dispatcher claims webhooks, sends their due deliveries, stores the outcomes,
// and releases the webhooks. Delivery is at least once: where a process dies between sending and storing, the next one sends
// again.
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { deleteAttempts, insertAttempts, updateDeliveries } from "./delivery-store.ts";
import {
  claimQueues,
  extendLeases,
  findHeld,
  findReady,
  lockQueues,
  releaseAllQueues,
  releaseQueues,
  releaseQueuesOf,
  updateFailingSince,
} from "./queue-store.ts";
import { KEPT_ATTEMPTS } from "./vocabulary.ts";

/** Longer than an attempt may take. A webhook waits for as long when its process is lost. */
export const LEASE_MS = 60_000;
/** The longest pause that a receiver may ask for. */
export const LONGEST_PAUSE_MS = HOUR_MS;

export type LeasedQueue = Awaited<ReturnType<typeof claimQueues>>[number];

/** One attempt, and the state in which it leaves its delivery. */
export interface AttemptOutcome {
  readonly webhookId: string;
  readonly sequence: number;
  /** How many attempts there were before this one. If there are more by now, another process has stored an outcome. */
  readonly attempts: number;
  readonly state: "pending" | "delivered" | "failed";
  /** When the next attempt is due; null: there is none. */
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

/** A leased webhook. Each claim has an id of its own: after another claim, by the same process too, the lease has another id. */
export interface Lease {
  readonly webhookId: string;
  readonly leaseId: string;
}

/** A webhook to release. No dispatcher claims it before `heldUntil`. */
export interface Release extends Lease {
  readonly heldUntil: number;
  readonly failures: number;
}

/** Since when every attempt to a webhook has failed; null: the last one succeeded. */
export interface FailureNote extends Lease {
  readonly failingSince: number | null;
}

export interface OutcomeBatch {
  readonly outcomes: readonly AttemptOutcome[];
  /** The newest note of each webhook. */
  readonly failing: readonly FailureNote[];
  readonly releases: readonly Release[];
}

/** The highest number that a column of integers holds. */
export const ANY_FAILURES = 2 ** 31 - 1;

export interface ClaimRequest {
  readonly leaseId: string;
  readonly limit: number;
  /** Webhooks whose receivers failed more often in a row are not claimed. */
  readonly maxFailures: number;
}

/** Whether there is a webhook to claim. It is a read, so it is cheap to ask often. */
export async function isAnyReady(reader: Tx, maxFailures: number, now: number): Promise<boolean> {
  return (await findReady(reader, { now, maxFailures })) !== undefined;
}

/** For how long (ms) a webhook has been ready that no process claims, although its receiver does not fail; 0 without one. */
export async function measureUnclaimed(reader: Tx, now: number): Promise<number> {
  return now - ((await findReady(reader, { now, maxFailures: 0 }))?.readyAt ?? now);
}

/** Names a lease. */
export const leaseKey = ({ webhookId, leaseId }: Lease) => `${webhookId} ${leaseId}`;

/** The keys of those of the leases that are valid. */
export async function findValidLeases(reader: Tx, leases: readonly Lease[]): Promise<ReadonlySet<string>> {
  const held = await findHeld(reader, { leases: JSON.stringify(leases) });
  return new Set(held.map(({ webhookId, leaseId }) => leaseKey({ webhookId, leaseId: leaseId ?? "" })));
}

async function claimWebhooks(
  tx: Tx,
  { leaseId, limit, maxFailures }: ClaimRequest,
  now: number,
): Promise<readonly LeasedQueue[]> {
  return await claimQueues(tx, { now, heldUntil: now + LEASE_MS, leaseId, limit, maxFailures });
}

/**
 * Locks the queues of these leases, and returns which of them may be changed now. A transaction that records an event locks the
 * queues of many webhooks. So a dispatcher waits for one lock at most, and only while it has none: this avoids deadlocks, and
 * an owner with many changes does not delay others. The caller retries the remaining webhooks one by one.
 */
async function lockLeased(
  tx: Tx,
  leases: readonly Lease[],
  hasLocks: boolean,
): Promise<{ readonly locked: ReadonlySet<string>; readonly left: readonly string[] }> {
  const webhookIds = [...new Set(leases.map(({ webhookId }) => webhookId))];
  const mayWait = webhookIds.length === 1 && !hasLocks;
  const rows = await lockQueues[mayWait ? "waiting" : "at-once"](tx, { webhookIds: JSON.stringify(webhookIds) });
  const locked = new Set(rows.map(({ webhookId }) => webhookId));
  return { locked, left: mayWait ? [] : webhookIds.filter((webhookId) => !locked.has(webhookId)) };
}

/** Returns the webhooks that have to be renewed one by one, because another transaction is changing their queues. */
async function renewLeases(tx: Tx, leases: readonly Lease[], now: number): Promise<readonly string[]> {
  const { locked, left } = await lockLeased(tx, leases, false);
  const renewed = leases.filter(({ webhookId }) => locked.has(webhookId));
  await extendLeases(tx, { leases: JSON.stringify(renewed), heldUntil: now + LEASE_MS });
  return left;
}

/** Releases all leases of an earlier process, for a store that only one process uses. */
async function releaseAllWebhooks(tx: Tx, _input: null): Promise<void> {
  await releaseAllQueues(tx, {});
}

/** Releases the webhooks of a claim whose commit is unknown. */
async function undoClaim(tx: Tx, leaseId: string): Promise<void> {
  await releaseQueuesOf(tx, { leaseId });
}

/** An attempt that is deleted to make room for a newer one. */
interface ReplacedAttempt {
  readonly webhookId: string;
  readonly sequence: number;
  readonly number: number;
}

/**
 * A batch in the form that is posted to the writer thread: as text, because copying objects would cost more than storing them.
 */
export interface PackedBatch extends Omit<OutcomeBatch, "outcomes"> {
  readonly count: number;
  /** JSON array of the new states of deliveries. */
  readonly outcomes: string;
  /** JSON array of what is kept of their attempts. */
  readonly attempts: string;
  /** Attempts of deliveries that have more attempts than are kept. */
  readonly replaced: readonly ReplacedAttempt[];
}

export function packBatch({ outcomes, failing, releases }: OutcomeBatch): PackedBatch {
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

async function storeAttempts(tx: Tx, batch: PackedBatch, now: number): Promise<void> {
  const { count, outcomes } = batch;
  let { attempts, replaced } = batch;
  const updated = await updateDeliveries(tx, { outcomes, now });
  if (updated.length < count) {
    const keys = new Set(updated.map(({ webhookId, sequence }) => `${webhookId} ${sequence}`));
    const isUpdated = ({ webhookId, sequence }: DeliveryKey) => keys.has(`${webhookId} ${sequence}`);
    attempts = JSON.stringify((JSON.parse(attempts) as readonly DeliveryKey[]).filter(isUpdated));
    replaced = replaced.filter(isUpdated);
  }
  if (updated.length > 0) await insertAttempts(tx, { attempts });
  if (replaced.length > 0) await deleteAttempts(tx, { attempts: JSON.stringify(replaced) });
}

/**
 * Stores the outcomes of attempts, and releases webhooks. Returns the webhooks whose notes and releases have to be stored one by
 * one, because another transaction is changing their queues.
 */
async function storeOutcomes(tx: Tx, batch: PackedBatch, now: number): Promise<readonly string[]> {
  const { count, failing, releases } = batch;
  if (count > 0) await storeAttempts(tx, batch, now);
  if (failing.length === 0 && releases.length === 0) return [];
  const { locked, left } = await lockLeased(tx, [...failing, ...releases], count > 0);
  const isLocked = ({ webhookId }: Lease) => locked.has(webhookId);
  const [notes, ended] = [failing.filter(isLocked), releases.filter(isLocked)];
  if (notes.length > 0) await updateFailingSince(tx, { notes: JSON.stringify(notes) });
  if (ended.length > 0) await releaseQueues(tx, { releases: JSON.stringify(ended) });
  return left;
}

/** The internal changes of the dispatchers. */
export const queueChanges = { releaseAllWebhooks, claimWebhooks, undoClaim, renewLeases, storeOutcomes };
