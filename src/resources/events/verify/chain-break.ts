// What was done to a chain, as far as its hashes tell: each row still carries the hash that it had in its true place.
import { chainHash } from "../chain.ts";
import type { RowStream } from "../../../kernel/row-stream.ts";
import type { ChainedEvent } from "./verify-store.ts";

/** The last two are of checkpoints: one that is not genuine, and one that says otherwise than the chain. */
export type ChainBreakKind = "changed" | "removed" | "inserted" | "reordered" | "forged" | "contradicted";

export interface ChainBreak {
  readonly ownerId: string;
  /** The first place where the chain is not as it was written. */
  readonly sequence: number;
  /** The event that stands there; null when it is gone. */
  readonly eventId: string | null;
  readonly kind: ChainBreakKind;
  /** For people: what was found. */
  readonly reason: string;
}

/** A place in the chain up to which all is well. */
export interface VerifiedPosition {
  readonly sequence: number;
  readonly hash: string;
  readonly eventId: string | null;
}

// How many events in a row may have been put in or taken out and still be told from changed ones.
export const MAX_SHIFT = 16;

/** Was `event` written as number `sequence`, after an event with the hash `previousHash`? */
export function follows(previousHash: string, event: ChainedEvent, sequence: number): boolean {
  return chainHash(previousHash, { ...event, sequence }) === event.hash;
}

/** Looks for the event that belongs at `sequence`, and answers it with the one that stands after it. */
async function findDisplaced(
  rest: RowStream<ChainedEvent>,
  ownerId: string,
  previousHash: string,
  sequence: number,
): Promise<{ readonly found: ChainedEvent; readonly after: ChainedEvent | undefined } | undefined> {
  for (;;) {
    const found = await rest.take();
    if (found?.owner_id !== ownerId) return undefined;
    const after = await rest.peek();
    if (follows(previousHash, found, sequence))
      return { found, after: after?.owner_id === ownerId ? after : undefined };
  }
}

/**
 * Names what is wrong with `row`, the first that does not continue the chain. `good` holds the last good places, the
 * newest last; `rest` what comes after `row`.
 */
export async function diagnose(
  good: readonly VerifiedPosition[],
  row: ChainedEvent,
  rest: RowStream<ChainedEvent>,
): Promise<ChainBreak> {
  const { owner_id: ownerId } = row;
  const last = good.at(-1) as VerifiedPosition;
  const sequence = last.sequence + 1;
  const fault = (kind: ChainBreakKind, eventId: string | null, reason: string, at = sequence): ChainBreak => ({
    ownerId,
    sequence: at,
    eventId,
    kind,
    reason,
  });
  if (follows(last.hash, row, sequence)) return fault("changed", row.id, `its sequence was changed to ${row.sequence}`);
  if (row.sequence < sequence) {
    const reason =
      last.sequence === 0 ? "chains begin with event 1" : `it does not belong behind event ${last.sequence}`;
    return fault("inserted", row.id, reason, row.sequence);
  }
  if (row.sequence > sequence) return fault("removed", null, `event ${sequence} is missing`);

  // Written before events that are well-formed but came between later.
  const origin = good.findLastIndex(
    (place, index) => index < good.length - 1 && follows(place.hash, row, place.sequence + 1),
  );
  const intruder = origin < 0 ? undefined : good[origin + 1];
  if (intruder) return fault("inserted", intruder.eventId, "it was not written here", intruder.sequence);

  const next = await rest.peek();
  const isRenumbered =
    next?.owner_id === ownerId &&
    Array.from({ length: MAX_SHIFT }, (_, index) => next.sequence + index + 1).some((was) =>
      follows(row.hash, next, was),
    );
  if (isRenumbered) return fault("removed", null, `event ${sequence} is missing, and later ones were renumbered`);

  const displaced = await findDisplaced(rest, ownerId, last.hash, sequence);
  if (!displaced) {
    return fault("changed", row.id, "its hash does not fit it and the event before it: one of the two was changed");
  }
  const { found, after } = displaced;
  const isShifted = after ? follows(found.hash, after, sequence + 1) : !follows(found.hash, row, sequence + 1);
  if (isShifted) return fault("inserted", row.id, "it was not written here");
  return fault("reordered", row.id, `event ${found.id}, now number ${found.sequence}, was written here`);
}
