import type { Dialect, Migration } from "./migration.ts";

/** Sessions of people, and the methods by which they prove who they are. */
export const signIn: Migration = {
  version: 16,
  name: "sign-in",
  statements: ({ text, big, bytes, clustered }: Dialect) => [
    // hash: SHA-256 of the cookie's value. method: `password`, `passkey`, `provider`, `link` or `recovery-code`. proved_at: when
    // the person last proved who they are.
    `create table sessions (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      hash ${text} not null constraint sessions_hash unique,
      method ${text} not null,
      ip ${text} not null,
      user_agent ${text},
      proved_at ${big} not null,
      active_at ${big} not null,
      created_at ${big} not null,
      position ${big} not null
    )`,
    `create unique index sessions_position on sessions (user_id, position)`,
    `create index sessions_created on sessions (created_at)`,
    // hash: PHC string of algorithm, parameters, salt and hash.
    `create table passwords (
      user_id ${text} primary key references users (id) on delete cascade,
      hash ${text} not null,
      changed_at ${big} not null
    )`,
    // credential_id: the authenticator's, base64url. rp_id: the host that it was made for, so that it is known after the
    // instance's host changes. public_key: COSE. transports: JSON array.
    `create table passkeys (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      credential_id ${text} not null constraint passkeys_credential unique,
      rp_id ${text} not null,
      public_key ${bytes} not null,
      counter ${big} not null,
      transports ${text} not null,
      name ${text} not null,
      used_at ${big},
      created_at ${big} not null,
      position ${big} not null
    )`,
    `create unique index passkeys_position on passkeys (user_id, position)`,
    `create index passkeys_host on passkeys (rp_id)`,
    // Accounts of OpenID Connect providers. provider: its id in the configuration. email: the address that the provider gave
    // last.
    `create table identities (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      provider ${text} not null,
      issuer ${text} not null,
      subject ${text} not null,
      email ${text},
      used_at ${big} not null,
      created_at ${big} not null,
      position ${big} not null,
      constraint identities_subject unique (issuer, subject)
    )`,
    `create unique index identities_position on identities (user_id, position)`,
    `create table recovery_codes (
      user_id ${text} not null references users (id) on delete cascade,
      hash ${text} not null,
      primary key (user_id, hash)
    ) ${clustered}`,
    // Codes of links and steps of sign-in; using one deletes its row. hash: SHA-256. data: JSON. mail_id: the mail that carries
    // the code, whose attempts each replace it; null for a code that was shown.
    `create table one_time_codes (
      hash ${text} primary key,
      purpose ${text} not null,
      user_id ${text} references users (id) on delete cascade,
      data ${text} not null,
      mail_id ${text} constraint one_time_codes_mail unique,
      expires_at ${big} not null
    )`,
    `create index one_time_codes_user on one_time_codes (user_id, purpose)`,
    `create index one_time_codes_expiry on one_time_codes (expires_at)`,
    // Browsers that an account has signed in on: strangers who guess its password do not pause them.
    `create table known_devices (
      user_id ${text} not null references users (id) on delete cascade,
      hash ${text} not null,
      used_at ${big} not null,
      primary key (user_id, hash)
    ) ${clustered}`,
    `create index known_devices_use on known_devices (user_id, used_at)`,
    // Failed attempts, by what is paused.
    `create table sign_in_failures (
      subject ${text} primary key,
      failures ${big} not null,
      paused_until ${big} not null,
      failed_at ${big} not null
    ) ${clustered}`,
    `create index sign_in_failures_time on sign_in_failures (failed_at)`,
    // When its owner showed that mail to the address reaches them, or an administrator set it; null: nobody has.
    `alter table users add column email_confirmed_at ${big}`,
    // Administrators have made the accounts until now, and answer for their addresses.
    `update users set email_confirmed_at = created_at`,
    // The present code was sent by mail, and shown to nobody.
    `alter table invites add column is_mailed integer not null default 0`,
  ],
};
