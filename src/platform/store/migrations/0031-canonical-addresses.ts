// Brings e-mail addresses to their one form. Accounts whose addresses are one mailbox then stay as they are, for people to decide:
// `reeve doctor` lists them for as long as they are so. No event is recorded: nobody acted, and each address leads where it led before.
import { createHmac } from "node:crypto";
import { canonicalEmail, emailKey } from "../../kernel/text/email-address.ts";
import { searchTextOf } from "../../kernel/text/search-text.ts";
import type { WriteTx } from "../database.ts";
import type { Migration } from "./migration.ts";

type Value = string | number;

const BATCH = 1_000;

async function query<Row>(tx: WriteTx, text: string, values: readonly Value[]): Promise<readonly Row[]> {
  return (await tx.query(tx.engine === "sqlite" ? text.replaceAll(/\$(\d)/g, "?$1") : text, values)) as readonly Row[];
}

/** The rows of a table in the order of their ids. */
async function* rowsOf<Row extends { readonly id: string }>(tx: WriteTx, from: string): AsyncGenerator<Row> {
  let id = "";
  for (;;) {
    const rows = await query<Row>(tx, `${from} id > $1 order by id limit ${BATCH}`, [id]);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    ({ id } = last);
  }
}

interface Account {
  readonly id: string;
  readonly email: string;
  readonly email_key: string;
  readonly username: string;
  readonly name: string | null;
}

const accountsOf = (tx: WriteTx) => rowsOf<Account>(tx, "select id, email, email_key, username, name from users where");

/** The keys that several accounts have now. An account's id in place of a key leads from no address to it. */
async function findShared(tx: WriteTx): Promise<ReadonlySet<string>> {
  const moved = new Map<string, number>();
  for await (const { id, email, email_key: key } of accountsOf(tx)) {
    const next = emailKey(email);
    if (key !== id && key !== next) moved.set(next, (moved.get(next) ?? 0) + 1);
  }
  const shared = new Set<string>();
  for (const [key, accounts] of moved) {
    if (accounts > 1 || (await query(tx, "select 1 from users where email_key = $1", [key])).length > 0)
      shared.add(key);
  }
  return shared;
}

/** The keys that older versions had for spellings, and the addresses that those are. */
type Respelled = Map<string, string>;

async function convertAccounts(tx: WriteTx, respelled: Respelled): Promise<void> {
  const shared = await findShared(tx);
  for await (const { id, email, email_key: key, username, name } of accountsOf(tx)) {
    const next = canonicalEmail(email);
    if (next === undefined) continue;
    if (next !== email.toLowerCase()) respelled.set(email.toLowerCase(), next);
    if (shared.has(next) || (next === email && (key === next || key === id))) continue;
    const values = [next, key === id ? id : next, id];
    await query(tx, "update users set email = $1, email_key = $2, revision = revision + 1 where id = $3", values);
    const content = searchTextOf([name, username, next]);
    if (content === searchTextOf([name, username, email])) continue;
    await query(tx, "update search_entries set content = $1 where user_id = $2", [content, id]);
  }
}

async function convertInvites(tx: WriteTx, respelled: Respelled): Promise<void> {
  const from = "select id, email from invites where email is not null and";
  for await (const { id, email } of rowsOf<{ readonly id: string; readonly email: string }>(tx, from)) {
    const next = canonicalEmail(email);
    if (next === undefined) continue;
    if (next !== email.toLowerCase()) respelled.set(email.toLowerCase(), next);
    if (next === email) continue;
    const values = [next, next, id];
    await query(tx, "update invites set email = $1, email_key = $2, revision = revision + 1 where id = $3", values);
  }
}

async function convertMails(tx: WriteTx): Promise<void> {
  const from = "select id, recipient from mails where";
  for await (const { id, recipient } of rowsOf<{ readonly id: string; readonly recipient: string }>(tx, from)) {
    const next = canonicalEmail(recipient) ?? recipient;
    if (next !== recipient) await query(tx, "update mails set recipient = $1 where id = $2", [next, id]);
  }
}

interface Stop {
  readonly team_id: string;
  readonly recipient: string;
  readonly created_at: number;
}

/** Mail that was stopped for a spelling is stopped for the address. Links in mail to the spelling go on working. */
async function convertStops(tx: WriteTx, respelled: Respelled): Promise<void> {
  const [link] = await query<{ readonly secret: string }>(tx, "select secret from mail_link_keys where slot = $1", [
    "current",
  ]);
  if (!link) return;
  const hash = (address: string) =>
    createHmac("sha256", link.secret).update(`recipient\0${address}`).digest("base64url").slice(0, 22);
  const moved = new Map([...respelled].map(([spelled, email]) => [hash(spelled), hash(email)]));
  let [team, recipient] = ["", ""];
  while (moved.size > 0) {
    const text = `select team_id, recipient, created_at from mail_stops where (team_id, recipient) > ($1, $2)
      order by team_id, recipient limit ${BATCH}`;
    const stops = await query<Stop>(tx, text, [team, recipient]);
    for (const stop of stops) {
      const next = moved.get(stop.recipient);
      const add = "insert into mail_stops (team_id, recipient, created_at) values ($1, $2, $3) on conflict do nothing";
      if (next !== undefined) await query(tx, add, [stop.team_id, next, stop.created_at]);
    }
    const last = stops.at(-1);
    if (!last) return;
    [team, recipient] = [last.team_id, last.recipient];
  }
}

export const canonicalAddresses: Migration = {
  version: 31,
  name: "canonical-addresses",
  statements: () => [],
  async fill(tx) {
    const respelled: Respelled = new Map();
    await convertAccounts(tx, respelled);
    await convertInvites(tx, respelled);
    await convertMails(tx);
    await convertStops(tx, respelled);
  },
};
