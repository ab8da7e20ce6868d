// Where those who own something are written to.
import type { Tx } from "../../platform/kernel/tx.ts";
import { findCallerById } from "../../identity/accounts/acting.ts";
import { otherOwners } from "./membership-lookup.ts";

/** The address of the account that owns something, or those of its team's owners; at most ten. */
export async function listOwnerAddresses(
  tx: Tx,
  { ownerId, teamId }: { readonly ownerId: string; readonly teamId: string | null },
): Promise<readonly string[]> {
  if (teamId !== null) return (await otherOwners(tx, teamId, "")).map(({ email }) => email);
  const account = (await findCallerById(tx, ownerId))?.caller.account;
  return account ? [account.email] : [];
}
