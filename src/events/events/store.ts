// Statements on events and on the heads of event chains.
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

/** The head of an owner's chain, locked until the transaction ends. */
export const lockOwnerRow = prepare<{ ownerId: string }>("events.lockOwnerRow").one(
  ({ db, p, forUpdate }) =>
    db
      .selectFrom("owners")
      .select(["sequence", "hash", "event_at", "webhooks", "checkpoint_due_at", "oldest_event_at"])
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

export const advanceHead = prepare<{ ownerId: string; sequence: number; hash: string; eventAt: number }>(
  "events.advanceHead",
).write(({ db, p }) =>
  db
    .updateTable("owners")
    .set({ sequence: p("sequence"), hash: p("hash"), event_at: p("eventAt") })
    .where("id", "=", p("ownerId")),
);

/** Like `advanceHead`. Also sets the due time of the next checkpoint and the time of the oldest event where they are null. */
export const beginHead = prepare<{
  ownerId: string;
  sequence: number;
  hash: string;
  eventAt: number;
  dueAt: number;
}>("events.beginHead").write(({ db, p }) =>
  db
    .updateTable("owners")
    .set(({ fn, ref }) => ({
      sequence: p("sequence"),
      hash: p("hash"),
      event_at: p("eventAt"),
      checkpoint_due_at: fn.coalesce(ref("checkpoint_due_at"), p("dueAt")),
      oldest_event_at: fn.coalesce(ref("oldest_event_at"), p("eventAt")),
    }))
    .where("id", "=", p("ownerId")),
);

export const insertEvent = prepare<{ [K in keyof Tables["events"]]: Tables["events"][K] }>("events.insert").write(
  ({ db, p }) =>
    db.insertInto("events").values({
      owner_id: p("owner_id"),
      sequence: p("sequence"),
      id: p("id"),
      type: p("type"),
      created_at: p("created_at"),
      actor_kind: p("actor_kind"),
      principal_id: p("principal_id"),
      user_id: p("user_id"),
      credential_id: p("credential_id"),
      actor: p("actor"),
      via: p("via"),
      ip: p("ip"),
      user_agent: p("user_agent"),
      request_id: p("request_id"),
      entity_id: p("entity_id"),
      project_id: p("project_id"),
      text: p("text"),
      entities: p("entities"),
      payload: p("payload"),
      previous: p("previous"),
      next: p("next"),
      hash: p("hash"),
    }),
);

/** Creates the empty chain of a new user or team. */
export const insertOwner = prepare<{ id: string; kind: "user" | "team" }>("owners.insert").write(({ db, p }) =>
  db.insertInto("owners").values({
    id: p("id"),
    kind: p("kind"),
    sequence: 0,
    hash: "",
    event_at: 0,
    webhooks: 0,
    checkpoint_due_at: null,
    oldest_event_at: null,
  }),
);

/** The time of the owner's event of a type after which there are `newer` newer ones. */
export const findNthNewest = prepare<{ ownerId: string; type: string; newer: number }>("events.findNthNewest").one(
  ({ db, p }) =>
    db
      .selectFrom("events")
      .select("created_at")
      .where("owner_id", "=", p("ownerId"))
      .where("type", "=", p("type"))
      .orderBy("sequence", "desc")
      .limit(1)
      .offset(p("newer")),
);
