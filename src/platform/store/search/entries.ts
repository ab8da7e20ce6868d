// Maintains the search entries: other resources add, update and remove the entries of members and accounts through it.
import { searchTextOf } from "../../kernel/text/search-text.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import { SECRETS_SCOPE } from "../secret-entries.ts";
import {
  KEY_LENGTH,
  deleteEntry,
  deleteRefresh,
  findAccountFields,
  findAnyRefresh,
  insertAccountEntry,
  insertMemberEntry,
  listScopesOf,
  refreshEntries,
  lockRefresh,
  updateEntry,
  upsertRefresh,
} from "./store.ts";

/** The scope of the list of accounts. The id of a team is the scope of its members. */
export const USERS_SCOPE = "users";

/** The scope of the secrets of an owner, whose entries are kept by triggers: their names in lower case. */
export const secretsScope = (ownerId: string) => SECRETS_SCOPE + ownerId;

/** How many entries of an account one batch updates. */
const BATCH = 200;

/** An account by what people search for. The caller has locked its row, so these cannot change meanwhile. */
export interface AccountNames {
  readonly id: string;
  readonly name: string | null;
  readonly username: string;
  readonly email: string;
}

function contentOf({ name, username, email }: Omit<AccountNames, "id">): string {
  return searchTextOf([name, username, email]);
}

/** What an account is sorted by, among others. */
export function nameKeyOf(account: Omit<AccountNames, "id">): string {
  return Array.from(contentOf(account)).slice(0, KEY_LENGTH).join("");
}

/** Adds a member to a team's list. */
export async function addMemberEntry(tx: Tx, teamId: string, account: AccountNames): Promise<void> {
  await insertMemberEntry(tx, { teamId, userId: account.id, content: contentOf(account) });
}

export async function removeMemberEntry(tx: Tx, teamId: string, userId: string): Promise<void> {
  await deleteEntry(tx, { scope: teamId, userId });
}

export async function addAccountEntry(tx: Tx, account: AccountNames): Promise<void> {
  await insertAccountEntry(tx, { scope: USERS_SCOPE, userId: account.id, content: contentOf(account) });
}

/** Updates the next entries of an account. Returns the scope to continue after, or null when all are updated. */
async function refreshBatch(tx: Tx, account: AccountNames, afterScope: string): Promise<string | null> {
  const { id: userId } = account;
  const scopes = await listScopesOf(tx, { userId, afterScope, limit: BATCH });
  const lastScope = scopes.at(-1)?.scope;
  if (lastScope === undefined) return null;
  await refreshEntries(tx, { userId, afterScope, lastScope, content: contentOf(account) });
  return scopes.length < BATCH ? null : lastScope;
}

/** Updates the entries of a renamed account; entries beyond the first batch are updated in the background. */
export async function refreshAccount(tx: Tx, account: AccountNames): Promise<void> {
  const { id: userId } = account;
  await updateEntry(tx, { scope: USERS_SCOPE, userId, content: contentOf(account) });
  const afterScope = await refreshBatch(tx, account, "");
  if (afterScope !== null) await upsertRefresh(tx, { userId, afterScope });
}

export function isAnyRefreshDue(reader: Tx): Awaitable<boolean> {
  const found = findAnyRefresh(reader, {});
  return found instanceof Promise ? found.then((row) => row !== undefined) : found !== undefined;
}

/** Continues the refresh of one account; returns 0 when none is due. */
export async function refreshSearch(tx: Tx): Promise<number> {
  const refresh = await lockRefresh(tx, {});
  if (!refresh) return 0;
  const { userId } = refresh;
  const account = await findAccountFields(tx, { userId });
  const afterScope = account ? await refreshBatch(tx, account, refresh.afterScope) : null;
  if (afterScope === null) await deleteRefresh(tx, { userId });
  else await upsertRefresh(tx, { userId, afterScope });
  return 1;
}
