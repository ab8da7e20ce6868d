// What a restored store lets in again: credentials, sessions and codes that were revoked or used after the backup was made. It counts
// them, or ends them all.
import { randomHex } from "../kernel/ids.ts";
import type { Admin } from "../store/database.ts";
import type { Revived } from "../cli/restored.ts";

const CODE_LENGTH = 40;

/** The rows that let somebody in, by table; `now` in ms. */
const WORKING = {
  tokens: (now: number) => [`access_tokens where expires_at is null or expires_at > ${now}`],
  apiKeys: (now: number) => [`api_keys where suspended_at is null and (expires_at is null or expires_at > ${now})`],
  sessions: () => ["sessions"],
  codes: (now: number) => [
    `one_time_codes where expires_at > ${now}`,
    `invites where revoked_at is null and expires_at > ${now}`,
    "recovery_codes",
  ],
} as const;

async function countRows(store: Pick<Admin, "query">, from: readonly string[]): Promise<number> {
  let count = 0;
  for (const rows of from) count += Number((await store.query(`select count(*) as n from ${rows}`))[0]?.["n"]);
  return count;
}

export async function countRevived(store: Pick<Admin, "query">, now: number): Promise<Revived> {
  return {
    tokens: await countRows(store, WORKING.tokens(now)),
    apiKeys: await countRows(store, WORKING.apiKeys(now)),
    sessions: await countRows(store, WORKING.sessions()),
    codes: await countRows(store, WORKING.codes(now)),
  };
}

/**
 * Ends all of them, and what would make new ones without a person: trust rules wait to be adopted, join links get other codes, and
 * programs have to be approved again. Passwords, passkeys and connections with providers stay, so that people can sign in.
 */
export async function endCredentials(store: Admin, now: number): Promise<void> {
  for (const table of [
    "access_tokens",
    "api_keys",
    "sessions",
    "one_time_codes",
    "recovery_codes",
    "oauth_records",
    "idempotency_records",
  ]) {
    await store.exec(`delete from ${table}`);
  }
  const change = `updated_at = ${now}, revision = revision + 1`;
  await store.exec(`update invites set revoked_at = ${now}, ${change} where revoked_at is null`);
  await store.exec(`update identity_trusts set suspended_at = ${now}, ${change} where suspended_at is null`);
  for (const { id } of await store.query("select id from teams")) {
    await store.exec(
      `update teams set invite_code = '${randomHex(CODE_LENGTH)}', ${change} where id = '${String(id)}'`,
    );
  }
}
