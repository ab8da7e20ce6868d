// Deleting an account: it is gone at once, by whatever path, and its rows soon after (resources/removals/). Its chain of events
// stays.
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { requireLeavable } from "../members/account-removal.ts";
import { beginRemoval } from "../removals/remove.ts";
import { endWebhooks } from "../webhooks/end.ts";
import { refuseLosingLastAdministrator } from "./administrators.ts";
import { lockUser } from "./store.ts";
import type { UserRow } from "./store.ts";

export interface Reason {
  readonly slug: string;
  readonly description: string;
}

/** Deletes the account. The caller holds its lock and read `row` under it. */
export async function removeUser(tx: Tx, act: Act, row: UserRow, reasons: readonly Reason[]): Promise<void> {
  await refuseLosingLastAdministrator(tx, row, null);
  const { id, username, email, name, is_admin } = row;
  await lockUser(tx, { id });
  await requireLeavable(tx, id);
  await emit(tx, act, {
    type: "user-delete",
    ownerId: id,
    entityId: id,
    text: `deleted account ${username}`,
    payload: { uid: id, username, email, ...(reasons.length > 0 ? { reasons } : {}) },
    previous: { username, email, name, isAdmin: is_admin === 1 },
  });
  await endWebhooks(tx, act, id);
  const departure = { user: { id, username, email }, caller: act.caller, origin: act.origin };
  await beginRemoval(tx, { kind: "user", ownerId: id, departure }, act.now);
}
