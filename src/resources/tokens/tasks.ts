// Work on tokens that no request asks for.
import type { Tx } from "../../kernel/tx.ts";
import { systemAct } from "../users/system.ts";
import { issueToken } from "./issue.ts";
import { touchToken } from "./store.ts";

interface CredentialUse {
  readonly credentialId: string;
  readonly kind: "token" | "key";
  readonly activeAt: number;
}

/** Writes when credentials were last used. */
export async function noteUses(tx: Tx, uses: readonly CredentialUse[]): Promise<void> {
  for (const { credentialId, kind, activeAt } of uses) {
    if (kind === "token") await touchToken(tx, { id: credentialId, activeAt });
  }
}

/** A token for a user in nobody's name: the command line's `token create`. */
export async function issueTokenTask(
  tx: Tx,
  order: { readonly userId: string; readonly name: string },
  now: number,
): Promise<{ readonly id: string; readonly value: string }> {
  return await issueToken(tx, systemAct(now), order);
}
