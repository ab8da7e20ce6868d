// Exports of the feed: all events that match the query, oldest first, up to the one that was the newest when the export
// began. When events are pruned before the export has read them, it fails instead of silently leaving them out.
import type { Call, ChunkHandler, ImplementsStreams } from "../../../platform/kernel/contract.ts";
import { teamNotFound } from "../../../platform/kernel/errors.ts";
import type { Chunk } from "../../../platform/kernel/stream.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { eventsContract } from "../contract.ts";
import type { eventExportContract } from "./export-contract.ts";
import { formatOf } from "./export-format.ts";
import { sequenceBefore } from "../feed/feed.ts";
import type { EventFilter } from "../feed/feed.ts";
import { invalidQuery, readBounds, readFilter, refuseCursor } from "../feed/filter.ts";
import { findFirstSequence, readBatch, readHead } from "../feed/batch.ts";

/** The progress of an export: it has sent all matches up to `after`, and ends below `before`. */
interface ExportCursor {
  readonly ownerId: string;
  readonly filter: EventFilter;
  readonly after: number;
  readonly before: number;
  /** How many more events to send; null: all. */
  readonly remaining: number | null;
}

async function beginExport(
  tx: Tx,
  { scope: { ownerId }, query }: Call<typeof eventsContract.listEvents>,
): Promise<ExportCursor> {
  if (query.instance)
    throw invalidQuery("instance", "expected with Accept: application/json; an export is of one owner");
  refuseCursor(query);
  const head = await readHead(tx, ownerId);
  const { after, before } = await readBounds(query, (time) => sequenceBefore(tx, ownerId, time));
  return {
    ownerId,
    filter: readFilter(query),
    after: Math.max(after, (await findFirstSequence(tx, ownerId, head)) - 1),
    before: Math.min(before, head + 1),
    remaining: query.limit ?? null,
  };
}

const exportChunk: ChunkHandler<typeof eventsContract.listEvents> = async (tx, call): Promise<Chunk> => {
  const { scope, query, chunk } = call;
  const format = formatOf(chunk.mediaType, query);
  const isFirst = chunk.cursor === null;
  const cursor = isFirst ? await beginExport(tx, call) : (chunk.cursor as ExportCursor);
  const { ownerId, filter, after, before, remaining } = cursor;
  // Another team may have taken the slug of the query since the export began.
  if (ownerId !== scope.ownerId) throw teamNotFound();
  if (after + 1 >= before) return { text: format.header, next: null };
  const range = { after, before, ...(remaining !== null && { limit: remaining }) };
  const { rows, through } = await readBatch(tx, ownerId, filter, range);
  const left = remaining === null ? null : remaining - rows.length;
  const isLast = through + 1 >= before || left === 0;
  return {
    text: (isFirst ? format.header : "") + rows.map(format.line).join(""),
    next: isLast ? null : ({ ...cursor, after: through, remaining: left } satisfies ExportCursor),
  };
};

export const eventExports: ImplementsStreams<typeof eventExportContract> = { exportEvents: exportChunk };
/** The deprecated way. */
export const eventsExports: ImplementsStreams<typeof eventsContract> = { listEvents: exportChunk };
