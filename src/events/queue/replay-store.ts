// Statements on replays, and on the deliveries that they requeue.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { firstOfStreams } from "./log-store.ts";
import { NEVER } from "./queue-store.ts";

export type ReplayRow = Tables["webhook_replays"];

type WebhookKey = { ownerId: string; webhookId: string };

export const insertReplay = prepare("webhookReplays.insert").insert("webhook_replays", () => ({}));

export const findReplay = prepare<WebhookKey & { id: string }>("webhookReplays.find").one(({ db, p }) =>
  db
    .selectFrom("webhook_replays")
    .selectAll()
    .where("id", "=", p("id"))
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId")),
);

/** The replay of a webhook that is not finished. */
export const findRunning = prepare<WebhookKey>("webhookReplays.findRunning").one(({ db, p }) =>
  db
    .selectFrom("webhook_replays")
    .selectAll()
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("finishedAt", "is", null),
);

/** The unfinished replay, of whatever owner, that has waited longest for its next step. */
export const findNextReplay = prepare("webhookReplays.findNext").one(({ db }) =>
  db
    .selectFrom("webhook_replays")
    .select(["id", "webhookId", "ownerId"])
    .where("finishedAt", "is", null)
    .orderBy("steppedAt")
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
      steppedAt: p("now"),
      finishedAt: p("finishedAt"),
    }))
    .where("id", "=", p("id"))
    .where("ownerId", "=", p("ownerId"))
    .where("webhookId", "=", p("webhookId")),
);

/**
 * The deliveries from the first one of some streams on, so gaps cost nothing; `streams` is as in the log. They are in order and
 * unfiltered, so that the number of rows read does not depend on the filter.
 */
export const listWindow = prepare<WebhookKey & { after: number; before: number; streams: string; limit: number }>(
  "webhookDeliveries.listWindow",
).many((build) => {
  const { db, p } = build;
  const first = firstOfStreams(build, "asc", sql.lit(1));
  return db
    .selectFrom("webhook_deliveries")
    .select(["sequence", "state", "type"])
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("sequence", ">=", (eb) =>
      eb.selectFrom(first.as("first")).select(({ fn }) => fn.min<number>("first.sequence").as("sequence")),
    )
    .where("sequence", "<", p("before"))
    .orderBy("sequence")
    .limit(p("limit"));
});

/** Makes deliveries due that are not pending or wait for their next try; `sequences` is a JSON array of some between `from` and `to`. */
export const requeueAll = prepare<WebhookKey & { from: number; to: number; sequences: string; now: number }>(
  "webhookDeliveries.requeueAll",
).run(({ db, p, integers }) =>
  db
    .updateTable("webhook_deliveries")
    .set({ state: sql.lit("pending"), dueAt: p("now"), tries: 0 })
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("sequence", ">=", p("from"))
    .where("sequence", "<=", p("to"))
    .where("sequence", "in", integers("sequences"))
    .where((eb) => eb.or([eb("dueAt", "is", null), eb("tries", ">", 0)])),
);

/** No dispatcher claims the queue until it is resumed. */
export const pauseQueue = prepare<WebhookKey>("webhookQueues.pause").write(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({ dueAt: 0, heldUntil: sql.lit(NEVER), readyAt: sql.lit(NEVER), holder: null })
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("heldUntil", "<>", sql.lit(NEVER)),
);

/** Ends a pause; a queue that is held for another reason stays so. */
export const resumeQueue = prepare<WebhookKey>("webhookQueues.resume").write(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({ dueAt: 0, heldUntil: 0, readyAt: 0 })
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("heldUntil", "=", sql.lit(NEVER))
    .where("deletedAt", "is", null),
);
