// Reads a chain in batches, oldest first, for streamed responses. A batch is bounded in rows, in bytes, and in the events
// that a filter examines.
import { ApiError } from "../../../platform/kernel/errors.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { findEventRows, findEventSizes, readEvents } from "./feed.ts";
import type { EventFilter } from "./feed.ts";
import { findHead } from "../store.ts";
import { findFirst } from "./feed-store.ts";
import type { EventRow, EventSize } from "./feed-store.ts";

const MAX_ROWS = 500;
/** Of payloads and states, which have no bound of their own. A single event may exceed it. */
const MAX_BYTES = 1_048_576;
/** Sequences that a batch covers, whatever the filter: each type and project of a filter is one range of an index. */
const MAX_SEQUENCES = 4_000;
/** Up to this number of events, the sizes are not read first. */
const MAX_UNSIZED = 4;

export interface Batch {
  readonly rows: readonly EventRow[];
  /** The batch has all matches up to this sequence. */
  readonly through: number;
}

/** The leading sizes that fit into one batch. */
function cutBytes(sizes: readonly EventSize[]): readonly EventSize[] {
  let bytes = 0;
  const end = sizes.findIndex((size, index) => {
    bytes += size.bytes;
    return index > 0 && bytes > MAX_BYTES;
  });
  return end < 0 ? sizes : sizes.slice(0, end);
}

/** Throws when events between `after` and the first stored event have been pruned. */
async function refusePruned(tx: Tx, ownerId: string, after: number, head: number): Promise<void> {
  const first = await findFirstSequence(tx, ownerId, head);
  if (first <= after + 1) return;
  throw new ApiError("events_pruned", `Events ${after + 1} to ${first - 1} are no longer kept`, {
    firstSequence: first,
  });
}

/** Reads the first matches with `after < sequence < before`; throws when events of the range have been pruned. */
export async function readBatch(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: { readonly after: number; readonly before: number; readonly limit?: number },
): Promise<Batch> {
  const { after } = range;
  const before = Math.min(range.before, after + MAX_SEQUENCES + 1);
  const limit = Math.min(range.limit ?? MAX_ROWS, MAX_ROWS);
  let rows: readonly EventRow[];
  let through = before - 1;
  if (through - after <= Math.min(MAX_UNSIZED, limit)) {
    rows = await readEvents(tx, ownerId, filter, { after, before, limit: MAX_UNSIZED, direction: "oldest" });
  } else {
    const sizes = await findEventSizes(tx, ownerId, filter, { after, before, limit });
    const fitting = cutBytes(sizes);
    rows = await findEventRows(tx, ownerId, filter, fitting);
    const isAll = fitting.length === sizes.length && sizes.length < limit;
    if (!isAll) through = (fitting.at(-1) as EventSize).sequence;
  }
  // Checked after reading, so that no event can be pruned in between. Rarely needed, since chains have no gaps.
  if (rows[0]?.sequence !== after + 1) await refusePruned(tx, ownerId, after, range.before - 1);
  return { rows, through };
}

/** The sequence of the owner's last event; 0 when there is none. Read before events, all events up to it are committed. */
export async function readHead(tx: Tx, ownerId: string): Promise<number> {
  return (await findHead(tx, { ownerId }))?.sequence ?? 0;
}

/** The sequence of the first stored event; of the next event when none is stored. */
export async function findFirstSequence(tx: Tx, ownerId: string, head: number): Promise<number> {
  return (await findFirst(tx, { ownerId }))?.sequence ?? head + 1;
}
