// Statements on the records of the authorization server.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

export interface RecordValues {
  readonly model: string;
  readonly hash: string;
  readonly lookupHash: string | null;
  readonly grantHash: string | null;
  /** The network around the address that asked, and the address, with a space between them. */
  readonly address: string | null;
  readonly userId: string | null;
  readonly payload: string;
  readonly expiresAt: number;
}

export const upsertRecord = prepare<{ -readonly [K in keyof RecordValues]: RecordValues[K] }>("oauth.upsert").write(
  ({ db, excluded, params }) =>
    db
      .insertInto("oauth_records")
      .values({
        ...params("model", "hash", "lookupHash", "grantHash", "address", "userId", "payload", "expiresAt"),
        consumedAt: null,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["model", "hash"])
          .doUpdateSet(excluded("lookupHash", "grantHash", "userId", "payload", "expiresAt")),
      ),
);

export const findRecord = prepare<{ model: string; hash: string }>("oauth.find").one(({ db, p }) =>
  db.selectFrom("oauth_records").selectAll().where("model", "=", p("model")).where("hash", "=", p("hash")),
);
export type RecordRow = NonNullable<Awaited<ReturnType<typeof findRecord>>>;

export const findRecordByLookup = prepare<{ model: string; lookupHash: string }>("oauth.findByLookup").one(
  ({ db, p }) =>
    db
      .selectFrom("oauth_records")
      .selectAll()
      .where("model", "=", p("model"))
      .where("lookupHash", "=", p("lookupHash")),
);

/** A record, locked until the transaction ends. */
export const lockRecord = prepare<{ model: string; hash: string }>("oauth.lock").one(({ db, p, forUpdate }) =>
  db
    .selectFrom("oauth_records")
    .selectAll()
    .where("model", "=", p("model"))
    .where("hash", "=", p("hash"))
    .modifyEnd(forUpdate),
);

/** The same, by its second value. */
export const lockRecordByLookup = prepare<{ model: string; lookupHash: string }>("oauth.lockByLookup").one(
  ({ db, p, forUpdate }) =>
    db
      .selectFrom("oauth_records")
      .selectAll()
      .where("model", "=", p("model"))
      .where("lookupHash", "=", p("lookupHash"))
      .modifyEnd(forUpdate),
);

/** Stores what a person decided about a record. */
export const decideRecord = prepare<{
  model: string;
  hash: string;
  userId: string | null;
  grantHash: string | null;
  payload: string;
}>("oauth.decide").write(({ db, p, params }) =>
  db
    .updateTable("oauth_records")
    .set(params("userId", "grantHash", "payload"))
    .where("model", "=", p("model"))
    .where("hash", "=", p("hash")),
);

/** Changes no row when the record was consumed before. */
export const consumeRecord = prepare<{ model: string; hash: string; now: number }>("oauth.consume").run(({ db, p }) =>
  db
    .updateTable("oauth_records")
    .set({ consumedAt: p("now") })
    .where("model", "=", p("model"))
    .where("hash", "=", p("hash"))
    .where("consumedAt", "is", null),
);

export const deleteRecord = prepare<{ model: string; hash: string }>("oauth.delete").write(({ db, p }) =>
  db.deleteFrom("oauth_records").where("model", "=", p("model")).where("hash", "=", p("hash")),
);

export const deleteRecordsOfGrant = prepare<{ grantHash: string }>("oauth.deleteOfGrant").write(({ db, p }) =>
  db.deleteFrom("oauth_records").where("grantHash", "=", p("grantHash")),
);

/** The valid record of a model by an address beyond the first `most`; undefined where there are no more. */
export const findBeyondAddress = prepare<{ model: string; address: string; now: number; most: number }>(
  "oauth.findBeyondAddress",
).one(({ db, p }) =>
  db
    .selectFrom("oauth_records")
    .select("hash")
    .where("model", "=", p("model"))
    .where("address", "=", p("address"))
    .where("expiresAt", ">", p("now"))
    .limit(1)
    .offset(p("most")),
);

/** The same of addresses from `from` to below `to`, in the order of their text. */
export const findBeyondRange = prepare<{ model: string; from: string; to: string; now: number; most: number }>(
  "oauth.findBeyondRange",
).one(({ db, p }) =>
  db
    .selectFrom("oauth_records")
    .select("expiresAt")
    .where("model", "=", p("model"))
    .where("address", ">=", p("from"))
    .where("address", "<", p("to"))
    .where("expiresAt", ">", p("now"))
    .limit(1)
    .offset(p("most")),
);

export const deleteExpiredRecords = prepare<{ before: number; limit: number }>("oauth.deleteExpired").run(({ db, p }) =>
  db.deleteFrom("oauth_records").where(
    sql<boolean>`(model, hash) in (select model, hash from oauth_records
        where expires_at <= ${p("before")} order by expires_at limit ${p("limit")})`,
  ),
);
