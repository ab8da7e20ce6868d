// Verifies the lines of an export without a store: that each event continues the chain, and that checkpoints agree.
import type { Checkpoint, Trust } from "../checkpoint-schema.ts";
import type { ChainBreak, VerifiedPosition } from "./chain-break.ts";
import { GENESIS, followChain } from "./follow.ts";
import type { RowStream } from "../../../platform/kernel/row-stream.ts";
import type { ChainedEvent } from "./verify-store.ts";
import { createCheckpointCheck, streamSorted } from "./checkpoint-check.ts";

export interface ExportOptions {
  readonly trust: Trust;
  /** Checkpoints that an auditor has kept; those of other chains are ignored. */
  readonly kept: readonly Checkpoint[];
}

export interface ExportResult {
  readonly ownerId: string;
  readonly first: number;
  readonly last: number;
  readonly events: number;
  /**
   * What verifies the first line: it is the first event of the chain, or a checkpoint signs the event before it. Null: nothing
   * does, since its hash covers the hash of an event that is not in the file.
   */
  readonly beginning: "first event" | "checkpoint" | null;
  /** The sequence up to which a checkpoint proves the events; null: no checkpoint does. */
  readonly provenTo: number | null;
  /** The sequence of the newest checkpoint when it is after the last line; else null. */
  readonly newestBehind: number | null;
  readonly firstFault: ChainBreak | null;
}

/** A missing event may be further down in the file: then the events are reordered. */
async function findMisplaced(chainBreak: ChainBreak, rest: RowStream<ChainedEvent>): Promise<ChainBreak> {
  if (chainBreak.kind !== "removed") return chainBreak;
  for (let row = await rest.take(); row; row = await rest.take()) {
    if (row.sequence === chainBreak.sequence) {
      return { ...chainBreak, kind: "reordered", eventId: row.id, reason: "it comes after later ones" };
    }
  }
  return chainBreak;
}

/** The verified position before the first line; null when there is none. */
function startOf(first: ChainedEvent, before: Checkpoint | undefined): VerifiedPosition | null {
  if (first.sequence === 1) return GENESIS;
  return before ? { sequence: before.sequence, hash: before.hash, eventId: null } : null;
}

/** Verifies the events of one owner, at least one. */
export async function verifyExport(
  rows: RowStream<ChainedEvent>,
  { trust, kept }: ExportOptions,
): Promise<ExportResult> {
  const first = (await rows.peek()) as ChainedEvent;
  const { ownerId } = first;
  const own = kept.filter((checkpoint) => checkpoint.ownerId === ownerId);
  const checkpointCheck = createCheckpointCheck(streamSorted(own), trust);
  const check = (position: VerifiedPosition) => checkpointCheck.compare(ownerId, position);
  const known = startOf(
    first,
    own.find(({ sequence }) => sequence === first.sequence - 1),
  );
  const start = known ?? { sequence: first.sequence, hash: first.hash, eventId: first.id };
  if (!known) await rows.take();
  const atStart = await check(start);
  const { last, chainBreak } = atStart
    ? { last: start, chainBreak: atStart }
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
    firstFault: chainBreak && (await findMisplaced(chainBreak, rows)),
  };
}
