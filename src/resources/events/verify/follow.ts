// Goes along an owner's chain, from a place that is known to be good, and stops at the first row that does not go on.
import { MAX_SHIFT, diagnose, follows } from "./chain-break.ts";
import type { ChainBreak, VerifiedPosition } from "./chain-break.ts";
import type { RowStream } from "../../../kernel/row-stream.ts";
import type { ChainedEvent } from "./verify-store.ts";

/** Before the first event. */
export const GENESIS: VerifiedPosition = { sequence: 0, hash: "", eventId: null };

export interface ChainRange {
  readonly ownerId: string;
  readonly start: VerifiedPosition;
  /** The last event to look at. */
  readonly until: number;
  /** What else is known of each event that goes on from the one before. */
  check(place: VerifiedPosition): Promise<ChainBreak | null>;
}

/** How far all is well, and what is wrong behind that; null where the owner's rows end, or `until` was reached. */
export interface FollowResult {
  readonly last: VerifiedPosition;
  readonly fault: ChainBreak | null;
}

/** Follows the chain whose rows come next. */
export async function followChain(rows: RowStream<ChainedEvent>, range: ChainRange): Promise<FollowResult> {
  const good: VerifiedPosition[] = [range.start];
  for (;;) {
    const last = good.at(-1) as VerifiedPosition;
    const row = last.sequence < range.until ? await rows.peek() : undefined;
    if (row?.owner_id !== range.ownerId) return { last, fault: null };
    await rows.take();
    const isContinued = row.sequence === last.sequence + 1 && follows(last.hash, row, row.sequence);
    if (!isContinued) return { last, fault: await diagnose(good, row, rows) };
    const place = { sequence: row.sequence, hash: row.hash, eventId: row.id };
    const fault = await range.check(place);
    if (fault) return { last, fault };
    good.push(place);
    if (good.length > MAX_SHIFT + 1) good.shift();
  }
}
