// What checkpoints say of a chain, held against it as its events come by: those that the store keeps, and those that
// somebody kept elsewhere.
import type { Checkpoint, Trust } from "../checkpoint-schema.ts";
import type { ChainBreak, ChainBreakKind, VerifiedPosition } from "./chain-break.ts";
import { streamRows } from "../../../kernel/row-stream.ts";
import type { RowStream } from "../../../kernel/row-stream.ts";

export interface CheckpointCheck {
  /** Compares what is said of this place, and believes what is said of places before it. */
  compare(ownerId: string, place: VerifiedPosition): Promise<ChainBreak | null>;
  /** What is said of places behind the end of a chain. */
  compareBeyondEnd(ownerId: string, last: VerifiedPosition): Promise<ChainBreak | null>;
  /** What is said of owners before this one, of whom there is nothing else; null: all. */
  compareMissingOwners(before: string | null): Promise<ChainBreak | null>;
  /** How many were compared. */
  readonly count: () => number;
}

export function describeTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function faultOf(
  { ownerId, sequence }: Checkpoint,
  kind: ChainBreakKind,
  reason: string,
  eventId: string | null = null,
): ChainBreak {
  return { ownerId, sequence, eventId, kind, reason };
}

/** Why a checkpoint is not genuine. */
export function findForgery(checkpoint: Checkpoint, trust: Trust): ChainBreak | null {
  const reason = trust(checkpoint);
  return reason === null ? null : faultOf(checkpoint, "forged", reason);
}

/** `checkpoints` come by owner and sequence. */
export function createCheckpointCheck(checkpoints: RowStream<Checkpoint>, trust: Trust): CheckpointCheck {
  let count = 0;

  /** Takes the next one while it is about this owner, up to a place. */
  async function takeUpTo(ownerId: string, sequence: number): Promise<Checkpoint | undefined> {
    const next = await checkpoints.peek();
    return next?.ownerId === ownerId && next.sequence <= sequence ? await checkpoints.take() : undefined;
  }

  return {
    count: () => count,
    async compare(ownerId, place) {
      for (;;) {
        const checkpoint = await takeUpTo(ownerId, place.sequence);
        if (!checkpoint) return null;
        const forgery = findForgery(checkpoint, trust);
        if (forgery) return forgery;
        if (checkpoint.sequence < place.sequence) continue;
        count++;
        if (checkpoint.hash !== place.hash) {
          const reason = `its checkpoint of ${describeTime(checkpoint.createdAt)} has another hash: the chain was rewritten`;
          return faultOf(checkpoint, "contradicted", reason, place.eventId);
        }
      }
    },
    async compareBeyondEnd(ownerId, last) {
      const checkpoint = await takeUpTo(ownerId, Number.MAX_SAFE_INTEGER);
      if (!checkpoint) return null;
      const reason = `the chain had this event when a checkpoint was made, ${describeTime(checkpoint.createdAt)}, and ends at ${last.sequence}`;
      return findForgery(checkpoint, trust) ?? faultOf(checkpoint, "removed", reason);
    },
    async compareMissingOwners(before) {
      const checkpoint = await checkpoints.peek();
      if (!checkpoint || (before !== null && checkpoint.ownerId >= before)) return null;
      return findForgery(checkpoint, trust) ?? faultOf(checkpoint, "removed", "the row of its owner is missing");
    },
  };
}

/** Those of a list, which need not be in order. */
export function streamSorted(kept: readonly Checkpoint[]): RowStream<Checkpoint> {
  const sorted = kept.toSorted((a, b) => {
    if (a.ownerId !== b.ownerId) return a.ownerId < b.ownerId ? -1 : 1;
    return a.sequence - b.sequence;
  });
  return streamRows(async (last) => (last ? [] : sorted));
}
