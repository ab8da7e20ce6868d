// Statements on the queues of webhooks, and on what waits in them. Two sides share a queue's row: whoever records an
// event brings `due_at` forward, and whoever delivers holds the row, looks at what waits, and gives it back. Both change
// the row itself, so on PostgreSQL one waits for the other, and nothing that is due is overlooked.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** A time that does not come: of a queue in which nothing waits, or that nobody may hold. */
export const NEVER = Number.MAX_SAFE_INTEGER;

export const insertQueue = prepare<{ webhookId: string; ownerId: string; heldUntil: number }>(
  "webhookQueues.insert",
).run(({ db, p }) =>
  db.insertInto("webhook_queues").values({
    webhook_id: p("webhookId"),
    owner_id: p("ownerId"),
    due_at: sql.lit(NEVER),
    held_until: p("heldUntil"),
    ready_at: sql.lit(NEVER),
    holder: null,
    failing_since: null,
    failures: 0,
    idle_since: null,
    deleted_at: null,
  }),
);

/** Makes a delivery due before all others that wait, with its tries before it, whatever became of it. */
export const askAgain = prepare<{ ownerId: string; webhookId: string; sequence: number; now: number }>(
  "webhookDeliveries.askAgain",
).run(({ db, p, least }) =>
  db
    .updateTable("webhook_deliveries")
    .set({
      state: sql.lit("pending"),
      due_at: least(
        p("now"),
        sql<number>`coalesce((select min(waiting.due_at) - 1 from webhook_deliveries as waiting
          where waiting.webhook_id = ${p("webhookId")} and waiting.due_at is not null), cast(${p("now")} as bigint))`,
      ),
      tries: 0,
    })
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("sequence", "=", p("sequence")),
);

/** Lets nobody look until `heldUntil`; with 0 everybody, at once. `idleSince`: the webhook is switched off since then. */
export const holdQueue = prepare<{ ownerId: string; webhookId: string; heldUntil: number; idleSince: number | null }>(
  "webhookQueues.hold",
).run(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({
      due_at: 0,
      held_until: p("heldUntil"),
      ready_at: p("heldUntil"),
      holder: null,
      idle_since: p("idleSince"),
    })
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("deleted_at", "is", null),
);

/**
 * Has a queue looked at at once, although its receiver is given time to recover: 0 lets whoever has it give it back
 * without a rest. One that is held for good stays so.
 */
export const hurryQueue = prepare<{ ownerId: string; webhookId: string }>("webhookQueues.hurry").run(({ db, p }) => {
  const heldUntil = sql<number>`case when holder is null and held_until <> ${sql.lit(NEVER)} then 0 else held_until end`;
  return db
    .updateTable("webhook_queues")
    .set({ due_at: 0, held_until: heldUntil, ready_at: heldUntil })
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("deleted_at", "is", null);
});

/**
 * Takes a queue from whoever has it, who begins nothing more for it; whoever takes it next knows the webhook as it is
 * now. One that nobody has is left as it is.
 */
export const recallQueue = prepare<{ ownerId: string; webhookId: string }>("webhookQueues.recall").run(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set((eb) => ({ holder: null, held_until: 0, ready_at: eb.ref("due_at") }))
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("holder", "is not", null),
);

/** Forgets what was found out about a receiver. */
export const forgetFailures = prepare<{ ownerId: string; webhookId: string }>("webhookQueues.forgetFailures").run(
  ({ db, p }) =>
    db
      .updateTable("webhook_queues")
      .set({ failing_since: null, failures: 0 })
      .where("webhook_id", "=", p("webhookId"))
      .where("owner_id", "=", p("ownerId")),
);

const RETIRED = { held_until: NEVER, ready_at: NEVER, holder: null, idle_since: null };

/** Ends the queue of a webhook that is deleted. */
export const retireQueue = prepare<{ ownerId: string; webhookId: string; now: number }>("webhookQueues.retire").run(
  ({ db, p }) =>
    db
      .updateTable("webhook_queues")
      .set({ ...RETIRED, deleted_at: p("now") })
      .where("webhook_id", "=", p("webhookId"))
      .where("owner_id", "=", p("ownerId")),
);

/** Ends the queues of an owner that is deleted. */
export const retireQueues = prepare<{ ownerId: string; now: number }>("webhookQueues.retireAll").run(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({ ...RETIRED, deleted_at: p("now") })
    .where("owner_id", "=", p("ownerId"))
    .where("deleted_at", "is", null),
);

/** A queue that somebody should look at, of a receiver that failed no more than `mostFailures` times in a row. */
export const findReady = prepare<{ now: number; mostFailures: number }>("webhookQueues.findReady").one(({ db, p }) =>
  db
    .selectFrom("webhook_queues")
    .select("webhook_id")
    .where("ready_at", "<=", p("now"))
    .where("failures", "<=", p("mostFailures"))
    .orderBy("ready_at")
    .limit(1),
);

/** Takes queues that `findReady` finds, the longest ready first; nobody else is given them before `heldUntil`. */
export const takeQueues = prepare<{
  now: number;
  mostFailures: number;
  heldUntil: number;
  holder: string;
  limit: number;
}>("webhookQueues.take").many(({ db, p, forUpdateSkipLocked }) =>
  db
    .with("ready", (cte) =>
      cte
        .selectFrom("webhook_queues")
        .select("webhook_id")
        .where("ready_at", "<=", p("now"))
        .where("failures", "<=", p("mostFailures"))
        .orderBy("ready_at")
        .limit(p("limit"))
        .modifyEnd(forUpdateSkipLocked),
    )
    .updateTable("webhook_queues")
    .set({ holder: p("holder"), due_at: p("now"), held_until: p("heldUntil"), ready_at: p("heldUntil") })
    .where("webhook_id", "in", (eb) => eb.selectFrom("ready").select("ready.webhook_id"))
    .returning(["webhook_id as webhookId", "owner_id as ownerId", "failing_since as failingSince", "failures"]),
);

/** Holds them longer. `held` is a JSON array of `{webhookId, holder}`. */
export const renewQueues = prepare<{ held: string; heldUntil: number }>("webhookQueues.renew").run(
  ({ db, p, objects, member }) =>
    db
      .updateTable("webhook_queues")
      .from(objects("held"))
      .set({ held_until: p("heldUntil"), ready_at: p("heldUntil") })
      .where("webhook_id", "=", member("webhookId"))
      .where("holder", "=", member("holder")),
);

/** Gives back what every holder has: of a store with one server, when that starts. */
export const freeQueues = prepare("webhookQueues.freeAll").run(({ db }) =>
  db
    .updateTable("webhook_queues")
    .set((eb) => ({ holder: null, held_until: 0, ready_at: eb.ref("due_at") }))
    .where("holder", "is not", null),
);

/** Gives back what one taking has. */
export const freeTaken = prepare<{ holder: string }>("webhookQueues.freeTaken").run(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set((eb) => ({ holder: null, held_until: 0, ready_at: eb.ref("due_at") }))
    .where("holder", "=", p("holder")),
);

const firstDue = sql<number>`coalesce((select min(waiting.due_at) from webhook_deliveries as waiting
  where waiting.webhook_id = webhook_queues.webhook_id and waiting.due_at is not null), ${sql.lit(NEVER)})`;

/**
 * Gives queues back, each to be looked at when something is due, but not before its `heldUntil` unless somebody has hurried
 * it; those that another holder has by now are left to it. `releases` is a JSON array of
 * `{webhookId, holder, heldUntil, failures}`.
 */
export const releaseQueues = prepare<{ releases: string }>("webhookQueues.release").run(
  ({ db, objects, member, integerMember, greatest }) => {
    const heldUntil = sql<number>`case when due_at = 0 then 0 else ${integerMember("heldUntil")} end`;
    return db
      .updateTable("webhook_queues")
      .from(objects("releases"))
      .set({
        due_at: firstDue,
        held_until: heldUntil,
        ready_at: greatest(firstDue, heldUntil),
        holder: null,
        failures: integerMember("failures"),
      })
      .where("webhook_id", "=", member("webhookId"))
      .where("holder", "=", member("holder"));
  },
);

/**
 * Notes since when every attempt fails; null: the last one succeeded. `notes` is a JSON array of
 * `{webhookId, holder, failingSince}`.
 */
export const noteFailing = prepare<{ notes: string }>("webhookQueues.noteFailing").run(
  ({ db, objects, member, integerMember }) =>
    db
      .updateTable("webhook_queues")
      .from(objects("notes"))
      .set({ failing_since: integerMember("failingSince") })
      .where("webhook_id", "=", member("webhookId"))
      .where("holder", "=", member("holder")),
);
