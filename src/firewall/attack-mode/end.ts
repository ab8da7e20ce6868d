// Records the end of attack challenge mode with its event, once. The clock ends the mode (attack-mode-rules.ts); the background
// job of any process or the next change records that.
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { forFirstOwner } from "../../events/events/first-owner.ts";
import { systemAct } from "../../events/events/system.ts";
import { isEndDue } from "../../teams/projects/attack-mode-rules.ts";
import { findMode, listEnded, putEnd } from "./store.ts";
import type { SetBy } from "./store.ts";
import { eventPayload, publicMode } from "./view.ts";

const BATCH = 100;
/** The automatic puts the end off for as long as something unusual is reported. */
const CALM = "nothing unusual was reported any more";

/** Records the end when it is due and not recorded. Returns whether it did. The caller needs the owner's lock. */
export async function recordEnd(tx: Tx, ownerId: string, projectId: string, now: number): Promise<boolean> {
  const row = await findMode(tx, { ownerId, projectId });
  if (!row || !isEndDue(row, now)) return false;
  const endedAt = row.activeUntil as number;
  await putEnd(tx, { ownerId, projectId, endedAt });
  const isAutomatic = row.setBy === ("automatic" satisfies SetBy);
  const previous = { isEnabled: true, activeUntil: endedAt };
  const next = { isEnabled: false, activeUntil: null };
  await emit(tx, systemAct(now), {
    type: "attack-mode-disabled",
    ownerId,
    entityId: projectId,
    text: `switched attack challenge mode of ${projectId} off, because ${isAutomatic ? CALM : "its time was over"}`,
    payload: { ...eventPayload(projectId, previous, next), ...(isAutomatic && { reason: CALM }) },
    previous: publicMode(previous),
    next: publicMode(next),
  });
  return true;
}

/** Whether `endAttackModes` has work to do. This only reads, so frequent calls are cheap. */
export async function isAnyEndDue(reader: Tx, now: number): Promise<boolean> {
  return (await listEnded(reader, { now, limit: 1 })).length > 0;
}

/** Records a batch of due ends. Returns how many it handled; 0: none are due. */
export async function endAttackModes(tx: Tx, _input: null, now: number): Promise<number> {
  const candidates = await listEnded(tx, { now, limit: BATCH });
  return await forFirstOwner(tx, candidates, ({ ownerId, projectId }) => recordEnd(tx, ownerId, projectId, now));
}
