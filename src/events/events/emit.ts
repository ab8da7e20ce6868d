// The only way to record an event. It runs in the mutation's transaction, so the event is committed if and only if the
// change is.
import type { Account, Caller, Origin } from "../../platform/kernel/caller.ts";
import { DAY_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { newId } from "../../platform/kernel/ids.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { chainHash } from "./chain.ts";
import { enqueueDeliveries } from "./enqueue.ts";
import { addToWebhooks, advanceHead, beginHead, insertEvent, insertOwner, lockOwnerRow } from "./store.ts";
import type { PublishedType } from "./published-types.ts";
import type { EventType } from "./types.ts";

/** The owner, the resource and the change that an event records. States and payload hold no secrets. */
export interface EventInput {
  readonly type: EventType | PublishedType;
  /** The team or user whose chain the event belongs to. */
  readonly ownerId: string;
  /** Id of the resource that changed. */
  readonly entityId: string;
  /** What the actor did, as the rest of a sentence that begins with the actor's name. */
  readonly text: string;
  /** In the public form of the type (contract: payloads). */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The project that the event belongs to; by default the one that the payload names. */
  readonly projectId?: string | null;
  readonly previous?: Readonly<Record<string, unknown>>;
  readonly next?: Readonly<Record<string, unknown>>;
  /** The webhook that the event tests: it gets the test in place of the event. */
  readonly testedWebhook?: string;
}

/** The part of a call that an event records. */
export interface EventContext {
  readonly caller: Caller;
  readonly origin: Origin;
  readonly now: number;
}

/** A copy of the actor's data, since the actor may be renamed or deleted later. */
export interface ActorSnapshot {
  /** The account acted for; absent for keys of a team and for the system. */
  readonly account?: Pick<Account, "username" | "email" | "name" | "avatar">;
  /** Name of the API key that acted. */
  readonly keyName?: string;
  /** The client's own id of the request. Clients choose it freely, so nothing relies on it. */
  readonly clientRequestId?: string;
}

function snapshotOf({ caller: { account, keyName }, origin: { clientRequestId = null } }: EventContext): ActorSnapshot {
  return {
    ...(account && {
      account: { username: account.username, email: account.email, name: account.name, avatar: account.avatar },
    }),
    ...(keyName !== null && { keyName }),
    ...(clientRequestId !== null && { clientRequestId }),
  };
}

/** The actor's name in the text of an event. */
function actorName({ account, keyName }: Caller): string {
  if (keyName !== null) return `API key ${keyName}`;
  return account ? account.name || account.username : "Reeve";
}

/** Public payloads name their project in `projectId`. */
function projectOf({ payload, projectId = payload["projectId"] as string | null }: EventInput): string | null {
  return typeof projectId === "string" ? projectId : null;
}

/** Bursts of events run ahead of the clock by less. A larger lead means that the clock was set back, or differs between servers. */
const SET_BACK_MS = 2 * SECOND_MS;

/**
 * Clients page through events by `createdAt`. So each event of an owner gets a time of its own while that shifts it by less
 * than a second, or when the clock was set back. Times never decrease.
 */
function nextEventTime(now: number, last: number): number {
  if (now > last) return now;
  const leadMs = last - now;
  return leadMs < SECOND_MS || leadMs > SET_BACK_MS ? last + 1 : last;
}

/** A checkpoint covers each event after this time at the latest. */
const CHECKPOINT_AFTER_MS = DAY_MS;

type Head = NonNullable<Awaited<ReturnType<typeof lockOwnerRow>>>;

const getHead = (tx: Tx, ownerId: string) =>
  (tx.heads?.get(ownerId) as Head | undefined) ?? lockOwnerRow(tx, { ownerId });

/** Appends an event to its owner's chain, queues it for subscribed webhooks, and returns it as it is stored. */
export async function emit(tx: Tx, act: EventContext, input: EventInput): Promise<Tables["events"]> {
  const { ownerId } = input;
  const head = await getHead(tx, ownerId);
  if (!head) throw new Error(`no event chain for owner ${ownerId}`);
  const actor = actorName(act.caller);
  const unsigned = {
    ownerId,
    sequence: head.sequence + 1,
    id: newId("event"),
    type: input.type,
    createdAt: nextEventTime(act.now, head.eventAt),
    actorKind: act.caller.kind,
    principalId: act.caller.principalId,
    userId: act.caller.account?.id ?? null,
    credentialId: act.caller.credentialId,
    actor: JSON.stringify(snapshotOf(act)),
    via: act.origin.via,
    ip: act.origin.ip,
    userAgent: act.origin.userAgent,
    requestId: act.origin.requestId,
    entityId: input.entityId,
    projectId: projectOf(input),
    text: `${actor} ${input.text}`,
    entities: JSON.stringify([{ type: "author", start: 0, end: actor.length }]),
    payload: JSON.stringify(input.payload),
    previous: input.previous ? JSON.stringify(input.previous) : null,
    next: input.next ? JSON.stringify(input.next) : null,
  };
  const event = { ...unsigned, hash: chainHash(head.hash, unsigned) };
  const next = { ownerId, sequence: event.sequence, hash: event.hash, eventAt: event.createdAt };
  // These columns are indexed, so only the rare first event writes them.
  const isFirst = head.checkpointDueAt === null || head.oldestEventAt === null;
  const { sequence, id, type, createdAt, projectId } = event;
  const dueAt = act.now + CHECKPOINT_AFTER_MS;
  await insertEvent(tx, event);
  await (isFirst ? beginHead(tx, { ...next, dueAt }) : advanceHead(tx, next));
  const advanced: Head = {
    sequence,
    hash: event.hash,
    eventAt: createdAt,
    webhooks: head.webhooks,
    checkpointDueAt: head.checkpointDueAt ?? dueAt,
    oldestEventAt: head.oldestEventAt ?? createdAt,
  };
  tx.heads?.set(ownerId, advanced);
  if (head.webhooks > 0) {
    const recorded = { ownerId, sequence, id, type, projectId, createdAt };
    await enqueueDeliveries(tx, recorded, act.now, input.testedWebhook);
  }
  return event;
}

/**
 * Serialises changes of an owner until the transaction ends, for handlers that find their owner themselves or change more
 * than one. To avoid deadlocks, lock the instance first, then users, then teams by id. Returns whether this has waited: others may have
 * changed what the transaction read before. SQLite has one writer, and so nothing to wait for.
 */
export async function lockOwner(tx: Tx, ownerId: string): Promise<boolean> {
  if (tx.engine === "sqlite" || tx.heads?.has(ownerId)) return false;
  const head = await lockOwnerRow(tx, { ownerId });
  if (head) tx.heads?.set(ownerId, head);
  return true;
}

/** Updates the owner's number of webhooks, which tells whether events are queued for any; `by` is 1 or -1. */
export async function countWebhook(tx: Tx, ownerId: string, by: 1 | -1): Promise<void> {
  const head = tx.heads?.get(ownerId) as Head | undefined;
  await addToWebhooks(tx, { ownerId, by });
  if (head) tx.heads?.set(ownerId, { ...head, webhooks: head.webhooks + by });
}

const EMPTY_HEAD = { sequence: 0, hash: "", eventAt: 0, webhooks: 0, checkpointDueAt: null, oldestEventAt: null };

/** Creates the empty chain of a new user or team. Its first event follows in the same transaction. */
export async function startChain(tx: Tx, ownerId: string, kind: "user" | "team"): Promise<void> {
  await insertOwner(tx, { id: ownerId, kind });
  tx.heads?.set(ownerId, EMPTY_HEAD satisfies Head);
}
