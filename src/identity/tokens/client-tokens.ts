// Access tokens that were issued to OAuth clients: looking one up by its value, and revoking it.
import type { Origin } from "../../platform/kernel/caller.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { actAs } from "../methods/account.ts";
import { revokeToken } from "./revoke.ts";
import { findClientToken, listTokensOfGrant } from "./store.ts";
import type { TokenRow } from "./store.ts";

export interface ClientToken {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  /** The one team that it is limited to. */
  readonly teamId: string | null;
  /** ms */
  readonly createdAt: number;
  /** ms; null: never. */
  readonly expiresAt: number | null;
}

/** The valid token with this hash; undefined for one that was revoked or made without a client. */
export async function findTokenOfClient(reader: Tx, hash: string, now: number): Promise<ClientToken | undefined> {
  const row = await findClientToken(reader, { hash, now });
  if (!row) return undefined;
  return {
    id: row.id,
    userId: row.userId,
    clientId: row.clientId as string,
    teamId: row.teamId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

/** Revokes a token in its own name: anyone who has its value may give it up. */
async function giveUp(tx: Tx, row: TokenRow, origin: Origin, now: number): Promise<void> {
  const act = await actAs(tx, row.userId, origin, now);
  await revokeToken(tx, { ...act, caller: { ...act.caller, credentialId: row.id, teamId: row.teamId } }, row);
}

/** Internal change: revokes the token with this hash, if it was issued to a client. */
export async function revokeClientToken(
  tx: Tx,
  { hash, origin }: { readonly hash: string; readonly origin: Origin },
  now: number,
): Promise<void> {
  const row = await findClientToken(tx, { hash, now });
  if (row) await giveUp(tx, row, origin, now);
}

/** Revokes what was issued for a grant. */
export async function revokeTokensOfGrant(tx: Tx, grantHash: string, origin: Origin, now: number): Promise<void> {
  for (const row of await listTokensOfGrant(tx, { grantHash })) await giveUp(tx, row, origin, now);
}
