// Taking entries off the bypass list: somebody does it, or their time has ended.
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { forFirstOwner } from "../events/first-owner.ts";
import { systemAct } from "../users/system.ts";
import { deleteBypass, findBypass, listEnded } from "./store.ts";
import type { BypassRow } from "./store.ts";
import { describe, entryState, eventPayload } from "./view.ts";

const END_BATCH = 100;

export function hasEnded({ expires_at }: BypassRow, now: number): boolean {
  return expires_at !== null && expires_at <= now;
}

/** Takes an entry off and records who did; `why` follows the sentence. */
export async function takeOff(tx: Tx, act: Act, row: BypassRow, why = ""): Promise<void> {
  const { owner_id: ownerId, project_id: projectId, id } = row;
  const { who, where } = describe(row);
  await deleteBypass(tx, { ownerId, projectId, id });
  await emit(tx, act, {
    type: "firewall-bypass-deleted",
    ownerId,
    entityId: id,
    text: `took ${who} off ${where}${why}`,
    payload: eventPayload(row),
    previous: entryState(row),
  });
}

/** Takes off what has ended, in Reeve's own name. */
export async function endBypass(tx: Tx, row: BypassRow, now: number): Promise<void> {
  await takeOff(tx, systemAct(now), row, ", where the time had ended");
}

/** Takes off some of what has ended; answers how many. */
export async function endBypasses(tx: Tx, _input: null, now: number): Promise<number> {
  const candidates = await listEnded(tx, { now, limit: END_BATCH });
  return await forFirstOwner(tx, candidates, async ({ owner_id: ownerId, project_id: projectId, id }) => {
    const row = await findBypass(tx, { ownerId, projectId, id });
    if (!row || !hasEnded(row, now)) return false;
    await endBypass(tx, row, now);
    return true;
  });
}
