// Statements on the keys that sign checkpoints: the active one, and those that it replaced.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

const STORED = ["id", "publicKey", "keyId", "wrappedKey", "ciphertext"] as const;

/** The active signing key, share-locked until the transaction ends. */
export const findActive = prepare("signingKeys.findActive").one(({ db, forShare }) =>
  db.selectFrom("signing_keys").select(STORED).where("slot", "=", sql.lit("active")).modifyEnd(forShare),
);

export const listKeys = prepare("signingKeys.list").many(({ db }) =>
  db.selectFrom("signing_keys").select(STORED).orderBy("id"),
);

/** Inserts the active signing key. Of two processes that do so at once, one violates the unique slot and retries. */
export const insertActive = prepare<{ now: number }>("signingKeys.insert").insert("signing_keys", ({ p }) => ({
  slot: "active",
  createdAt: p("now"),
  retiredAt: null,
}));

export const retireActive = prepare<{ now: number }>("signingKeys.retireActive").write(({ db, p }) =>
  db
    .updateTable("signing_keys")
    .set({ slot: null, retiredAt: p("now") })
    .where("slot", "=", sql.lit("active")),
);

export const listUsedKeys = prepare("signingKeys.listUsed").many(({ db }) =>
  db.selectFrom("signing_keys").select("keyId").distinct(),
);

export const countUnder = prepare<{ keyId: string }>("signingKeys.count").one(({ db, p }) =>
  db
    .selectFrom("signing_keys")
    .select(({ fn }) => fn.countAll<number>().as("keys"))
    .where("keyId", "=", p("keyId")),
);

export const listUnder = prepare<{ keyId: string; afterId: string; limit: number }>("signingKeys.listUnder").many(
  ({ db, p }) =>
    db
      .selectFrom("signing_keys")
      .select(["id", "wrappedKey"])
      .where("keyId", "=", p("keyId"))
      .where("id", ">", p("afterId"))
      .orderBy("id")
      .limit(p("limit")),
);

export const findCiphertext = prepare<{ id: string }>("signingKeys.findCiphertext").one(({ db, p }) =>
  db.selectFrom("signing_keys").select("ciphertext").where("id", "=", p("id")),
);

/** Stores the data key of a private key wrapped under another master key, unless another process has done so. */
export const replaceKey = prepare<{ id: string; previousKeyId: string; keyId: string; wrappedKey: Uint8Array }>(
  "signingKeys.replaceKey",
).run(({ db, p }) =>
  db
    .updateTable("signing_keys")
    .set({ keyId: p("keyId"), wrappedKey: p("wrappedKey") })
    .where("id", "=", p("id"))
    .where("keyId", "=", p("previousKeyId")),
);
