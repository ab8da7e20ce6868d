// Statements on checkpoints, and on the heads of the chains that they sign.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";

const STATEMENT = [
  "event_checkpoints.ownerId",
  "event_checkpoints.sequence",
  "event_checkpoints.hash",
  "event_checkpoints.eventAt",
  "event_checkpoints.createdAt",
  "event_checkpoints.reason",
  "event_checkpoints.signingKeyId as keyId",
  "event_checkpoints.signature",
] as const;

/** Heads that have no checkpoint by a key. Excludes the instance, which must be locked before all other owners. */
function unsignedHeads<P extends { keyId: string }>({ db, p }: Build<P>) {
  return db
    .selectFrom("owners")
    .where("kind", "!=", sql.lit("instance"))
    .where("sequence", ">", sql.lit(0))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("event_checkpoints as signed")
            .select("signed.sequence")
            .whereRef("signed.ownerId", "=", "owners.id")
            .whereRef("signed.sequence", "=", "owners.sequence")
            .where("signed.signingKeyId", "=", p("keyId")),
        ),
      ),
    );
}

/** The newest event of a chain, from its owner's row. */
export const findHead = prepare<{ ownerId: string }>("checkpoints.findHead").one(({ db, p }) =>
  db
    .selectFrom("owners")
    .select(["id as ownerId", "sequence", "hash", "eventAt"])
    .where("id", "=", p("ownerId"))
    .where("sequence", ">", sql.lit(0)),
);

/** Locks heads whose checkpoint is due, and skips those that another transaction has locked. */
export const lockDue = prepare<{ now: number; limit: number }>("checkpoints.lockDue").many(
  ({ db, p, forUpdateSkipLocked }) =>
    db
      .selectFrom("owners")
      .select(({ exists, selectFrom }) => [
        "id as ownerId",
        "sequence",
        "hash",
        "eventAt",
        exists(
          selectFrom("event_checkpoints as present")
            .select("present.sequence")
            .whereRef("present.ownerId", "=", "owners.id")
            .whereRef("present.sequence", "=", "owners.sequence"),
        ).as("isCovered"),
      ])
      .where("checkpointDueAt", "is not", null)
      .where("checkpointDueAt", "<=", p("now"))
      .orderBy("checkpointDueAt")
      .limit(p("limit"))
      .modifyEnd(forUpdateSkipLocked),
);

/** Locks heads without a checkpoint by a key, after an owner's id and in the order of ids. */
export const lockUnsigned = prepare<{ afterId: string; keyId: string; limit: number }>("checkpoints.lockUnsigned").many(
  (build) =>
    unsignedHeads(build)
      .select(({ selectFrom }) => [
        "id as ownerId",
        "sequence",
        "hash",
        "eventAt",
        selectFrom("event_checkpoints as present")
          .select("present.reason")
          .whereRef("present.ownerId", "=", "owners.id")
          .whereRef("present.sequence", "=", "owners.sequence")
          .as("presentReason"),
      ])
      .where("id", ">", build.p("afterId"))
      .orderBy("id")
      .limit(build.p("limit"))
      .modifyEnd(build.forUpdate),
);

export const countUnsigned = prepare<{ keyId: string }>("checkpoints.countUnsigned").one((build) =>
  unsignedHeads(build).select(({ fn }) => fn.countAll<number>().as("heads")),
);

/** The newest checkpoints of chains, by owner. */
export const listNewest = prepare<{ afterId: string; limit: number }>("checkpoints.listNewest").many(({ db, p }) =>
  db
    .selectFrom("owners")
    .innerJoin("event_checkpoints", (join) =>
      join.onRef("event_checkpoints.ownerId", "=", "owners.id").on("event_checkpoints.sequence", "=", (eb) =>
        eb
          .selectFrom("event_checkpoints as newest")
          .select(({ fn }) => fn.max("newest.sequence").as("sequence"))
          .whereRef("newest.ownerId", "=", "owners.id"),
      ),
    )
    .innerJoin("signing_keys", "signing_keys.id", "event_checkpoints.signingKeyId")
    .select([...STATEMENT, "signing_keys.publicKey"])
    .where("owners.id", ">", p("afterId"))
    .orderBy("owners.id")
    .limit(p("limit")),
);

/** `ownerIds` is a JSON array. */
export const clearDue = prepare<{ ownerIds: string }>("checkpoints.clearDue").write(({ db, isElement }) =>
  db
    .updateTable("owners")
    .set({ checkpointDueAt: null })
    .where((eb) => isElement(eb.ref("id"), "ownerIds")),
);

/**
 * Stores checkpoints that were made at one time, and replaces those of the same events. `rows` is a JSON array of
 * `{ownerId, sequence, hash, eventAt, createdAt, reason, keyId, signature}`.
 */
export const putCheckpoints = prepare<{ rows: string; position: number }>("checkpoints.put").write(
  ({ db, p, objects, member, integerMember, excluded }) =>
    db
      .insertInto("event_checkpoints")
      .columns([
        "ownerId",
        "sequence",
        "hash",
        "eventAt",
        "createdAt",
        "reason",
        "signingKeyId",
        "signature",
        "position",
      ])
      .expression(
        db
          .selectFrom(objects("rows"))
          .select([
            member("ownerId").as("ownerId"),
            integerMember("sequence").as("sequence"),
            member("hash").as("hash"),
            integerMember("eventAt").as("eventAt"),
            integerMember("createdAt").as("createdAt"),
            member("reason").as("reason"),
            member("keyId").as("signingKeyId"),
            member("signature").as("signature"),
            sql<number>`(select case when coalesce(max(listed.position), 0) < ${p("position")} then ${p("position")}
              else max(listed.position) + 1 end
              from event_checkpoints as listed where listed.owner_id = ${member("ownerId")})`.as("position"),
          ])
          // Without a condition SQLite parses ON CONFLICT as the condition of a join.
          .where(sql<boolean>`1 = 1`),
      )
      .onConflict((conflict) =>
        conflict
          .columns(["ownerId", "sequence"])
          .doUpdateSet(excluded("hash", "eventAt", "createdAt", "reason", "signingKeyId", "signature", "position")),
      ),
);

export const findCheckpoint = prepare<{ ownerId: string; sequence: number }>("checkpoints.find").one(({ db, p }) =>
  db
    .selectFrom("event_checkpoints")
    .select(STATEMENT)
    .where("ownerId", "=", p("ownerId"))
    .where("sequence", "=", p("sequence")),
);

export const listPage = prepare<{ ownerId: string }>("checkpoints.list").page(({ db, p }) =>
  db
    .selectFrom("event_checkpoints")
    .innerJoin("signing_keys", "signing_keys.id", "event_checkpoints.signingKeyId")
    .select([...STATEMENT, "signing_keys.publicKey", "position"])
    .where("ownerId", "=", p("ownerId")),
);

/** Counts chains whose checkpoint has been due since a time, up to a limit. */
export const countOverdue = prepare<{ dueBefore: number; limit: number }>("checkpoints.countOverdue").one(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("owners")
        .select("checkpointDueAt")
        .where("checkpointDueAt", "is not", null)
        .where("checkpointDueAt", "<=", p("dueBefore"))
        .limit(p("limit"))
        .as("overdue"),
    )
    .select(({ fn }) => [fn.countAll<number>().as("overdue")]),
);
