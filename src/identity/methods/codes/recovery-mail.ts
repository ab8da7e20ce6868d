// Recovery by mail: a link that signs in once goes to the confirmed address of an account, and to no other.
import type { Origin } from "../../../platform/kernel/caller.ts";
import type { Instance } from "../../../platform/kernel/contract.ts";
import { loginKey } from "../../../platform/kernel/text/email-address.ts";
import { parseStored } from "../../../platform/kernel/text/stored-json.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import { SYSTEM_CALLER } from "../../../events/events/system.ts";
import { findCodeOf } from "./code-store.ts";
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
 * Internal change: queues a mail with a link. Does nothing for an account that does not exist, is suspended or has not confirmed its
 * address, and for one whose last link still works: so a stranger who keeps asking takes no link from its reader, and has at most one
 * mail an hour sent.
 */
export async function queueRecovery(tx: Tx, { login, origin, instance }: RecoveryRequest, now: number): Promise<void> {
  const key = loginKey(login);
  const found = await (login.includes("@") ? findRecoverableByEmail : findRecoverableByUsername)(tx, { key });
  if (!found) return;
  const { userId, username, email } = found;
  await lockOwner(tx, userId);
  const last = await findCodeOf(tx, { userId, purpose: "recovery", now });
  if (last && (parseStored(last.data) as { readonly email: string }).email === email) return;
  const expiresAt = now + LINK_LIFETIME_MS;
  // Only of this purpose: a stranger must not end a link that an operator made.
  await withdrawCodes(tx, userId, "recovery");
  const isMailed = await mailCode(
    tx,
    { instance, now },
    {
      kind: "recovery",
      recipient: email,
      payload: { teamId: null, username },
      code: { purpose: "recovery", userId, data: { email }, expiresAt },
    },
  );
  if (!isMailed) return;
  // The person who asked is not known to be the account's owner.
  const act = { caller: SYSTEM_CALLER, origin, now };
  await emit(tx, act, {
    type: "sign-in-link-created",
    ownerId: userId,
    entityId: userId,
    text: "sent a link that signs in once, which somebody asked for",
    payload: { uid: userId, purpose: "recovery", expiresAt },
  });
}
