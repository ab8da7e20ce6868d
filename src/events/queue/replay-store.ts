// Statements on replays, and on the deliveries that they requeue.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { NEVER } from "./queue-store.ts";

export type ReplayRow = Tables["webhook_replays"];

type WebhookKey = { ownerId: string; webhookId: string };

export const insertReplay = prepare<
  WebhookKey & {
    id: string;
    states: string;
    types: string | null;
    since: number | null;
    until: number | null;
    cursor: number;
    before: number;
    now: number;
  }
>("webhookReplays.insert").write(({ db, p }) =>
  db.insertInto("webhook_replays").values({
    id: p("id"),
    webhook_id: p("webhookId"),
    owner_id: p("ownerId"),
    states: p("states"),
    types: p("types"),
    since: p("since"),
    until: p("until"),
    cursor: p("cursor"),
    before: p("before"),
    queued: 0,
    created_at: p("now"),
    stepped_at: p("now"),
    finished_at: null,
  }),
);

export const findReplay = prepare<WebhookKey & { id: string }>("webhookReplays.find").one(({ db, p }) =>
  db
    .selectFrom("webhook_replays")
    .selectAll()
    .where("id", "=", p("id"))
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId")),
);

/** The replay of a webhook that is not finished. */
export const findRunning = prepare<WebhookKey>("webhookReplays.findRunning").one(({ db, p }) =>
  db
    .selectFrom("webhook_replays")
    .selectAll()
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("finished_at", "is", null),
);

/** The unfinished replay, of whatever owner, that has waited longest for its next step. */
export const findNextReplay = prepare("webhookReplays.findNext").one(({ db }) =>
  db
    .selectFrom("webhook_replays")
    .select(["id", "webhook_id", "owner_id"])
    .where("finished_at", "is", null)
    .orderBy("stepped_at")
    .limit(1),
);

export const advanceReplay = prepare<
  WebhookKey & { id: string; cursor: number; queued: number; now: number; finishedAt: number | null }
>("webhookReplays.advance").write(({ db, p }) =>
  db
    .updateTable("webhook_replays")
    .set((eb) => ({
      cursor: p("cursor"),
      queued: eb("queued", "+", p("queued")),
      stepped_at: p("now"),
      finished_at: p("finishedAt"),
    }))
    .where("id", "=", p("id"))
    .where("owner_id", "=", p("ownerId"))
    .where("webhook_id", "=", p("webhookId")),
);

/** The next deliveries in order, unfiltered, so that the number of rows read does not depend on the filter. */
export const listWindow = prepare<WebhookKey & { from: number; before: number; limit: number }>(
  "webhookDeliveries.listWindow",
).many(({ db, p }) =>
  db
    .selectFrom("webhook_deliveries")
    .select(["sequence", "state", "type"])
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("sequence", ">=", p("from"))
    .where("sequence", "<", p("before"))
    .orderBy("sequence")
    .limit(p("limit")),
);

/** Makes deliveries due that are not pending or wait for their next try; `sequences` is a JSON array of some between `from` and `to`. */
export const requeueAll = prepare<WebhookKey & { from: number; to: number; sequences: string; now: number }>(
  "webhookDeliveries.requeueAll",
).run(({ db, p, integers }) =>
  db
    .updateTable("webhook_deliveries")
    .set({ state: sql.lit("pending"), due_at: p("now"), tries: 0 })
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("sequence", ">=", p("from"))
    .where("sequence", "<=", p("to"))
    .where("sequence", "in", integers("sequences"))
    .where((eb) => eb.or([eb("due_at", "is", null), eb("tries", ">", 0)])),
);

/** No dispatcher claims the queue until it is resumed. */
export const pauseQueue = prepare<WebhookKey>("webhookQueues.pause").write(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({ due_at: 0, held_until: sql.lit(NEVER), ready_at: sql.lit(NEVER), holder: null })
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("held_until", "<>", sql.lit(NEVER)),
);

/** Ends a pause; a queue that is held for another reason stays so. */
export const resumeQueue = prepare<WebhookKey>("webhookQueues.resume").write(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({ due_at: 0, held_until: 0, ready_at: 0 })
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("held_until", "=", sql.lit(NEVER))
    .where("deleted_at", "is", null),
);
