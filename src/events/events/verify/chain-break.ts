// Diagnoses a break of a chain from its hashes: a row that was moved or renumbered still has the hash of its original
// sequence.
import { chainHash } from "../chain.ts";
import type { RowStream } from "../../../platform/kernel/row-stream.ts";
import type { Distrust } from "../checkpoint-schema.ts";
import type { ChainedEvent } from "./verify-store.ts";

/** `contradicted`: a genuine checkpoint has another hash than the chain. */
export type ChainBreakKind = "changed" | "removed" | "inserted" | "reordered" | "contradicted" | Distrust["kind"];

export interface ChainBreak {
  readonly ownerId: string;
  /** The first sequence at which the chain is not as it was written. */
  readonly sequence: number;
  /** The event with that sequence; null when it is missing. */
  readonly eventId: string | null;
  readonly kind: ChainBreakKind;
  /** What was found, as text for people. */
  readonly reason: string;
}

/** An event up to which the chain is verified. */
export interface VerifiedPosition {
  readonly sequence: number;
  readonly hash: string;
  readonly eventId: string | null;
}

/** How many consecutive events may be inserted or removed and still be told from changed ones. */
export const MAX_SHIFT = 16;

/** Whether `event` was written with `sequence`, after an event with the hash `previousHash`. */
export function follows(previousHash: string, event: ChainedEvent, sequence: number): boolean {
  return chainHash(previousHash, { ...event, sequence }) === event.hash;
}

/** Finds the event that was written with `sequence`, and the one that now follows it. */
async function findDisplaced(
  rest: RowStream<ChainedEvent>,
  ownerId: string,
  previousHash: string,
  sequence: number,
): Promise<{ readonly found: ChainedEvent; readonly after: ChainedEvent | undefined } | undefined> {
  for (;;) {
    const found = await rest.take();
    if (found?.ownerId !== ownerId) return undefined;
    const after = await rest.peek();
    if (follows(previousHash, found, sequence)) return { found, after: after?.ownerId === ownerId ? after : undefined };
  }
}

/**
 * Diagnoses `row`, the first row that does not continue the chain. `verified` holds the last verified positions, the newest
 * last; `rest` is the rows after `row`.
 */
export async function diagnoseBreak(
  verified: readonly VerifiedPosition[],
  row: ChainedEvent,
  rest: RowStream<ChainedEvent>,
): Promise<ChainBreak> {
  const { ownerId } = row;
  const last = verified.at(-1) as VerifiedPosition;
  const sequence = last.sequence + 1;
  const breakAt = (kind: ChainBreakKind, eventId: string | null, reason: string, at = sequence): ChainBreak => ({
    ownerId,
    sequence: at,
    eventId,
    kind,
    reason,
  });
  if (follows(last.hash, row, sequence))
    return breakAt("changed", row.id, `its sequence was changed to ${row.sequence}`);
  if (row.sequence < sequence) {
    const reason =
      last.sequence === 0 ? "chains begin with event 1" : `it does not belong behind event ${last.sequence}`;
    return breakAt("inserted", row.id, reason, row.sequence);
  }
  if (row.sequence > sequence) return breakAt("removed", null, `event ${sequence} is missing`);

  // The row was written directly after an earlier position: the rows between were inserted with valid hashes.
  const origin = verified.findLastIndex(
    (position, index) => index < verified.length - 1 && follows(position.hash, row, position.sequence + 1),
  );
  const intruder = origin < 0 ? undefined : verified[origin + 1];
  if (intruder) return breakAt("inserted", intruder.eventId, "it was not written here", intruder.sequence);

  const next = await rest.peek();
  const isRenumbered =
    next?.ownerId === ownerId &&
    Array.from({ length: MAX_SHIFT }, (_, index) => next.sequence + index + 1).some((was) =>
      follows(row.hash, next, was),
    );
  if (isRenumbered) return breakAt("removed", null, `event ${sequence} is missing, and later ones were renumbered`);

  const displaced = await findDisplaced(rest, ownerId, last.hash, sequence);
  if (!displaced) {
    return breakAt("changed", row.id, "its hash does not fit it and the event before it: one of the two was changed");
  }
  const { found, after } = displaced;
  const isShifted = after ? follows(found.hash, after, sequence + 1) : !follows(found.hash, row, sequence + 1);
  if (isShifted) return breakAt("inserted", row.id, "it was not written here");
  return breakAt("reordered", row.id, `event ${found.id}, now number ${found.sequence}, was written here`);
}
