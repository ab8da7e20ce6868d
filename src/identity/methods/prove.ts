// A fresh proof within a session.
import type { Origin } from "../../platform/kernel/caller.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { recordProof } from "../sessions/open.ts";
import type { SignInMethod } from "../sessions/open.ts";
import { actAs } from "./account.ts";
import { clearFailures } from "./failures/failures.ts";

export interface SessionProof {
  readonly userId: string;
  readonly sessionId: string;
  readonly method: SignInMethod;
  readonly subjects: readonly string[];
  readonly origin: Origin;
}

/** Internal change. The proof was verified. */
export async function proveSession(
  tx: Tx,
  { userId, sessionId, method, subjects, origin }: SessionProof,
  now: number,
): Promise<void> {
  const act = await actAs(tx, userId, origin, now);
  await recordProof(tx, act, { userId, sessionId, method });
  await clearFailures(tx, subjects);
}
