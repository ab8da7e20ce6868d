// Follows an owner's chain from a verified position, and stops at the first row that does not continue it.
import { MAX_SHIFT, diagnoseBreak, follows } from "./chain-break.ts";
import type { ChainBreak, VerifiedPosition } from "./chain-break.ts";
import type { RowStream } from "../../../platform/kernel/row-stream.ts";
import type { ChainedEvent } from "./verify-store.ts";

/** The position before the first event. */
export const GENESIS: VerifiedPosition = { sequence: 0, hash: "", eventId: null };

export interface ChainRange {
  readonly ownerId: string;
  readonly start: VerifiedPosition;
  /** The sequence of the last event to verify. */
  readonly until: number;
  /** Checks each event that continues the chain further, such as against checkpoints. */
  check(position: VerifiedPosition): Promise<ChainBreak | null>;
}

export interface FollowResult {
  /** The last verified position. */
  readonly last: VerifiedPosition;
  /** The break after it; null when the owner's rows end, or `until` is reached. */
  readonly chainBreak: ChainBreak | null;
}

/** Follows the chain whose rows are next in the stream. */
export async function followChain(rows: RowStream<ChainedEvent>, range: ChainRange): Promise<FollowResult> {
  const verified: VerifiedPosition[] = [range.start];
  for (;;) {
    const last = verified.at(-1) as VerifiedPosition;
    const row = last.sequence < range.until ? await rows.peek() : undefined;
    if (row?.ownerId !== range.ownerId) return { last, chainBreak: null };
    await rows.take();
    const isContinued = row.sequence === last.sequence + 1 && follows(last.hash, row, row.sequence);
    if (!isContinued) return { last, chainBreak: await diagnoseBreak(verified, row, rows) };
    const position = { sequence: row.sequence, hash: row.hash, eventId: row.id };
    const chainBreak = await range.check(position);
    if (chainBreak) return { last, chainBreak };
    verified.push(position);
    if (verified.length > MAX_SHIFT + 1) verified.shift();
  }
}
