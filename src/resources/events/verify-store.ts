// Reads of whole chains, owner by owner, for verification and diagnosis: the only statements on events that cross owners.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";
import type { EventsTable, OwnersTable } from "../../store/tables.ts";

export type ChainHead = Pick<OwnersTable, "id" | "kind" | "sequence" | "hash">;
export type ChainedEvent = EventsTable;

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
      .orderBy("owner_id")
      .orderBy("sequence")
      .limit(p("limit")),
);

/** How many chains there are, and how many whose head is not their last event; for diagnosis. */
export const countBrokenHeads = prepare("events.countBrokenHeads").one(({ db }) =>
  db
    .selectFrom("owners")
    .leftJoin("events as last", (join) =>
      join
        .onRef("last.owner_id", "=", "owners.id")
        .onRef("last.sequence", "=", "owners.sequence")
        .onRef("last.hash", "=", "owners.hash"),
    )
    .select(({ fn, lit, exists, selectFrom }) => [
      fn.countAll<number>().as("owners"),
      fn
        .countAll<number>()
        .filterWhere(({ eb, or, and }) =>
          or([
            and([eb("owners.sequence", ">", lit(0)), eb("last.id", "is", null)]),
            exists(
              selectFrom("events as later")
                .select("later.id")
                .whereRef("later.owner_id", "=", "owners.id")
                .whereRef("later.sequence", ">", "owners.sequence"),
            ),
          ]),
        )
        .as("broken"),
    ]),
);
