// The live stream of the feed: first the events that the client has not seen yet, then each new event.
import type { ImplementsStreams } from "../../../platform/kernel/contract.ts";
import { fieldError, teamNotFound } from "../../../platform/kernel/errors.ts";
import type { ApiError } from "../../../platform/kernel/errors.ts";
import type { Chunk, ChunkRequest } from "../../../platform/kernel/stream.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { EventFilter } from "./feed.ts";
import type { EventRow } from "./feed-store.ts";
import { readFilter } from "./filter.ts";
import { eventText } from "../export/lines.ts";
import type { eventStreamContract } from "../stream-contract.ts";
import { findFirstSequence, readBatch, readHead } from "./batch.ts";

/** How long a client waits before it reconnects. */
const RETRY_MS = 3_000;

/** The progress of a stream: it has sent all matches up to `after`. */
interface LiveCursor {
  readonly ownerId: string;
  readonly filter: EventFilter;
  readonly after: number;
}

function invalidStart(field: string, expected: string): ApiError {
  return fieldError("invalid_cursor", field, `expected ${expected}`, { expected });
}

const SEQUENCE = /^\d{1,15}$/;

/** The last sequence that the client has seen; undefined when the request names none. */
function readSeen({ lastEventId }: ChunkRequest, after: number | undefined) {
  if (lastEventId === null) return after === undefined ? undefined : { field: "query.after", sequence: after };
  if (!SEQUENCE.test(lastEventId)) throw invalidStart("Last-Event-ID", "the id of an event of this stream");
  return { field: "Last-Event-ID", sequence: Number(lastEventId) };
}

/** The sequence after which a stream begins. */
async function startAfter(tx: Tx, ownerId: string, head: number, seen: ReturnType<typeof readSeen>): Promise<number> {
  if (!seen) return head;
  // The id is of another chain, or the store was restored to an earlier state. Nobody could tell which events are missing.
  if (seen.sequence > head) throw invalidStart(seen.field, `at most ${head}, the last event that there is`);
  return seen.sequence === 0 ? (await findFirstSequence(tx, ownerId, head)) - 1 : seen.sequence;
}

/** The `id` gives the client a `Last-Event-ID` before the first event. https://html.spec.whatwg.org/#dispatchMessage */
function openingOf(after: number): string {
  return `retry: ${RETRY_MS}\nid: ${after}\n: events after ${after}\n\n`;
}

function frameOf(row: EventRow, withPayload: boolean): string {
  return `id: ${row.sequence}\nevent: ${row.type}\ndata: ${eventText(row, withPayload)}\n\n`;
}

export const eventStreams: ImplementsStreams<typeof eventStreamContract> = {
  async streamEvents(tx, { scope: { ownerId }, query, chunk }): Promise<Chunk> {
    const { withPayload = false } = query;
    const head = await readHead(tx, ownerId);
    let cursor = chunk.cursor as LiveCursor | null;
    let opening = "";
    if (cursor === null) {
      const after = await startAfter(tx, ownerId, head, readSeen(chunk, query.after));
      cursor = { ownerId, filter: readFilter(query), after };
      opening = openingOf(after);
    }
    // Another team may have taken the slug of the query since the stream began.
    if (cursor.ownerId !== ownerId) throw teamNotFound();
    const { filter, after } = cursor;
    const awaits = { ownerId, sequence: head };
    if (after >= head) return { text: opening, next: cursor, awaits };
    const { rows, through } = await readBatch(tx, ownerId, filter, { after, before: head + 1 });
    return {
      text: opening + rows.map((row) => frameOf(row, withPayload)).join(""),
      next: { ...cursor, after: through } satisfies LiveCursor,
      ...(through >= head && { awaits }),
    };
  },
};
