// Opens a session for somebody who has proved who they are.
import { newId } from "../../platform/kernel/ids.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { MAX_SESSIONS, describeDevice } from "./rules.ts";
import { deleteOldestSessions, insertSession, proveSession } from "./store.ts";

/** What a person has proved who they are with. */
export type SignInMethod = "password" | "passkey" | "provider" | "link" | "recovery-code";

/** Stores a session and records the event. `act` is by the account itself; the caller holds its lock. */
export async function openSession(
  tx: Tx,
  act: EventContext,
  session: {
    readonly userId: string;
    readonly hash: string;
    readonly method: SignInMethod;
    /** When the person proved who they are, ms; by default now. */
    readonly provedAt?: number;
  },
): Promise<string> {
  const { userId, hash, method, provedAt = act.now } = session;
  const id = newId("session");
  const { ip, userAgent } = act.origin;
  const position = positionAt(act.now);
  await insertSession(tx, { id, userId, hash, method, ip, userAgent, provedAt, now: act.now, position });
  await deleteOldestSessions(tx, { userId, kept: MAX_SESSIONS });
  await emit(tx, act, {
    type: "login",
    ownerId: userId,
    entityId: id,
    text: `signed in with ${describeMethod(method)} on ${describeDevice(userAgent)}`,
    payload: { uid: userId, sessionId: id, method },
  });
  return id;
}

/** Notes that the person of a session has proved again who they are, and records the event. */
export async function recordProof(
  tx: Tx,
  act: EventContext,
  { userId, sessionId, method }: { readonly userId: string; readonly sessionId: string; readonly method: SignInMethod },
): Promise<void> {
  if ((await proveSession(tx, { userId, id: sessionId, now: act.now })) === 0) return;
  await emit(tx, act, {
    type: "login",
    ownerId: userId,
    entityId: sessionId,
    text: `confirmed with ${describeMethod(method)} that it is them`,
    payload: { uid: userId, sessionId, method, isProof: true },
  });
}

function describeMethod(method: SignInMethod): string {
  const articles: Readonly<Record<SignInMethod, string>> = {
    password: "a password",
    passkey: "a passkey",
    provider: "a provider",
    link: "a link",
    "recovery-code": "a recovery code",
  };
  return articles[method];
}
