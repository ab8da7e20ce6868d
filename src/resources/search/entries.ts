// Keeping the entries of searches: whoever is entered into a list, changed there or taken out of it says so here.
import { searchTextOf } from "../../kernel/text/search-text.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import {
  deleteEntry,
  deleteRefresh,
  findAccountFields,
  findAnyRefresh,
  insertAccountEntry,
  insertMemberEntry,
  listScopesOf,
  refreshEntries,
  takeRefresh,
  updateEntry,
  upsertRefresh,
} from "./store.ts";

/** The scope of the list of accounts; the others are teams. */
export const USERS_SCOPE = "users";

/** Entries of an account that one step brings up to date. */
const STEP = 200;

/** The text of an account as it is now; the caller holds its row, so that it stays so. */
async function contentOf(tx: Tx, userId: string): Promise<string> {
  const fields = await findAccountFields(tx, { userId });
  return fields ? searchTextOf([fields.name, fields.username, fields.email]) : "";
}

/** Enters a member into a team's list. */
export async function addMemberEntry(tx: Tx, teamId: string, userId: string): Promise<void> {
  await insertMemberEntry(tx, { teamId, userId, content: await contentOf(tx, userId) });
}

/** Whoever was invited has joined: they are found by all that is known of the account. */
export async function revealMemberEntry(tx: Tx, teamId: string, userId: string): Promise<void> {
  await updateEntry(tx, { scope: teamId, userId, content: await contentOf(tx, userId) });
}

export async function removeMemberEntry(tx: Tx, teamId: string, userId: string): Promise<void> {
  await deleteEntry(tx, { scope: teamId, userId });
}

export async function addAccountEntry(tx: Tx, userId: string): Promise<void> {
  await insertAccountEntry(tx, { scope: USERS_SCOPE, userId, content: await contentOf(tx, userId) });
}

/** Brings the next entries of an account up to date; answers where to go on, or null when all are. */
async function refreshSome(tx: Tx, userId: string, afterScope: string): Promise<string | null> {
  const scopes = await listScopesOf(tx, { userId, afterScope, limit: STEP });
  const lastScope = scopes.at(-1)?.scope;
  if (lastScope === undefined) return null;
  await refreshEntries(tx, { userId, afterScope, lastScope, content: await contentOf(tx, userId) });
  return scopes.length < STEP ? null : lastScope;
}

/** The account was renamed: it is found by its new names, at once unless it is in hundreds of teams. */
export async function refreshAccount(tx: Tx, userId: string): Promise<void> {
  await updateEntry(tx, { scope: USERS_SCOPE, userId, content: await contentOf(tx, userId) });
  const afterScope = await refreshSome(tx, userId, "");
  if (afterScope !== null) await upsertRefresh(tx, { userId, afterScope });
}

export function isAnyRefreshDue(reader: Tx): Awaitable<boolean> {
  const found = findAnyRefresh(reader, {});
  return found instanceof Promise ? found.then((row) => row !== undefined) : found !== undefined;
}

/** Goes on with one account; answers 0 when there is none. */
export async function refreshSearch(tx: Tx): Promise<number> {
  const refresh = await takeRefresh(tx, {});
  if (!refresh) return 0;
  const { userId } = refresh;
  const afterScope = await refreshSome(tx, userId, refresh.afterScope);
  if (afterScope === null) await deleteRefresh(tx, { userId });
  else await upsertRefresh(tx, { userId, afterScope });
  return 1;
}
