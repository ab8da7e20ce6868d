// Statements on events and on the heads of event chains.
import { prepare } from "../../platform/store/prepared.ts";

/** The head of an owner's chain, locked until the transaction ends. */
export const lockOwnerRow = prepare<{ ownerId: string }>("events.lockOwnerRow").one(
  ({ db, p, forUpdate }) =>
    db
      .selectFrom("owners")
      .select(["sequence", "hash", "eventAt", "webhooks", "checkpointDueAt", "oldestEventAt"])
      .where("id", "=", p("ownerId"))
      .modifyEnd(forUpdate),
  { locksOwner: true },
);

/** The sequence of an owner's newest event. */
export const findHead = prepare<{ ownerId: string }>("events.findHead").one(({ db, p }) =>
  db.selectFrom("owners").select("sequence").where("id", "=", p("ownerId")),
);

/** The sequences of some owners' newest events; `ids` is a JSON array. */
export const findHeads = prepare<{ ids: string }>("events.findHeads").many(({ db, isElement }) =>
  db
    .selectFrom("owners")
    .select(["id", "sequence"])
    .where((eb) => isElement(eb.ref("id"), "ids")),
);

/** Changes the owner's number of webhooks, which is part of the head. */
export const addToWebhooks = prepare<{ ownerId: string; by: number }>("webhooks.countOf").write(({ db, p }) =>
  db
    .updateTable("owners")
    .set((eb) => ({ webhooks: eb("webhooks", "+", p("by")) }))
    .where("id", "=", p("ownerId")),
);

export const advanceHead = prepare<{ ownerId: string; sequence: number; hash: string; eventAt: number }>(
  "events.advanceHead",
).write(({ db, p, params }) =>
  db
    .updateTable("owners")
    .set(params("sequence", "hash", "eventAt"))
    .where("id", "=", p("ownerId")),
);

/** Like `advanceHead`. Also sets the due time of the next checkpoint and the time of the oldest event where they are null. */
export const beginHead = prepare<{
  ownerId: string;
  sequence: number;
  hash: string;
  eventAt: number;
  dueAt: number;
}>("events.beginHead").write(({ db, p, params }) =>
  db
    .updateTable("owners")
    .set(({ fn, ref }) => ({
      ...params("sequence", "hash", "eventAt"),
      checkpointDueAt: fn.coalesce(ref("checkpointDueAt"), p("dueAt")),
      oldestEventAt: fn.coalesce(ref("oldestEventAt"), p("eventAt")),
    }))
    .where("id", "=", p("ownerId")),
);

export const insertEvent = prepare("events.insert").insert("events", () => ({}));

/** Creates the empty chain of a new user or team. */
export const insertOwner = prepare<{ id: string; kind: "user" | "team" }>("owners.insert").write(({ db, p }) =>
  db.insertInto("owners").values({
    id: p("id"),
    kind: p("kind"),
    sequence: 0,
    hash: "",
    eventAt: 0,
    webhooks: 0,
    checkpointDueAt: null,
    oldestEventAt: null,
  }),
);
