// Internal commands on credentials.
import type { Tx } from "../../kernel/tx.ts";
import { noteKeyUses } from "../api-keys/directory.ts";
import { systemAct } from "../users/system.ts";
import { issueToken } from "./issue.ts";
import { touchTokens } from "./store.ts";

/** Credentials that were used since the last time, and the newest of those uses. */
export interface CredentialUses {
  readonly tokenIds: readonly string[];
  readonly keyIds: readonly string[];
  /** ms */
  readonly activeAt: number;
}

/** Writes when credentials were last used, all of a kind in one statement. */
export async function noteUses(tx: Tx, { tokenIds, keyIds, activeAt }: CredentialUses): Promise<void> {
  if (tokenIds.length > 0) await touchTokens(tx, { ids: JSON.stringify(tokenIds), activeAt });
  if (keyIds.length > 0) await noteKeyUses(tx, keyIds, activeAt);
}

/** A token for a user in nobody's name: the command line's `token create`. */
export async function issueTokenForUser(
  tx: Tx,
  order: { readonly userId: string; readonly name: string },
  now: number,
): Promise<{ readonly id: string; readonly value: string }> {
  return await issueToken(tx, systemAct(now), order);
}
