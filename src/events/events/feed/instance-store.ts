// Statements that read the chains of all owners, in the order of time.
import { sql } from "kysely";
import { prepare } from "../../../platform/store/prepared.ts";

/** The position of an event among those of all owners: by time, then by owner and sequence. */
export type InstancePosition = { readonly createdAt: number; readonly ownerId: string; readonly sequence: number };

/** The columns that filters compare, of the events before a position, newest first. */
export const findBefore = prepare<InstancePosition & { since: number; limit: number }>("events.findOfAll").many(
  ({ db, p }) =>
    db
      .selectFrom("events")
      .select(["createdAt", "ownerId", "sequence", "type", "entityId", "projectId", "principalId"])
      .where(sql<boolean>`(created_at, owner_id, sequence) < (${p("createdAt")}, ${p("ownerId")}, ${p("sequence")})`)
      .where("createdAt", ">=", p("since"))
      .orderBy("createdAt", "desc")
      .orderBy("ownerId", "desc")
      .orderBy("sequence", "desc")
      .limit(p("limit")),
);
export type InstanceEntry = Awaited<ReturnType<typeof findBefore>>[number];

/** Events by owner and sequence; `positions` is a JSON array of `{ownerId, sequence}`. */
export const findAtPositions = prepare<{ positions: string }>("events.findAtPositions").many(
  ({ db, objects, member, integerMember, rowsAt }) => {
    const key = { ownerId: member("ownerId"), sequence: integerMember("sequence") };
    return db.selectFrom(rowsAt("events", objects("positions"), key)).selectAll();
  },
);
