// Statements on which master keys wrap the data keys of what webhooks seal. They go through all owners: a master key is
// the instance's.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** Each key once, by as many looks into the index as there are keys. */
export const listUsedKeys = prepare("webhookSecretKeys.listUsed").many(({ db }) =>
  db
    .selectFrom(
      sql<{ key_id: string }>`(with recursive used (key_id) as (
        select min(key_id) from webhook_secrets
        union all
        select (select min(later.key_id) from webhook_secrets as later where later.key_id > used.key_id)
        from used where used.key_id is not null
      ) select key_id from used where key_id is not null)`.as("used_keys"),
    )
    .select("key_id"),
);

export const countSecretsUnder = prepare<{ keyId: string }>("webhookSecretKeys.count").one(({ db, p }) =>
  db
    .selectFrom("webhook_secrets")
    .select(({ fn }) => fn.countAll<number>().as("secrets"))
    .where("key_id", "=", p("keyId")),
);

/** Those under a key from a place on, without their values. */
export const listSecretsUnder = prepare<{ keyId: string; afterId: string; afterVersion: number; limit: number }>(
  "webhookSecretKeys.list",
).many(({ db, p }) =>
  db
    .selectFrom("webhook_secrets")
    .select(["owner_id", "webhook_id", "version", "wrapped_key"])
    .where("key_id", "=", p("keyId"))
    .where(sql<boolean>`(webhook_id, version) > (${p("afterId")}, ${p("afterVersion")})`)
    .orderBy("webhook_id")
    .orderBy("version")
    .limit(p("limit")),
);

export const findCiphertext = prepare<{ webhookId: string; version: number }>("webhookSecretKeys.findCiphertext").one(
  ({ db, p }) =>
    db
      .selectFrom("webhook_secrets")
      .select("ciphertext")
      .where("webhook_id", "=", p("webhookId"))
      .where("version", "=", p("version")),
);

/** Puts a data key under another master key, unless somebody else has done so. */
export const replaceSecretKey = prepare<{
  ownerId: string;
  webhookId: string;
  version: number;
  previousKeyId: string;
  keyId: string;
  wrappedKey: Uint8Array;
}>("webhookSecretKeys.replace").run(({ db, p }) =>
  db
    .updateTable("webhook_secrets")
    .set({ key_id: p("keyId"), wrapped_key: p("wrappedKey") })
    .where("owner_id", "=", p("ownerId"))
    .where("webhook_id", "=", p("webhookId"))
    .where("version", "=", p("version"))
    .where("key_id", "=", p("previousKeyId")),
);
