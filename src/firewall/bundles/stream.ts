// The stream that wakes gates: it names the project of each event that changes a bundle.
import type { ImplementsStreams } from "../../platform/kernel/contract.ts";
import { ApiError, teamNotFound } from "../../platform/kernel/errors.ts";
import { isWithin } from "../../platform/kernel/limits.ts";
import type { Chunk, ChunkRequest } from "../../platform/kernel/stream.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { readBatch, readHead } from "../../events/events/feed/batch.ts";
import type { EventType } from "../../events/events/types.ts";
import type { gateContract } from "./contract.ts";

const RETRY_MS = 1_000;

/** The events after which a bundle is another one. Modes and entries that end by themselves end at the gate by its clock. */
const CHANGES = [
  "firewall-config-promoted",
  "firewall-bypass-created",
  "firewall-bypass-deleted",
  "firewall-bypass-rule-created",
  "firewall-bypass-rule-updated",
  "firewall-bypass-rule-deleted",
  "attack-mode-enabled",
  "attack-mode-disabled",
] as const satisfies readonly EventType[];

interface Cursor {
  readonly ownerId: string;
  readonly after: number;
}

function frameOf(id: number, projectId: string | null): string {
  return `id: ${id}\nevent: change\ndata: ${JSON.stringify({ projectId })}\n\n`;
}

/** Where a stream begins: after the event that the gate has seen last. An id of another chain counts as before all events. */
function startAfter({ lastEventId }: ChunkRequest, head: number): number {
  if (lastEventId === null) return head;
  const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
  return seen <= head ? seen : 0;
}

/** The projects whose bundles the events of a range change. Null, for every project, when the events are no longer stored. */
async function changedProjects(tx: Tx, { ownerId, after }: Cursor, head: number) {
  const filter = { types: CHANGES, entityId: null, projectIds: null, principalId: null };
  try {
    const { rows, through } = await readBatch(tx, ownerId, filter, { after, before: head + 1 });
    return { projects: [...new Set(rows.map((row) => row.projectId))], through };
  } catch (error) {
    if (error instanceof ApiError && error.code === "events_pruned") return { projects: [null], through: head };
    throw error;
  }
}

export const gateStreams: ImplementsStreams<typeof gateContract> = {
  async streamGateChanges(tx, { caller, scope: { ownerId }, chunk }): Promise<Chunk> {
    const head = await readHead(tx, ownerId);
    const awaits = { ownerId, sequence: head };
    const known = chunk.cursor as Cursor | null;
    if (known === null) {
      const after = startAfter(chunk, head);
      const next: Cursor = { ownerId, after };
      // The `id` gives a gate a `Last-Event-ID` before the first change.
      const text = `retry: ${RETRY_MS}\nid: ${after}\n: connected\n\n`;
      return { text, next, ...(after >= head && { awaits }) };
    }
    // Another team may have taken the slug of the query since the stream began.
    if (known.ownerId !== ownerId) throw teamNotFound();
    if (known.after >= head) return { text: "", next: known, awaits };
    const { projects, through } = await changedProjects(tx, known, head);
    const next: Cursor = { ownerId, after: through };
    const text = projects
      .filter((projectId) => projectId === null || isWithin(caller, "project", projectId))
      .map((projectId) => frameOf(through, projectId))
      .join("");
    return { text, next, ...(through >= head && { awaits }) };
  },
};
