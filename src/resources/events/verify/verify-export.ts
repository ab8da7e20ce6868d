// Proves the lines of an export, without a store: that each event goes on from the one before, and what checkpoints say
// of that.
import type { Checkpoint, Trust } from "../checkpoint-schema.ts";
import type { ChainBreak, VerifiedPosition } from "./chain-break.ts";
import { GENESIS, followChain } from "./follow.ts";
import type { RowStream } from "../../../kernel/row-stream.ts";
import type { ChainedEvent } from "./verify-store.ts";
import { createCheckpointCheck, streamSorted } from "./checkpoint-check.ts";

export interface ExportOptions {
  readonly trust: Trust;
  /** Checkpoints that somebody kept; those of other chains say nothing here. */
  readonly kept: readonly Checkpoint[];
}

export interface ExportResult {
  readonly ownerId: string;
  readonly first: number;
  readonly last: number;
  readonly events: number;
  /**
   * What shows that the first line is as it was written: that chains begin with it, or a checkpoint of the event before.
   * Null: nothing does, since its hash covers one that is not there.
   */
  readonly beginning: "first event" | "checkpoint" | null;
  /** The event up to which a checkpoint shows that all is as it was; null: there is none. */
  readonly provenTo: number | null;
  /** The newest of the checkpoints, of an event behind the last line; null: there is none. */
  readonly newestBehind: number | null;
  readonly firstFault: ChainBreak | null;
}

/** An event that is missed may only stand elsewhere. */
async function findMisplaced(fault: ChainBreak, rest: RowStream<ChainedEvent>): Promise<ChainBreak> {
  if (fault.kind !== "removed") return fault;
  for (let row = await rest.take(); row; row = await rest.take()) {
    if (row.sequence === fault.sequence) {
      return { ...fault, kind: "reordered", eventId: row.id, reason: "it stands behind later ones" };
    }
  }
  return fault;
}

/** Where to begin, if that is known. */
function startOf(first: ChainedEvent, before: Checkpoint | undefined): VerifiedPosition | null {
  if (first.sequence === 1) return GENESIS;
  return before ? { sequence: before.sequence, hash: before.hash, eventId: null } : null;
}

/** Verifies the events of one owner; there is one at least. */
export async function verifyExport(
  rows: RowStream<ChainedEvent>,
  { trust, kept }: ExportOptions,
): Promise<ExportResult> {
  const first = (await rows.peek()) as ChainedEvent;
  const { owner_id: ownerId } = first;
  const own = kept.filter((checkpoint) => checkpoint.ownerId === ownerId);
  const checkpointCheck = createCheckpointCheck(streamSorted(own), trust);
  const check = (place: VerifiedPosition) => checkpointCheck.compare(ownerId, place);
  const known = startOf(
    first,
    own.find(({ sequence }) => sequence === first.sequence - 1),
  );
  const start = known ?? { sequence: first.sequence, hash: first.hash, eventId: first.id };
  if (!known) await rows.take();
  const atStart = await check(start);
  const { last, fault } = atStart
    ? { last: start, fault: atStart }
    : await followChain(rows, { ownerId, start, until: Number.MAX_SAFE_INTEGER, check });
  const sequences = own.map(({ sequence }) => sequence);
  const newest = Math.max(0, ...sequences);
  const proven = Math.max(0, ...sequences.filter((sequence) => sequence <= last.sequence));
  return {
    ownerId,
    first: first.sequence,
    last: last.sequence,
    events: last.sequence - first.sequence + 1,
    beginning: known && (known === GENESIS ? "first event" : "checkpoint"),
    provenTo: proven >= first.sequence ? proven : null,
    newestBehind: newest > last.sequence ? newest : null,
    firstFault: fault && (await findMisplaced(fault, rows)),
  };
}
