// Deleting an account: every path returns 404 at once, and its rows are deleted soon after (platform/store/removals/). Its chain of
// events remains.
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import type { OwnerRemoval } from "../../platform/store/removals/remove.ts";
import { refuseLosingLastAdministrator } from "./administrators.ts";
import { lockUser } from "./store.ts";
import type { UserRow } from "./store.ts";

export interface Reason {
  readonly slug: string;
  readonly description: string;
}

/** Deletes the account. The caller holds its lock and read `row` under it. */
export async function removeUser(
  tx: Tx,
  removal: OwnerRemoval,
  act: EventContext,
  row: UserRow,
  reasons: readonly Reason[],
): Promise<void> {
  await refuseLosingLastAdministrator(tx, row, null);
  const { id, username, email, name, isAdmin } = row;
  await lockUser(tx, { id });
  await removal.requireRemovable(tx, { kind: "user", ownerId: id });
  await emit(tx, act, {
    type: "user-delete",
    ownerId: id,
    entityId: id,
    text: `deleted account ${username}`,
    payload: { uid: id, username, email, ...(reasons.length > 0 ? { reasons } : {}) },
    previous: { username, email, name, isAdmin: isAdmin === 1 },
  });
  const accountRemoval = { user: { id, username, email }, caller: act.caller, origin: act.origin };
  await removal.begin(tx, { kind: "user", ownerId: id, accountRemoval }, act.now);
}
