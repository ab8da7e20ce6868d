// Proves that every chain is as it was written, or names the first row that is not. Reads page by page, so it works on
// a store of any size; on a live one give it a snapshot, since heads and events are read one after the other.
import type { Tx } from "../../kernel/tx.ts";
import { MAX_SHIFT, diagnose, follows } from "./fault.ts";
import type { ChainFault, FaultKind, GoodPlace } from "./fault.ts";
import { streamRows } from "./row-stream.ts";
import type { RowStream } from "./row-stream.ts";
import { listChained, listHeads } from "./verify-store.ts";
import type { ChainHead, ChainedEvent } from "./verify-store.ts";

const PAGE_SIZE = 500;

export interface VerifyProgress {
  readonly owners: number;
  readonly events: number;
}

export interface VerifyResult extends VerifyProgress {
  /** By owner id and sequence; null: every chain is whole. What comes after it was not looked at. */
  readonly firstFault: ChainFault | null;
}

/** What only the head tells: events cut off at the end, and put there. */
function compareHead(head: ChainHead, last: GoodPlace): ChainFault | null {
  const fault = (kind: FaultKind, sequence: number, eventId: string | null, reason: string) => ({
    ownerId: head.id,
    sequence,
    eventId,
    kind,
    reason,
  });
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

/** Verifies the chain that `rows` stands at, and leaves `rows` behind it. */
async function verifyChain(
  head: ChainHead,
  rows: RowStream<ChainedEvent>,
  countEvent: () => void,
): Promise<ChainFault | null> {
  const good: GoodPlace[] = [{ sequence: 0, hash: "", eventId: null }];
  for (;;) {
    const last = good.at(-1) as GoodPlace;
    const row = await rows.peek();
    if (row?.owner_id !== head.id) return compareHead(head, last);
    await rows.take();
    countEvent();
    if (last.sequence === head.sequence) {
      const reason = `the chain ends at ${head.sequence}`;
      return { ownerId: head.id, sequence: row.sequence, eventId: row.id, kind: "inserted", reason };
    }
    const isContinued = row.sequence === last.sequence + 1 && follows(last.hash, row, row.sequence);
    if (!isContinued) return await diagnose(good, row, rows);
    good.push({ sequence: row.sequence, hash: row.hash, eventId: row.id });
    if (good.length > MAX_SHIFT + 1) good.shift();
  }
}

function orphaned({ owner_id: ownerId, sequence, id: eventId }: ChainedEvent): ChainFault {
  return { ownerId, sequence, eventId, kind: "removed", reason: "the row of its owner is missing" };
}

/** Verifies the chains of all owners, deleted ones too. */
export async function verifyChains(tx: Tx, onProgress?: (progress: VerifyProgress) => void): Promise<VerifyResult> {
  let owners = 0;
  let events = 0;
  const heads = streamRows<ChainHead>(
    async (last) => await listHeads(tx, { afterId: last?.id ?? "", limit: PAGE_SIZE }),
  );
  const rows = streamRows<ChainedEvent>(async (last) => {
    onProgress?.({ owners, events });
    return await listChained(tx, { ownerId: last?.owner_id ?? "", sequence: last?.sequence ?? 0, limit: PAGE_SIZE });
  });
  for (;;) {
    const head = await heads.take();
    const row = await rows.peek();
    let firstFault: ChainFault | null = null;
    if (row && (!head || row.owner_id < head.id)) firstFault = orphaned(row);
    else if (head) {
      owners++;
      firstFault = await verifyChain(head, rows, () => events++);
    }
    if (firstFault || !head) {
      onProgress?.({ owners, events });
      return { owners, events, firstFault };
    }
  }
}
