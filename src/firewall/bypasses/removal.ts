// Removes entries from the bypass list: by request, or when they expire.
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { forFirstOwner } from "../../events/events/first-owner.ts";
import { systemAct } from "../../events/events/system.ts";
import { deleteBypass, findBypass, listEnded } from "./store.ts";
import type { BypassRow } from "./store.ts";
import { describe, entryState, eventPayload } from "./view.ts";

const END_BATCH = 100;

export function hasExpired({ expiresAt }: BypassRow, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Removes an entry and emits an event. `why` is appended to the event's text. */
export async function removeEntry(tx: Tx, act: EventContext, row: BypassRow, why = ""): Promise<void> {
  const { ownerId, projectId, id } = row;
  const { client, list } = describe(row);
  await deleteBypass(tx, { ownerId, projectId, id });
  await emit(tx, act, {
    type: "firewall-bypass-deleted",
    ownerId,
    entityId: id,
    text: `took ${client} off ${list}${why}`,
    payload: eventPayload(row),
    previous: entryState(row),
  });
}

/** Removes an expired entry. Reeve itself is the actor of the event. */
export async function removeExpired(tx: Tx, row: BypassRow, now: number): Promise<void> {
  await removeEntry(tx, systemAct(now), row, ", where the time had ended");
}

/** Removes a batch of expired entries. Returns their number. */
export async function endBypasses(tx: Tx, _input: null, now: number): Promise<number> {
  const candidates = await listEnded(tx, { now, limit: END_BATCH });
  return await forFirstOwner(tx, candidates, async ({ ownerId, projectId, id }) => {
    const row = await findBypass(tx, { ownerId, projectId, id });
    if (!row || !hasExpired(row, now)) return false;
    await removeExpired(tx, row, now);
    return true;
  });
}
