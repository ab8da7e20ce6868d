// Ends sessions: what a person does to theirs, and what happens to them when the account's password changes.
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { LIFETIME_MS, describeDevice } from "./rules.ts";
import { deleteEndedSessions, deleteOtherSessions, deleteSession, touchSessions } from "./store.ts";
import type { SessionRow } from "./store.ts";

export async function endSession(tx: Tx, act: EventContext, { id, userId, userAgent }: SessionRow): Promise<void> {
  await deleteSession(tx, { userId, id });
  await emit(tx, act, {
    type: "session-ended",
    ownerId: userId,
    entityId: id,
    text: `ended the session on ${describeDevice(userAgent)}`,
    payload: { uid: userId, sessionId: id },
  });
}

/** Ends all sessions of an account but `exceptId` (null: all of them), and returns how many there were. */
export async function endOtherSessions(
  tx: Tx,
  act: EventContext,
  userId: string,
  exceptId: string | null,
): Promise<number> {
  const ended = await deleteOtherSessions(tx, { userId, exceptId: exceptId ?? "" });
  if (ended === 0) return 0;
  await emit(tx, act, {
    type: "session-ended",
    ownerId: userId,
    entityId: userId,
    text: exceptId === null ? `ended all ${ended} sessions` : `ended the other ${ended} sessions`,
    payload: { uid: userId, sessions: ended },
  });
  return ended;
}

export async function recordSessionUses(tx: Tx, ids: readonly string[], activeAt: number): Promise<void> {
  await touchSessions(tx, { ids: JSON.stringify(ids), activeAt });
}

const STEP = 500;

/** Internal change: deletes the rows of sessions whose lifetime is over. Returns their number. */
export async function pruneSessions(tx: Tx, _input: null, now: number): Promise<number> {
  return await deleteEndedSessions(tx, { createdBefore: now - LIFETIME_MS, limit: STEP });
}
