// Verifies that every chain is as it was written, or names the first row that is not. It reads page by page, so it works on
// a store of any size. On a live store it needs a snapshot, since it reads heads and events one after the other.
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { Checkpoint, Trust } from "../checkpoint-schema.ts";
import type { ChainBreak, ChainBreakKind, VerifiedPosition } from "./chain-break.ts";
import { GENESIS, followChain } from "./follow.ts";
import { streamRows } from "../../../platform/kernel/row-stream.ts";
import type { RowStream } from "../../../platform/kernel/row-stream.ts";
import { countStoredEvents, listChained, listCheckpoints, listHeads } from "./verify-store.ts";
import type { ChainHead, ChainedEvent } from "./verify-store.ts";
import { createCheckpointCheck, findForgery, streamSorted } from "./checkpoint-check.ts";
import type { CheckpointCheck } from "./checkpoint-check.ts";

const PAGE_SIZE = 500;
/** For a transaction that others wait for, since events may be large. */
const SMALL_PAGE_SIZE = 50;

export interface VerifyOptions {
  /** Which checkpoints to trust. */
  readonly trust: Trust;
  /** Checkpoints that an auditor has kept outside the store. */
  readonly kept?: readonly Checkpoint[];
  readonly onProgress?: (events: number, total: number) => void;
}

export interface VerifyResult {
  readonly owners: number;
  readonly events: number;
  /** How many checkpoints of the store were compared. */
  readonly checkpoints: number;
  /** How many of the auditor's checkpoints were compared; those of pruned events are not. */
  readonly kept: number;
  /** The first break by owner id and sequence, where verification ends; null when every chain is whole. */
  readonly firstFault: ChainBreak | null;
}

/** Finds what only the head reveals: events removed from the end, and events appended there. */
function compareHead(head: ChainHead, last: VerifiedPosition, next: ChainedEvent | undefined): ChainBreak | null {
  const breakAt = (kind: ChainBreakKind, sequence: number, eventId: string | null, reason: string) => ({
    ownerId: head.id,
    sequence,
    eventId,
    kind,
    reason,
  });
  if (next?.ownerId === head.id) {
    return breakAt("inserted", next.sequence, next.id, `the chain ends at ${head.sequence}`);
  }
  if (head.sequence > last.sequence) {
    return breakAt(
      "removed",
      last.sequence + 1,
      null,
      `the chain goes to ${head.sequence}, its events to ${last.sequence}`,
    );
  }
  // The chain of the instance may be empty; every other chain begins with an event.
  if (head.sequence === 0 && head.kind !== "instance") return breakAt("removed", 1, null, "the owner has no events");
  if (head.hash !== last.hash) {
    return breakAt("changed", last.sequence, last.eventId, "the owner's row holds another hash than its last event");
  }
  return null;
}

/** Finds the position before the first stored event: the last pruned event, or the beginning of the chain. */
async function findStart(
  ownerId: string,
  stored: RowStream<Checkpoint>,
  trust: Trust,
): Promise<{ readonly start: VerifiedPosition; readonly forgery: ChainBreak | null }> {
  const first = await stored.peek();
  // Pruning also removes the checkpoints of the pruned events, so the one where the chain was cut is the first.
  if (first?.ownerId !== ownerId || first.reason !== "prune") return { start: GENESIS, forgery: null };
  return {
    start: { sequence: first.sequence, hash: first.hash, eventId: null },
    forgery: findForgery(first, trust),
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
  run: (checkpointCheck: CheckpointCheck) => Promise<ChainBreak | null>,
): Promise<ChainBreak | null> {
  for (const checkpointCheck of checkpointChecks) {
    const chainBreak = await run(checkpointCheck);
    if (chainBreak) return chainBreak;
  }
  return null;
}

/** Verifies the chain whose rows are next in the sources, and reads them to its end. */
async function verifyChain(
  head: ChainHead,
  { rows, stored, trust, checkpointChecks }: Sources,
  countEvent: () => void,
): Promise<ChainBreak | null> {
  const { id: ownerId } = head;
  const { start, forgery } = await findStart(ownerId, stored, trust);
  if (forgery) return forgery;
  const check = (position: VerifiedPosition) =>
    findFirstBreak(checkpointChecks, (checkpointCheck) => checkpointCheck.compare(ownerId, position));
  const atStart = await check(start);
  if (atStart) return atStart;
  const { last, chainBreak } = await followChain(rows, {
    ownerId,
    start,
    until: head.sequence,
    async check(position) {
      countEvent();
      return await check(position);
    },
  });
  return (
    chainBreak ??
    compareHead(head, last, await rows.peek()) ??
    (await findFirstBreak(checkpointChecks, (checkpointCheck) => checkpointCheck.compareBeyondEnd(ownerId, last)))
  );
}

/** Verifies an owner's chain up to the sequence `until`, and the store's checkpoints of it. */
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
  const { start, forgery } = await findStart(ownerId, stored, trust);
  const check = (position: VerifiedPosition) => checkpointCheck.compare(ownerId, position);
  const atStart = forgery ?? (await check(start));
  if (atStart) return atStart;
  const { last, chainBreak } = await followChain(rows, { ownerId, start, until, check });
  if (chainBreak || last.sequence >= until) return chainBreak;
  const reason = `the chain goes to ${until}, its events to ${last.sequence}`;
  return { ownerId, sequence: last.sequence + 1, eventId: null, kind: "removed", reason };
}

function orphaned({ ownerId, sequence, id: eventId }: ChainedEvent): ChainBreak {
  return { ownerId, sequence, eventId, kind: "removed", reason: "the row of its owner is missing" };
}

/** Verifies the chains of all owners, deleted ones included. */
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
    return await listChained(tx, { ownerId: last?.ownerId ?? "", sequence: last?.sequence ?? 0, limit: PAGE_SIZE });
  });
  const stored = streamRows<Checkpoint>(
    async (last) =>
      await listCheckpoints(tx, { ownerId: last?.ownerId ?? "", sequence: last?.sequence ?? 0, limit: PAGE_SIZE }),
  );
  const ofStore = createCheckpointCheck(stored, trust);
  const ofAuditor = createCheckpointCheck(streamSorted(kept), trust);
  const checkpointChecks = [ofStore, ofAuditor];
  for (;;) {
    const head = await heads.take();
    const row = await rows.peek();
    let firstFault = await findFirstBreak(checkpointChecks, (checkpointCheck) =>
      checkpointCheck.compareMissingOwners(head?.id ?? null),
    );
    if (row && (!head || row.ownerId < head.id)) firstFault ??= orphaned(row);
    else if (head && !firstFault) {
      owners++;
      firstFault = await verifyChain(head, { rows, stored, trust, checkpointChecks }, () => events++);
    }
    if (firstFault || !head) {
      onProgress?.(events, total);
      return { owners, events, checkpoints: ofStore.count(), kept: ofAuditor.count(), firstFault };
    }
  }
}
