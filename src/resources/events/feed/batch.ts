// Reads a chain stretch by stretch, oldest first, for answers that are sent while they are read. What one read takes is
// bounded in rows, in bytes and in the work of looking for them.
import { ApiError } from "../../../kernel/errors.ts";
import type { Tx } from "../../../kernel/tx.ts";
import { findEventRows, findEventSizes, readEvents } from "./feed.ts";
import type { EventFilter } from "./feed.ts";
import { findFirst } from "./feed-store.ts";
import type { EventRow, EventSize } from "./feed-store.ts";

const MAX_ROWS = 500;
/** Of what has no bound of its own; one event may exceed it. */
const MAX_BYTES = 1_048_576;
/** Of the chain, when a filter is looked for: each of its types and projects is one range of an index. */
const MAX_LENGTH = 4_000;
/** So few events need no look at their sizes first. */
const FEW = 4;

export interface Batch {
  readonly rows: readonly EventRow[];
  /** All that fits up to this sequence was read. */
  readonly through: number;
}

/** As many of the sizes as fit into one read. */
function cutBytes(sizes: readonly EventSize[]): readonly EventSize[] {
  let bytes = 0;
  const end = sizes.findIndex((size, index) => {
    bytes += size.bytes;
    return index > 0 && bytes > MAX_BYTES;
  });
  return end < 0 ? sizes : sizes.slice(0, end);
}

/** Refuses to go on after an event that is followed by others which are no longer kept. */
async function refusePruned(tx: Tx, ownerId: string, after: number, head: number): Promise<void> {
  const first = await findFirstSequence(tx, ownerId, head);
  if (first <= after + 1) return;
  throw new ApiError("events_pruned", `Events ${after + 1} to ${first - 1} are no longer kept`, {
    firstSequence: first,
  });
}

/** The events with `after < sequence < before` that fit, or the first of them; throws when some of the range are pruned. */
export async function readBatch(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: { readonly after: number; readonly before: number; readonly limit?: number },
): Promise<Batch> {
  const { after } = range;
  const before = Math.min(range.before, after + MAX_LENGTH + 1);
  const limit = Math.min(range.limit ?? MAX_ROWS, MAX_ROWS);
  let rows: readonly EventRow[];
  let through = before - 1;
  if (through - after <= Math.min(FEW, limit)) {
    rows = await readEvents(tx, ownerId, filter, { after, before, limit: FEW, direction: "oldest" });
  } else {
    const sizes = await findEventSizes(tx, ownerId, filter, { after, before, limit });
    const taken = cutBytes(sizes);
    rows = await findEventRows(tx, ownerId, filter, taken);
    const isAll = taken.length === sizes.length && sizes.length < limit;
    if (!isAll) through = (taken.at(-1) as EventSize).sequence;
  }
  // Looked for after reading, so that nothing can be pruned in between; and seldom, since chains have no gaps.
  if (rows[0]?.sequence !== after + 1) await refusePruned(tx, ownerId, after, range.before - 1);
  return { rows, through };
}

/** The sequence of the first event that is kept, or of the next one that will be. */
export async function findFirstSequence(tx: Tx, ownerId: string, head: number): Promise<number> {
  return (await findFirst(tx, { ownerId }))?.sequence ?? head + 1;
}
