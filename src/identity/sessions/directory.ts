// The caller that a session authenticates.
import type { Caller } from "../../platform/kernel/caller.ts";
import { ALL_PERMISSIONS } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { accountOf } from "../accounts/acting.ts";
import { IDLE_MS, LIFETIME_MS, endOfSession } from "./rules.ts";
import { findSessionWithUser } from "./store.ts";

export async function findCallerOfSession(tx: Tx, hash: string, now: number): Promise<Caller | undefined> {
  const bounds = { createdAfter: now - LIFETIME_MS, activeAfter: now - IDLE_MS };
  const row = await findSessionWithUser(tx, { hash, ...bounds });
  if (!row) return undefined;
  const { id, sessionId, sessionCreatedAt, activeAt, provedAt } = row;
  return {
    kind: "user",
    principalId: id,
    account: accountOf(row),
    credentialId: sessionId,
    keyName: null,
    teamId: null,
    ceiling: ALL_PERMISSIONS,
    limits: null,
    allowedCidrs: null,
    activeAt,
    expiresAt: endOfSession({ createdAt: sessionCreatedAt, activeAt }),
    provedAt,
  };
}
