// Changes an account: username and address remain unique, and each changed field is an event of its own.
import { fieldError, notFound } from "../../platform/kernel/errors.ts";
import { isSameEmail } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import type { EventContext, EventInput } from "../../events/events/emit.ts";
import { refreshAccount } from "../../platform/store/search/entries.ts";
import { refuseLosingLastAdministrator } from "./administrators.ts";
import { claimEmailKey, findEmailHolder } from "./email.ts";
import type { EmailSource } from "./email.ts";
import { findUser, findUserByUsername, updateDefaultTeam, updateUser } from "./store.ts";
import type { UserRow } from "./store.ts";

/** What is to change; absent members stay as they are. */
export interface UserChange {
  readonly email?: string;
  /** Who says that the address is the account's. By default an administrator. */
  readonly emailSource?: EmailSource;
  readonly username?: string;
  readonly name?: string | null;
  readonly avatar?: string | null;
  readonly defaultTeamId?: string | null;
}

/** What an administrator may change besides. */
export interface RightsChange extends UserChange {
  readonly admin?: boolean;
  readonly suspended?: boolean;
}

/** Ends what an account gave access by that is suspended, or administers no longer, in every team. Nothing of it comes back with the right. */
export type EndAccess = (
  tx: Tx,
  act: EventContext,
  person: { readonly userId: string; readonly username: string; readonly isSuspended: boolean },
) => Promise<void>;

/** Refuses a name that an account has, in whatever case. */
export async function refuseTakenUsername(tx: Tx, username: string): Promise<void> {
  if (!(await findUserByUsername(tx, { usernameKey: username.toLowerCase() }))) return;
  throw fieldError("username_taken", "body.username", "another account has this name");
}

/** The account's address after a change, with the key and the time of confirmation that it has then. */
async function applyEmail(tx: Tx, row: UserRow, change: UserChange, now: number) {
  const { email = row.email, emailSource: source = email === row.email ? "typed" : "vouched" } = change;
  const isSame = email === row.email;
  if (isSame && (row.emailConfirmedAt !== null || source === "typed")) return {};
  return {
    email,
    emailKey: await claimEmailKey(tx, { userId: row.id, email, source }, now),
    emailConfirmedAt: source === "typed" ? null : now,
  };
}

async function applyChange(tx: Tx, row: UserRow, change: RightsChange, now: number): Promise<UserRow> {
  const { username = row.username, admin = row.isAdmin === 1 } = change;
  const { suspended = row.suspendedAt !== null } = change;
  return {
    ...row,
    ...(await applyEmail(tx, row, change, now)),
    username,
    usernameKey: username.toLowerCase(),
    name: change.name === undefined ? row.name : change.name,
    avatar: change.avatar === undefined ? row.avatar : change.avatar,
    defaultTeamId: change.defaultTeamId === undefined ? row.defaultTeamId : change.defaultTeamId,
    isAdmin: admin ? 1 : 0,
    suspendedAt: suspended ? (row.suspendedAt ?? now) : null,
  };
}

type News = Pick<EventInput, "type" | "text" | "payload" | "previous" | "next">;

function settingsOf({ name, defaultTeamId, isAdmin }: UserRow): Record<string, unknown> {
  return { name, defaultTeamId, isAdmin: isAdmin === 1 };
}

function emailNews(previous: UserRow, next: UserRow): News | null {
  const [{ username, email: prevEmail }, { email }] = [previous, next];
  const payload = { email, prevEmail };
  if (email !== prevEmail) {
    const text = `changed the e-mail address of account ${username}`;
    return { type: "email", text, payload, previous: { email: prevEmail }, next: { email } };
  }
  if (next.emailConfirmedAt === previous.emailConfirmedAt) return null;
  const text = `confirmed the e-mail address of account ${username}`;
  return { type: "email", text, payload, previous: { email, isConfirmed: false }, next: { email, isConfirmed: true } };
}

function newsOf(previous: UserRow, next: UserRow): News[] {
  const news: News[] = [];
  const { username } = previous;
  if (next.username !== username) {
    news.push({
      type: "username",
      text: `renamed account ${username} to ${next.username}`,
      payload: { username: next.username },
      previous: { username },
      next: { username: next.username },
    });
  }
  const ofEmail = emailNews(previous, next);
  if (ofEmail) news.push(ofEmail);
  if (next.avatar !== previous.avatar) {
    news.push({
      type: "avatar",
      text: `changed the avatar of account ${username}`,
      payload: { avatar: next.avatar },
      previous: { avatar: previous.avatar },
      next: { avatar: next.avatar },
    });
  }
  const [before, after] = [settingsOf(previous), settingsOf(next)];
  const changed = Object.keys(after).filter((key) => before[key] !== after[key]);
  if (changed.length > 0) {
    const pick = (settings: Record<string, unknown>) => Object.fromEntries(changed.map((key) => [key, settings[key]]));
    news.push({
      type: "user-updated",
      text: `changed ${changed.join(", ")} of account ${username}`,
      payload: { uid: next.id, username: next.username, ...pick(after) },
      previous: pick(before),
      next: pick(after),
    });
  }
  const isSuspended = next.suspendedAt !== null;
  if (isSuspended !== (previous.suspendedAt !== null)) {
    news.push({
      type: isSuspended ? "user-suspended" : "user-resumed",
      text: `${isSuspended ? "suspended" : "resumed"} account ${username}`,
      payload: { uid: next.id, username: next.username },
      previous: { suspendedAt: previous.suspendedAt },
      next: { suspendedAt: next.suspendedAt },
    });
  }
  return news;
}

async function storeChange(tx: Tx, act: EventContext, row: UserRow, change: RightsChange): Promise<UserRow> {
  const next = await applyChange(tx, row, change, act.now);
  const news = newsOf(row, next);
  if (news.length === 0) return row;
  if (next.usernameKey !== row.usernameKey) await refuseTakenUsername(tx, next.username);
  await refuseLosingLastAdministrator(tx, row, next);
  const { id } = row;
  if (next.defaultTeamId !== row.defaultTeamId) await updateDefaultTeam(tx, { id, teamId: next.defaultTeamId });
  await updateUser(tx, { ...next, now: act.now });
  if (next.username !== row.username || next.email !== row.email || next.name !== row.name)
    await refreshAccount(tx, next);
  for (const item of news) await emit(tx, act, { ...item, ownerId: id, entityId: id });
  return (await findUser(tx, { id })) as UserRow;
}

/**
 * Stores the change and returns the changed account. The caller holds the account's lock and read `row` under it. Of what the account may
 * do it changes nothing: `changeRights` does, and ends what that gave access by.
 */
export const changeUser: (tx: Tx, act: EventContext, row: UserRow, change: UserChange) => Promise<UserRow> =
  storeChange;

/**
 * Makes a team the account's default one, which clients open first. The caller holds the team's lock and found the account to be a
 * member.
 */
export async function chooseDefaultTeam(tx: Tx, act: EventContext, uid: string, teamId: string): Promise<void> {
  await lockOwner(tx, uid);
  const row = await findUser(tx, { id: uid });
  if (row) await changeUser(tx, act, row, { defaultTeamId: teamId });
}

/** Changes an account whose lock the caller holds. */
export async function changeAccount(tx: Tx, act: EventContext, id: string, change: UserChange): Promise<UserRow> {
  const row = await findUser(tx, { id });
  if (!row) throw notFound("User");
  return await changeUser(tx, act, row, change);
}

/** The same, also of what the account may do. */
export async function changeRights(
  tx: Tx,
  act: EventContext,
  id: string,
  change: RightsChange,
  endAccess: EndAccess,
): Promise<UserRow> {
  const row = await findUser(tx, { id });
  if (!row) throw notFound("User");
  return await changeRightsOf(tx, act, row, change, endAccess);
}

/** The same, of an account that was read under its lock. */
export async function changeRightsOf(
  tx: Tx,
  act: EventContext,
  row: UserRow,
  change: RightsChange,
  endAccess: EndAccess,
): Promise<UserRow> {
  const { id } = row;
  const next = await storeChange(tx, act, row, change);
  const isSuspended = next.suspendedAt !== null && row.suspendedAt === null;
  const person = { userId: id, username: next.username, isSuspended };
  if (isSuspended || next.isAdmin < row.isAdmin) await endAccess(tx, act, person);
  return next;
}

/**
 * Confirms the address of an account, whose lock the caller holds, when its owner has proved that very address. Another address, and
 * one that another account has confirmed, are left alone.
 */
export async function confirmEmailOf(tx: Tx, act: EventContext, id: string, proven: string): Promise<void> {
  const row = await findUser(tx, { id });
  if (!row || !isSameEmail(row.email, proven)) return;
  if ((await findEmailHolder(tx, proven))?.isConfirmed) return;
  await changeUser(tx, act, row, { emailSource: "proven" });
}
