// Compares checkpoints with a chain while its events are read: the checkpoints of the store, and those that an auditor has
// kept outside it.
import type { Checkpoint, Trust } from "../checkpoint-schema.ts";
import type { ChainBreak, ChainBreakKind, VerifiedPosition } from "./chain-break.ts";
import { streamRows } from "../../../platform/kernel/row-stream.ts";
import type { RowStream } from "../../../platform/kernel/row-stream.ts";

export interface CheckpointCheck {
  /** Compares the checkpoint of this position. Of checkpoints of earlier positions it verifies the signature alone. */
  compare(ownerId: string, position: VerifiedPosition): Promise<ChainBreak | null>;
  /** Reports a checkpoint of an event after the end of the chain. */
  compareBeyondEnd(ownerId: string, last: VerifiedPosition): Promise<ChainBreak | null>;
  /** Reports a checkpoint of an owner that has no row and whose id is before `before`; null: any id. */
  compareMissingOwners(before: string | null): Promise<ChainBreak | null>;
  /** How many checkpoints were compared. */
  readonly count: () => number;
}

function describeTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function breakOf(
  { ownerId, sequence }: Checkpoint,
  kind: ChainBreakKind,
  reason: string,
  eventId: string | null = null,
): ChainBreak {
  return { ownerId, sequence, eventId, kind, reason };
}

/** The break that a checkpoint shows when it is not trusted. */
export function findForgery(checkpoint: Checkpoint, trust: Trust): ChainBreak | null {
  const distrust = trust(checkpoint);
  return distrust && breakOf(checkpoint, distrust.kind, distrust.reason);
}

/** `checkpoints` are ordered by owner and sequence. */
export function createCheckpointCheck(checkpoints: RowStream<Checkpoint>, trust: Trust): CheckpointCheck {
  let count = 0;

  /** Takes the next checkpoint when it is of this owner, up to a sequence. */
  async function takeUpTo(ownerId: string, sequence: number): Promise<Checkpoint | undefined> {
    const next = await checkpoints.peek();
    return next?.ownerId === ownerId && next.sequence <= sequence ? await checkpoints.take() : undefined;
  }

  return {
    count: () => count,
    async compare(ownerId, position) {
      for (;;) {
        const checkpoint = await takeUpTo(ownerId, position.sequence);
        if (!checkpoint) return null;
        const forgery = findForgery(checkpoint, trust);
        if (forgery) return forgery;
        if (checkpoint.sequence < position.sequence) continue;
        count++;
        if (checkpoint.hash !== position.hash) {
          const reason = `its checkpoint of ${describeTime(checkpoint.createdAt)} has another hash: the chain was rewritten`;
          return breakOf(checkpoint, "contradicted", reason, position.eventId);
        }
      }
    },
    async compareBeyondEnd(ownerId, last) {
      const checkpoint = await takeUpTo(ownerId, Number.MAX_SAFE_INTEGER);
      if (!checkpoint) return null;
      const reason = `the chain had this event when a checkpoint was made, ${describeTime(checkpoint.createdAt)}, and ends at ${last.sequence}`;
      return findForgery(checkpoint, trust) ?? breakOf(checkpoint, "removed", reason);
    },
    async compareMissingOwners(before) {
      const checkpoint = await checkpoints.peek();
      if (!checkpoint || (before !== null && checkpoint.ownerId >= before)) return null;
      return findForgery(checkpoint, trust) ?? breakOf(checkpoint, "removed", "the row of its owner is missing");
    },
  };
}

/** Streams checkpoints in the order of owner and sequence. */
export function streamSorted(checkpoints: readonly Checkpoint[]): RowStream<Checkpoint> {
  const sorted = checkpoints.toSorted((a, b) => {
    if (a.ownerId !== b.ownerId) return a.ownerId < b.ownerId ? -1 : 1;
    return a.sequence - b.sequence;
  });
  return streamRows(async (last) => (last ? [] : sorted));
}
