// A page of the accounts of the instance.
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { emailKey } from "../../platform/kernel/text/email-address.ts";
import { searchNeedlesOf, searchTextOf } from "../../platform/kernel/text/search-text.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { USERS_SCOPE } from "../../platform/store/search/entries.ts";
import { fillPage } from "../../platform/store/search/find.ts";
import type { FoundPage } from "../../platform/store/search/find.ts";
import { findUserByEmail, findUserByUsername, listUsers, listUsersOf } from "./store.ts";
import type { UserRow } from "./store.ts";

interface UserFilter {
  readonly search?: string;
  readonly username?: string;
  readonly email?: string;
}

/** The one account that a name and an address allow. */
async function findNamed(tx: Tx, { username, email }: UserFilter): Promise<UserRow | undefined> {
  const key = email === undefined ? undefined : emailKey(email);
  const row =
    username === undefined
      ? await findUserByEmail(tx, { emailKey: key ?? "" })
      : await findUserByUsername(tx, { usernameKey: username.toLowerCase() });
  return key === undefined || row?.emailKey === key ? row : undefined;
}

export async function findUsers(tx: Tx, filter: UserFilter, bounds: PageBounds): Promise<FoundPage<UserRow>> {
  const { search = "", username, email } = filter;
  const needles = searchNeedlesOf(search);
  if (username !== undefined || email !== undefined) {
    const row = await findNamed(tx, filter);
    const content = row ? searchTextOf([row.name, row.username, row.email]) : "";
    const isShown =
      row &&
      row.position > bounds.after &&
      row.position < bounds.before &&
      (needles.length === 0 || needles.some((needle) => content.includes(needle)));
    return { rows: isShown ? [row] : [], isCut: false };
  }
  if (needles.length === 0) return { rows: await listUsers(tx, bounds), isCut: false };
  return await fillPage(tx, { scope: USERS_SCOPE, needles }, bounds, (ids) => listUsersOf(tx, ids, bounds));
}
