// Internal changes on credentials.
import type { Tx } from "../../platform/kernel/tx.ts";
import { recordKeyUses } from "../api-keys/directory.ts";
import { recordSessionUses } from "../sessions/end.ts";
import { systemAct } from "../../events/events/system.ts";
import { issueToken } from "./issue.ts";
import { touchTokens } from "./store.ts";

/** Credentials that were used since the last write, and the time of the newest use. */
export interface CredentialUses {
  readonly tokenIds: readonly string[];
  readonly keyIds: readonly string[];
  readonly sessionIds: readonly string[];
  /** ms */
  readonly activeAt: number;
}

/** Writes the times of last use, with one statement for each kind of credential. */
export async function recordUses(tx: Tx, { tokenIds, keyIds, sessionIds, activeAt }: CredentialUses): Promise<void> {
  if (tokenIds.length > 0) await touchTokens(tx, { ids: JSON.stringify(tokenIds), activeAt });
  if (keyIds.length > 0) await recordKeyUses(tx, keyIds, activeAt);
  if (sessionIds.length > 0) await recordSessionUses(tx, sessionIds, activeAt);
}

/** Issues a token for a user with Reeve itself as the actor, for `reeve token create`. */
export async function issueTokenForUser(
  tx: Tx,
  order: { readonly userId: string; readonly name: string },
  now: number,
): Promise<{ readonly id: string; readonly value: string }> {
  return await issueToken(tx, systemAct(now), order);
}
