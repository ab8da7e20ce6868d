// Which trust rules a request to exchange a token means.
import type { Tx } from "../../platform/kernel/tx.ts";
import { findToken, listTargetTrustRules } from "./store.ts";
import { trustRuleOf } from "./trust-rule-view.ts";
import type { TrustRule } from "./trust-rule-view.ts";

/** The rules of a target: the id of a rule, the id or slug of a team, or the id of an account. The oldest first. */
export async function findTargetTrustRules(tx: Tx, target: string): Promise<readonly TrustRule[]> {
  return (await listTargetTrustRules(tx, { target })).map(trustRuleOf);
}

/** How often the rules of an owner have exchanged a token. */
export async function countUses(tx: Tx, ownerId: string, hash: string): Promise<number> {
  return (await findToken(tx, { ownerId, hash }))?.uses ?? 0;
}
