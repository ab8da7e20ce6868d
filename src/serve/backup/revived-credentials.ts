// What a restored store lets in, or sends data to, again: credentials, sessions, codes, trust rules and webhooks that were revoked, used or
// deleted after the backup was made. It counts them, or ends them all.
import { NEVER } from "../../events/queue/queue-store.ts";
import { randomHex } from "../../platform/kernel/ids.ts";
import type { Admin } from "../../platform/store/database.ts";

/** What lets somebody in or sends data out after a restore, though it may have been revoked or deleted since the backup. */
export interface Revived {
  readonly tokens: number;
  readonly apiKeys: number;
  readonly sessions: number;
  /** Links, invitations, recovery codes, and approvals of programs. */
  readonly codes: number;
  readonly joinLinks: number;
  /** Rules by which programs exchange tokens of other issuers for API keys. */
  readonly trustRules: number;
  /** Active ones. */
  readonly webhooks: number;
}

const CODE_LENGTH = 40;

/** The rows that let somebody in or send data out, by table; `now` in ms. */
const WORKING = {
  tokens: (now: number) => [`access_tokens where expires_at is null or expires_at > ${now}`],
  apiKeys: (now: number) => [`api_keys where suspended_at is null and (expires_at is null or expires_at > ${now})`],
  sessions: () => ["sessions"],
  codes: (now: number) => [
    `one_time_codes where expires_at > ${now}`,
    `invites where revoked_at is null and expires_at > ${now} and (max_uses is null or uses < max_uses)`,
    `oauth_records where user_id is not null and consumed_at is null and expires_at > ${now}`,
    "recovery_codes",
  ],
  // Settings hold what differs from the defaults.
  joinLinks: () => [`teams where settings not like '%"inviteCodeEnabled":false%'`],
  trustRules: () => ["identity_trusts where suspended_at is null"],
  webhooks: () => ["webhooks where is_active = 1"],
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
    joinLinks: await countRows(store, WORKING.joinLinks()),
    trustRules: await countRows(store, WORKING.trustRules()),
    webhooks: await countRows(store, WORKING.webhooks()),
  };
}

/**
 * Ends all of them: trust rules wait to be adopted, join links get other codes, programs have to be approved again, and webhooks are
 * disabled with their deliveries waiting. Passwords, passkeys and connections with providers stay, so that people can sign in.
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
  // As a request does, so that people can enable them again.
  await store.exec(
    `update webhook_queues set held_until = ${NEVER}, ready_at = ${NEVER}, holder = null, idle_since = ${now}
      where webhook_id in (select id from webhooks where is_active = 1)`,
  );
  await store.exec(
    `update webhooks set is_active = 0, inactive_reason = 'request', inactive_since = ${now}, ${change} where is_active = 1`,
  );
  for (const { id } of await store.query("select id from teams")) {
    await store.exec(
      `update teams set invite_code = '${randomHex(CODE_LENGTH)}', ${change} where id = '${String(id)}'`,
    );
  }
}
