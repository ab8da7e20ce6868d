// Proves that every chain is as it was written, or names the first row that is not. Reads page by page, so it works on
// a store of any size; on a live one give it a snapshot, since heads and events are read one after the other.
import type { Tx } from "../../../kernel/tx.ts";
import type { Checkpoint, Trust } from "../checkpoint-schema.ts";
import type { ChainBreak, ChainBreakKind, VerifiedPosition } from "./chain-break.ts";
import { GENESIS, followChain } from "./follow.ts";
import { streamRows } from "../../../kernel/row-stream.ts";
import type { RowStream } from "../../../kernel/row-stream.ts";
import { countStoredEvents, listChained, listCheckpoints, listHeads } from "./verify-store.ts";
import type { ChainHead, ChainedEvent } from "./verify-store.ts";
import { createCheckpointCheck, findForgery, streamSorted } from "./checkpoint-check.ts";
import type { CheckpointCheck } from "./checkpoint-check.ts";

const PAGE_SIZE = 500;
/** In a transaction that others wait for; events may be large. */
const SMALL_PAGE_SIZE = 50;

export interface VerifyOptions {
  /** Which checkpoints to believe. */
  readonly trust: Trust;
  /** Checkpoints that somebody kept elsewhere. */
  readonly kept?: readonly Checkpoint[];
  readonly onProgress?: (events: number, total: number) => void;
}

export interface VerifyResult {
  readonly owners: number;
  readonly events: number;
  /** How many checkpoints of the store were held against its chains. */
  readonly checkpoints: number;
  /** How many of those that were kept elsewhere: not those of events that were removed because of their age. */
  readonly kept: number;
  /** By owner id and sequence; null: every chain is whole. What comes after it was not looked at. */
  readonly firstFault: ChainBreak | null;
}

/** What only the head tells: events cut off at the end, and put there. */
function compareHead(head: ChainHead, last: VerifiedPosition, next: ChainedEvent | undefined): ChainBreak | null {
  const fault = (kind: ChainBreakKind, sequence: number, eventId: string | null, reason: string) => ({
    ownerId: head.id,
    sequence,
    eventId,
    kind,
    reason,
  });
  if (next?.owner_id === head.id) {
    return fault("inserted", next.sequence, next.id, `the chain ends at ${head.sequence}`);
  }
  if (head.sequence > last.sequence) {
    return fault(
      "removed",
      last.sequence + 1,
      null,
      `the chain goes to ${head.sequence}, its events to ${last.sequence}`,
    );
  }
  // The instance is an owner to be locked; all others begin with an event.
  if (head.sequence === 0 && head.kind !== "instance") return fault("removed", 1, null, "the owner has no events");
  if (head.hash !== last.hash) {
    return fault("changed", last.sequence, last.eventId, "the owner's row holds another hash than its last event");
  }
  return null;
}

/** Where the events of a chain begin: behind those that were removed because of their age, or with the first. */
async function findStart(
  ownerId: string,
  stored: RowStream<Checkpoint>,
  trust: Trust,
): Promise<{ readonly start: VerifiedPosition; readonly fault: ChainBreak | null }> {
  const first = await stored.peek();
  // With the events go the checkpoints of them, so the one where the chain was cut is the first.
  if (first?.ownerId !== ownerId || first.reason !== "prune") return { start: GENESIS, fault: null };
  return {
    start: { sequence: first.sequence, hash: first.hash, eventId: null },
    fault: findForgery(first, trust),
  };
}

interface Sources {
  readonly rows: RowStream<ChainedEvent>;
  readonly stored: RowStream<Checkpoint>;
  readonly trust: Trust;
  readonly checkpointChecks: readonly CheckpointCheck[];
}

async function findFirstBreak(
  checkpointChecks: readonly CheckpointCheck[],
  ask: (checkpointCheck: CheckpointCheck) => Promise<ChainBreak | null>,
): Promise<ChainBreak | null> {
  for (const checkpointCheck of checkpointChecks) {
    const fault = await ask(checkpointCheck);
    if (fault) return fault;
  }
  return null;
}

/** Verifies the chain that the sources stand at, and leaves them behind it. */
async function verifyChain(
  head: ChainHead,
  { rows, stored, trust, checkpointChecks }: Sources,
  countEvent: () => void,
): Promise<ChainBreak | null> {
  const { id: ownerId } = head;
  const { start, fault: forgery } = await findStart(ownerId, stored, trust);
  if (forgery) return forgery;
  const check = (place: VerifiedPosition) =>
    findFirstBreak(checkpointChecks, (checkpointCheck) => checkpointCheck.compare(ownerId, place));
  const atStart = await check(start);
  if (atStart) return atStart;
  const { last, fault } = await followChain(rows, {
    ownerId,
    start,
    until: head.sequence,
    async check(place) {
      countEvent();
      return await check(place);
    },
  });
  return (
    fault ??
    compareHead(head, last, await rows.peek()) ??
    (await findFirstBreak(checkpointChecks, (checkpointCheck) => checkpointCheck.compareBeyondEnd(ownerId, last)))
  );
}

/** Verifies an owner's chain up to the event `until`, and what checkpoints say of it. */
export async function verifyBeginning(
  tx: Tx,
  { ownerId, until, trust }: { readonly ownerId: string; readonly until: number; readonly trust: Trust },
): Promise<ChainBreak | null> {
  const page = (last: { readonly sequence: number } | undefined, limit: number) => ({
    ownerId,
    sequence: last?.sequence ?? Number.MIN_SAFE_INTEGER,
    limit,
  });
  const rows = streamRows<ChainedEvent>(async (last) => await listChained(tx, page(last, SMALL_PAGE_SIZE)));
  const stored = streamRows<Checkpoint>(async (last) => await listCheckpoints(tx, page(last, SMALL_PAGE_SIZE)));
  const checkpointCheck = createCheckpointCheck(stored, trust);
  const { start, fault: forgery } = await findStart(ownerId, stored, trust);
  const check = (place: VerifiedPosition) => checkpointCheck.compare(ownerId, place);
  const atStart = forgery ?? (await check(start));
  if (atStart) return atStart;
  const { last, fault } = await followChain(rows, { ownerId, start, until, check });
  if (fault || last.sequence >= until) return fault;
  const reason = `the chain goes to ${until}, its events to ${last.sequence}`;
  return { ownerId, sequence: last.sequence + 1, eventId: null, kind: "removed", reason };
}

function orphaned({ owner_id: ownerId, sequence, id: eventId }: ChainedEvent): ChainBreak {
  return { ownerId, sequence, eventId, kind: "removed", reason: "the row of its owner is missing" };
}

/** Verifies the chains of all owners, deleted ones too. */
export async function verifyChains(tx: Tx, options: VerifyOptions): Promise<VerifyResult> {
  const { trust, kept = [], onProgress } = options;
  const total = (await countStoredEvents(tx, {}))?.events ?? 0;
  let owners = 0;
  let events = 0;
  const heads = streamRows<ChainHead>(
    async (last) => await listHeads(tx, { afterId: last?.id ?? "", limit: PAGE_SIZE }),
  );
  const rows = streamRows<ChainedEvent>(async (last) => {
    onProgress?.(events, total);
    return await listChained(tx, { ownerId: last?.owner_id ?? "", sequence: last?.sequence ?? 0, limit: PAGE_SIZE });
  });
  const stored = streamRows<Checkpoint>(
    async (last) =>
      await listCheckpoints(tx, { ownerId: last?.ownerId ?? "", sequence: last?.sequence ?? 0, limit: PAGE_SIZE }),
  );
  const own = createCheckpointCheck(stored, trust);
  const elsewhere = createCheckpointCheck(streamSorted(kept), trust);
  const checkpointChecks = [own, elsewhere];
  for (;;) {
    const head = await heads.take();
    const row = await rows.peek();
    let firstFault = await findFirstBreak(checkpointChecks, (checkpointCheck) =>
      checkpointCheck.compareMissingOwners(head?.id ?? null),
    );
    if (row && (!head || row.owner_id < head.id)) firstFault ??= orphaned(row);
    else if (head && !firstFault) {
      owners++;
      firstFault = await verifyChain(head, { rows, stored, trust, checkpointChecks }, () => events++);
    }
    if (firstFault || !head) {
      onProgress?.(events, total);
      return { owners, events, checkpoints: own.count(), kept: elsewhere.count(), firstFault };
    }
  }
}
