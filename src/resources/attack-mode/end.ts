// The end that comes by itself: the clock switches the mode off (rules.ts), and here that is recorded with its event,
// once, by whoever comes first: the task of any process, or the next change.
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { forFirstOwner } from "../events/first-owner.ts";
import { systemAct } from "../users/system.ts";
import { isEndDue } from "../projects/attack-mode-rules.ts";
import { findMode, listEnded, putEnd } from "./store.ts";
import { eventPayload, publicMode } from "./view.ts";

const BATCH = 100;

/** Records the end when it is due and nobody has yet; answers whether it did. Needs the owner's lock. */
export async function recordEnd(tx: Tx, ownerId: string, projectId: string, now: number): Promise<boolean> {
  const row = await findMode(tx, { ownerId, projectId });
  if (!row || !isEndDue(row, now)) return false;
  const endedAt = row.active_until as number;
  await putEnd(tx, { ownerId, projectId, endedAt });
  const previous = { isEnabled: true, activeUntil: endedAt };
  const next = { isEnabled: false, activeUntil: null };
  await emit(tx, systemAct(now), {
    type: "attack-mode-disabled",
    ownerId,
    entityId: projectId,
    text: `switched attack challenge mode of ${projectId} off, because its time was over`,
    payload: eventPayload(projectId, previous, next),
    previous: publicMode(previous),
    next: publicMode(next),
  });
  return true;
}

/** Whether `endAttackModes` has something to do: a read, so that asking often costs little. */
export async function isAnyEndDue(reader: Tx, now: number): Promise<boolean> {
  return (await listEnded(reader, { now, limit: 1 })).length > 0;
}

/** Records some of the ends that are due; answers how many it dealt with, 0 when there are none. */
export async function endAttackModes(tx: Tx, _input: null, now: number): Promise<number> {
  const candidates = await listEnded(tx, { now, limit: BATCH });
  return await forFirstOwner(tx, candidates, ({ owner_id: ownerId, project_id: projectId }) =>
    recordEnd(tx, ownerId, projectId, now),
  );
}
