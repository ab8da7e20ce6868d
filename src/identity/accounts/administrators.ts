// The instance always keeps an administrator who can sign in.
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { lockOwner } from "../../events/events/emit.ts";
import { findFirstAdministrator, findOtherActiveAdministrator } from "./store.ts";
import type { UserRow } from "./store.ts";

type AdministratorFields = Pick<UserRow, "isAdmin" | "suspendedAt">;

function isActiveAdministrator({ isAdmin, suspendedAt }: AdministratorFields): boolean {
  return isAdmin === 1 && suspendedAt === null;
}

/** The active administrator who was created first. */
export async function findAdministrator(tx: Tx): Promise<Pick<UserRow, "id" | "username"> | undefined> {
  return await findFirstAdministrator(tx, {});
}

/**
 * Refuses to turn the last active administrator into `next` (null: a deleted account). Takes the instance's lock,
 * so that two concurrent removals see each other. A request of an administrator holds that lock already.
 */
export async function refuseLosingLastAdministrator(
  tx: Tx,
  current: UserRow,
  next: AdministratorFields | null,
): Promise<void> {
  if (!isActiveAdministrator(current) || (next && isActiveAdministrator(next))) return;
  await lockOwner(tx, INSTANCE_ID);
  if (await findOtherActiveAdministrator(tx, { id: current.id })) return;
  throw new ApiError(
    "last_administrator",
    "This is the last active administrator of the instance: make another account an administrator first",
  );
}
