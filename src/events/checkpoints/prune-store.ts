// Statements that remove events because of their age.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** Locks an owner with events from before a time, and skips owners that another transaction has locked. */
export const lockAged = prepare<{ before: number }>("pruning.lockAged").one(({ db, p, forUpdateSkipLocked }) =>
  db
    .selectFrom("owners")
    .select(["id as ownerId", "sequence"])
    .where("oldestEventAt", "is not", null)
    .where("oldestEventAt", "<", p("before"))
    .orderBy("oldestEventAt")
    .limit(sql.lit(1))
    .modifyEnd(forUpdateSkipLocked),
);

/** The oldest events of an owner. */
export const listOldest = prepare<{ ownerId: string; limit: number }>("pruning.listOldest").many(({ db, p }) =>
  db
    .selectFrom("events")
    .select(["ownerId", "sequence", "hash", "createdAt as eventAt"])
    .where("ownerId", "=", p("ownerId"))
    .orderBy("sequence")
    .limit(p("limit")),
);

/** In the order of their key, without which PostgreSQL may read all events of the owner by another index. */
export const deleteEvents = prepare<{ ownerId: string; sequence: number }>("pruning.deleteEvents").write(
  ({ db, p, place, isAmong }) => {
    const old = db
      .selectFrom("events")
      .select(place.as("place"))
      .where("ownerId", "=", p("ownerId"))
      .where("sequence", "<=", p("sequence"))
      .orderBy("ownerId")
      .orderBy("sequence");
    return db.deleteFrom("events").where(isAmong(place, old));
  },
);

export const deleteCheckpoints = prepare<{ ownerId: string; sequence: number }>("pruning.deleteCheckpoints").write(
  ({ db, p }) =>
    db.deleteFrom("event_checkpoints").where("ownerId", "=", p("ownerId")).where("sequence", "<=", p("sequence")),
);

export const setOldest = prepare<{ ownerId: string; eventAt: number | null }>("pruning.setOldest").write(({ db, p }) =>
  db
    .updateTable("owners")
    .set({ oldestEventAt: p("eventAt") })
    .where("id", "=", p("ownerId")),
);
