// Recovery by mail: a link that signs in once goes to the confirmed address of an account, and to no other.
import type { Origin } from "../../../kernel/caller.ts";
import type { Instance } from "../../../kernel/contract.ts";
import type { Tx } from "../../../kernel/tx.ts";
import { emit, lockChain } from "../../events/emit.ts";
import { SYSTEM_CALLER } from "../../users/system.ts";
import { countRecipient } from "./asked-mail.ts";
import { LINK_LIFETIME_MS } from "./links.ts";
import { mailCode } from "./mailed-codes.ts";
import { withdrawCodes } from "./one-time-codes.ts";
import { findRecoverableByEmail, findRecoverableByUsername } from "../store.ts";

export interface RecoveryRequest {
  /** Username or e-mail address. */
  readonly login: string;
  readonly origin: Origin;
  readonly instance: Pick<Instance, "hasMail">;
}

/**
 * Internal command: queues a mail with a link, in place of the link of an earlier one. Does nothing for an account that does not
 * exist, is suspended or has not confirmed its address, and for one that was sent enough today.
 */
export async function queueRecovery(tx: Tx, { login, origin, instance }: RecoveryRequest, now: number): Promise<void> {
  const key = login.toLowerCase();
  const found = await (login.includes("@") ? findRecoverableByEmail : findRecoverableByUsername)(tx, { key });
  if (!found) return;
  const { userId, username, email } = found;
  await lockChain(tx, userId);
  if (!(await countRecipient(tx, "recovery", email, now))) return;
  const expiresAt = now + LINK_LIFETIME_MS;
  // Only of this purpose: a stranger must not end a link that an operator made.
  await withdrawCodes(tx, userId, "recovery");
  await mailCode(
    tx,
    { instance, now },
    {
      kind: "recovery",
      recipient: email,
      payload: { teamId: null, username },
      code: { purpose: "recovery", userId, data: { email }, expiresAt },
    },
  );
  // Whoever asked is not known to be the account's owner.
  const act = { caller: SYSTEM_CALLER, origin, now };
  await emit(tx, act, {
    type: "sign-in-link-created",
    ownerId: userId,
    entityId: userId,
    text: "sent a link that signs in once, which somebody asked for",
    payload: { uid: userId, purpose: "recovery", expiresAt },
  });
}
