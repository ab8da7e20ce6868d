// Statements that read whole chains, owner by owner, for verification and `reeve doctor`.
import { sql } from "kysely";
import { prepare } from "../../../platform/store/prepared.ts";
import type { Tables } from "../../../platform/store/tables/tables.ts";

export type ChainHead = Pick<Tables["owners"], "id" | "kind" | "sequence" | "hash">;
export type ChainedEvent = Tables["events"];

/** How many events are stored. */
export const countStoredEvents = prepare("events.countStored").one(({ db }) =>
  db
    .selectFrom("owners")
    .leftJoin("event_checkpoints as cut", (join) =>
      join.onRef("cut.ownerId", "=", "owners.id").on("cut.reason", "=", sql.lit("prune")),
    )
    // PostgreSQL's sum of bigints is a numeric.
    .select(sql<number | null>`cast(sum(owners.sequence - coalesce(cut.sequence, 0)) as bigint)`.as("events")),
);

export const listHeads = prepare<{ afterId: string; limit: number }>("events.listHeads").many(({ db, p }) =>
  db
    .selectFrom("owners")
    .select(["id", "kind", "sequence", "hash"])
    .where("id", ">", p("afterId"))
    .orderBy("id")
    .limit(p("limit")),
);

export const listChained = prepare<{ ownerId: string; sequence: number; limit: number }>("events.listChained").many(
  ({ db, p }) =>
    db
      .selectFrom("events")
      .selectAll()
      .where(sql<boolean>`(owner_id, sequence) > (${p("ownerId")}, ${p("sequence")})`)
      .orderBy("ownerId")
      .orderBy("sequence")
      .limit(p("limit")),
);

/** Checkpoints, by owner and sequence. */
export const listCheckpoints = prepare<{ ownerId: string; sequence: number; limit: number }>(
  "events.listCheckpoints",
).many(({ db, p }) =>
  db
    .selectFrom("event_checkpoints")
    .select(["ownerId", "sequence", "hash", "eventAt", "createdAt", "reason", "signingKeyId as keyId", "signature"])
    .where(sql<boolean>`(owner_id, sequence) > (${p("ownerId")}, ${p("sequence")})`)
    .orderBy("ownerId")
    .orderBy("sequence")
    .limit(p("limit")),
);

/** How many chains there are, and how many whose head is neither their last event nor the last pruned one. */
export const countBrokenHeads = prepare("events.countBrokenHeads").one(({ db }) =>
  db
    .selectFrom("owners")
    .leftJoin("events as last", (join) =>
      join
        .onRef("last.ownerId", "=", "owners.id")
        .onRef("last.sequence", "=", "owners.sequence")
        .onRef("last.hash", "=", "owners.hash"),
    )
    .leftJoin("event_checkpoints as cut", (join) =>
      join
        .onRef("cut.ownerId", "=", "owners.id")
        .onRef("cut.sequence", "=", "owners.sequence")
        .onRef("cut.hash", "=", "owners.hash")
        .on("cut.reason", "=", sql.lit("prune")),
    )
    .select(({ fn, lit, exists, selectFrom }) => [
      fn.countAll<number>().as("owners"),
      fn
        .countAll<number>()
        .filterWhere(({ eb, or, and }) =>
          or([
            and([
              // The chain of the instance may be empty; every other one begins with an event.
              or([eb("owners.sequence", ">", lit(0)), eb("owners.kind", "<>", sql.lit("instance"))]),
              eb("last.id", "is", null),
              eb("cut.sequence", "is", null),
            ]),
            exists(
              selectFrom("events as later")
                .select("later.id")
                .whereRef("later.ownerId", "=", "owners.id")
                .whereRef("later.sequence", ">", "owners.sequence"),
            ),
          ]),
        )
        .as("broken"),
    ]),
);

/** Totals over the heads of the next chains after an id. `lastId` is null after the last chain. */
export const sumHeads = prepare<{ afterId: string; limit: number }>("events.sumHeads").one(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("owners")
        .select(["id", "sequence", "eventAt"])
        .where("id", ">", p("afterId"))
        .orderBy("id")
        .limit(p("limit"))
        .as("head"),
    )
    .select(({ fn }) => [
      fn.countAll<number>().as("chains"),
      // PostgreSQL's sum of bigints is a numeric.
      sql<number>`cast(coalesce(sum(head.sequence), 0) as bigint)`.as("events"),
      sql<number>`coalesce(max(head.sequence), 0)`.as("longest"),
      sql<number>`coalesce(max(head.event_at), 0)`.as("lastEventAt"),
      fn.max("head.id").as("lastId"),
    ]),
);
