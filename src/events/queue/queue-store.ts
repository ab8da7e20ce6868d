// Statements on the queues of webhooks, and on the deliveries that wait in them. Two sides share a queue's row: a transaction that
// records an event moves `due_at` forward, and a dispatcher leases the row, reads its deliveries, and releases it. Both change
// the row itself, so on PostgreSQL one waits for the other, and nothing that is due is overlooked. The column `holder` is the id
// of the lease, and `held_until` is the time before which no dispatcher claims the queue.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** A time that never comes: of an empty queue, or of one that no dispatcher may claim. */
export const NEVER = Number.MAX_SAFE_INTEGER;

export const insertQueue = prepare("webhookQueues.insert").insert("webhook_queues", () => ({
  dueAt: sql.lit(NEVER),
  readyAt: sql.lit(NEVER),
  holder: null,
  failingSince: null,
  failures: 0,
  idleSince: null,
  deletedAt: null,
}));

/** Makes a delivery due before all others that wait, in whatever state it is, and resets its tries. */
export const requeueFirst = prepare<{ ownerId: string; webhookId: string; sequence: number; now: number }>(
  "webhookDeliveries.requeueFirst",
).write(({ db, p, least }) =>
  db
    .updateTable("webhook_deliveries")
    .set({
      state: sql.lit("pending"),
      dueAt: least(
        p("now"),
        sql<number>`coalesce((select min(waiting.due_at) - 1 from webhook_deliveries as waiting
          where waiting.webhook_id = ${p("webhookId")} and waiting.due_at is not null), cast(${p("now")} as bigint))`,
      ),
      tries: 0,
    })
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("sequence", "=", p("sequence")),
);

/**
 * Holds a queue: no dispatcher claims it until `heldUntil`; 0: it can be claimed at once. `idleSince`: the time since which the
 * webhook is inactive.
 */
export const holdQueue = prepare<{ ownerId: string; webhookId: string; heldUntil: number; idleSince: number | null }>(
  "webhookQueues.hold",
).write(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({
      dueAt: 0,
      heldUntil: p("heldUntil"),
      readyAt: p("heldUntil"),
      holder: null,
      idleSince: p("idleSince"),
    })
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("deletedAt", "is", null),
);

/**
 * Makes a queue due at once, also during the cool-down of its receiver. A lease owner that finds `due_at` 0 releases it without
 * a cool-down. A queue that is held for ever stays so.
 */
export const expediteQueue = prepare<{ ownerId: string; webhookId: string }>("webhookQueues.expedite").write(
  ({ db, p }) => {
    const heldUntil = sql<number>`case when holder is null and held_until <> ${sql.lit(NEVER)} then 0 else held_until end`;
    return db
      .updateTable("webhook_queues")
      .set({ dueAt: 0, heldUntil, readyAt: heldUntil })
      .where("webhookId", "=", p("webhookId"))
      .where("ownerId", "=", p("ownerId"))
      .where("deletedAt", "is", null);
  },
);

/**
 * Revokes the lease of a queue: its process begins nothing more for it, and the next one reads the webhook as it is now. A queue
 * that is not leased stays as it is.
 */
export const revokeLease = prepare<{ ownerId: string; webhookId: string }>("webhookQueues.revokeLease").write(
  ({ db, p }) =>
    db
      .updateTable("webhook_queues")
      .set((eb) => ({ holder: null, heldUntil: 0, readyAt: eb.ref("dueAt") }))
      .where("webhookId", "=", p("webhookId"))
      .where("ownerId", "=", p("ownerId"))
      .where("holder", "is not", null),
);

/** The receiver counts as healthy again. */
export const clearFailures = prepare<{ ownerId: string; webhookId: string }>("webhookQueues.clearFailures").write(
  ({ db, p }) =>
    db
      .updateTable("webhook_queues")
      .set({ failingSince: null, failures: 0 })
      .where("webhookId", "=", p("webhookId"))
      .where("ownerId", "=", p("ownerId")),
);

const RETIRED = { heldUntil: NEVER, readyAt: NEVER, holder: null, idleSince: null };

/** Ends the queue of a webhook that is deleted. */
export const retireQueue = prepare<{ ownerId: string; webhookId: string; now: number }>("webhookQueues.retire").write(
  ({ db, p }) =>
    db
      .updateTable("webhook_queues")
      .set({ ...RETIRED, deletedAt: p("now") })
      .where("webhookId", "=", p("webhookId"))
      .where("ownerId", "=", p("ownerId")),
);

/** Ends the queues of an owner that is deleted. */
export const retireQueues = prepare<{ ownerId: string; now: number }>("webhookQueues.retireAll").write(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set({ ...RETIRED, deletedAt: p("now") })
    .where("ownerId", "=", p("ownerId"))
    .where("deletedAt", "is", null),
);

/**
 * Of the queues that have deliveries waiting, those whose receiver fails; and the queues of webhooks that are inactive. Looks at
 * `limit` queues of each kind at most.
 */
export const countTroubled = prepare<{ limit: number }>("webhookQueues.countTroubled").one(({ db, p }) =>
  db.selectNoFrom((eb) => [
    eb
      .selectFrom(
        eb
          .selectFrom("webhook_queues")
          .select("failingSince")
          .where("readyAt", "<", sql.lit(NEVER))
          .orderBy("readyAt")
          .limit(p("limit"))
          .as("waiting"),
      )
      .select(({ fn }) => fn.count<number>("waiting.failingSince").as("count"))
      .as("failing"),
    eb
      .selectFrom(
        eb
          .selectFrom("webhook_queues")
          .select("idleSince")
          .where("idleSince", "is not", null)
          .limit(p("limit"))
          .as("idle"),
      )
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .as("inactive"),
  ]),
);

/** The queue that is ready to claim for longest, of receivers that failed no more than `maxFailures` times in a row. */
export const findReady = prepare<{ now: number; maxFailures: number }>("webhookQueues.findReady").one(({ db, p }) =>
  db
    .selectFrom("webhook_queues")
    .select("readyAt")
    .where("readyAt", "<=", p("now"))
    .where("failures", "<=", p("maxFailures"))
    .orderBy("readyAt")
    .limit(1),
);

/** Claims queues that `findReady` finds, the longest ready first; nobody else claims them before `heldUntil`. */
export const claimQueues = prepare<{
  now: number;
  maxFailures: number;
  heldUntil: number;
  leaseId: string;
  limit: number;
}>("webhookQueues.claim").many(({ db, p, forUpdateSkipLocked }) =>
  db
    .with("ready", (cte) =>
      cte
        .selectFrom("webhook_queues")
        .select("webhookId")
        .where("readyAt", "<=", p("now"))
        .where("failures", "<=", p("maxFailures"))
        .orderBy("readyAt")
        .limit(p("limit"))
        .modifyEnd(forUpdateSkipLocked),
    )
    .updateTable("webhook_queues")
    .set({ holder: p("leaseId"), dueAt: p("now"), heldUntil: p("heldUntil"), readyAt: p("heldUntil") })
    .where("webhookId", "in", (eb) => eb.selectFrom("ready").select("ready.webhookId"))
    .returning(["webhookId", "ownerId", "failingSince", "failures"]),
);

/** Those of the leases that are valid. `leases` is a JSON array of `{webhookId, leaseId}`. */
export const findHeld = prepare<{ leases: string }>("webhookQueues.findHeld").many(({ db, objects, member }) =>
  db
    .selectFrom(objects("leases"))
    .innerJoin("webhook_queues", (join) =>
      join.on("webhook_queues.webhookId", "=", member("webhookId")).on("webhook_queues.holder", "=", member("leaseId")),
    )
    .select(["webhook_queues.webhookId", "webhook_queues.holder as leaseId"]),
);

/** `leases` is a JSON array of `{webhookId, leaseId}`. */
export const extendLeases = prepare<{ leases: string; heldUntil: number }>("webhookQueues.extendLeases").write(
  ({ db, p, objects, member }) =>
    db
      .updateTable("webhook_queues")
      .from(objects("leases"))
      .set({ heldUntil: p("heldUntil"), readyAt: p("heldUntil") })
      .where("webhookId", "=", member("webhookId"))
      .where("holder", "=", member("leaseId")),
);

/** Ends all leases: of a store with one server, when that starts. */
export const releaseAllQueues = prepare("webhookQueues.releaseAll").write(({ db }) =>
  db
    .updateTable("webhook_queues")
    .set((eb) => ({ holder: null, heldUntil: 0, readyAt: eb.ref("dueAt") }))
    .where("holder", "is not", null),
);

/** Ends the leases of one claim. */
export const releaseQueuesOf = prepare<{ leaseId: string }>("webhookQueues.releaseClaim").write(({ db, p }) =>
  db
    .updateTable("webhook_queues")
    .set((eb) => ({ holder: null, heldUntil: 0, readyAt: eb.ref("dueAt") }))
    .where("holder", "=", p("leaseId")),
);

const firstDue = sql<number>`coalesce((select min(waiting.due_at) from webhook_deliveries as waiting
  where waiting.webhook_id = webhook_queues.webhook_id and waiting.due_at is not null), ${sql.lit(NEVER)})`;

/**
 * Releases queues, each to be claimed when a delivery is due, but not before its `heldUntil`, unless it was expedited. Queues that
 * have another lease by now stay as they are. `releases` is a JSON array of `{webhookId, leaseId, heldUntil, failures}`.
 */
export const releaseQueues = prepare<{ releases: string }>("webhookQueues.release").write(
  ({ db, objects, member, integerMember, greatest }) => {
    const heldUntil = sql<number>`case when due_at = 0 then 0 else ${integerMember("heldUntil")} end`;
    return db
      .updateTable("webhook_queues")
      .from(objects("releases"))
      .set({
        dueAt: firstDue,
        heldUntil,
        readyAt: greatest(firstDue, heldUntil),
        holder: null,
        failures: integerMember("failures"),
      })
      .where("webhookId", "=", member("webhookId"))
      .where("holder", "=", member("leaseId"));
  },
);

/**
 * Stores since when every attempt has failed; null: the last one succeeded. `notes` is a JSON array of
 * `{webhookId, leaseId, failingSince}`.
 */
export const updateFailingSince = prepare<{ notes: string }>("webhookQueues.updateFailingSince").write(
  ({ db, objects, member, integerMember }) =>
    db
      .updateTable("webhook_queues")
      .from(objects("notes"))
      .set({ failingSince: integerMember("failingSince") })
      .where("webhookId", "=", member("webhookId"))
      .where("holder", "=", member("leaseId")),
);

const lock = (wait: "waiting" | "at-once") =>
  prepare<{ webhookIds: string }>(`webhookQueues.lock-${wait}`).many(
    ({ db, isElement, forUpdate, forUpdateSkipLocked }) =>
      db
        .selectFrom("webhook_queues")
        .select("webhookId")
        .where((eb) => isElement(eb.ref("webhookId"), "webhookIds"))
        .orderBy("webhookId")
        .modifyEnd(wait === "waiting" ? forUpdate : forUpdateSkipLocked),
  );

/**
 * Lock queues until the transaction ends, so that its next statement sees what was recorded up to then. `webhookIds` is a JSON
 * array; `at-once` leaves out queues that another transaction has locked.
 */
export const lockQueues = { waiting: lock("waiting"), "at-once": lock("at-once") };
