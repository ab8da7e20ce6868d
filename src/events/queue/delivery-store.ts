// Statements on deliveries and their attempts.
import { sql } from "kysely";
import type { Expression, RawBuilder, SelectQueryBuilder } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import { eventsAt } from "../../platform/store/events-at.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type WaitingDelivery = Pick<
  Tables["webhook_deliveries"],
  "sequence" | "type" | "attempts" | "tries" | "dueAt" | "createdAt"
>;

/** What a delivery sends of its event. */
export interface EventPart {
  /** Null when the event is no longer kept, and when it is long. */
  readonly payload: string | null;
  readonly userId: string | null;
  /** Of the request that recorded the event. */
  readonly requestId: string | null;
  /** 1: the payload is read when it is sent. */
  readonly isLong: number;
}

export type DueDelivery = WaitingDelivery & EventPart;

type Waiting = { ownerId: string; webhookId: string; leaseId: string; limit: number };
/** The delivery after which a read of due deliveries continues; -1: from the first one. */
type After = { afterDue: number; afterSequence: number };

/**
 * Payloads of at most this many bytes are read ahead; longer ones are read when they are sent. So the number of deliveries
 * bounds their memory.
 */
const SHORT_LENGTH = 4_096;

/**
 * The condition that a delivery is pending, for reads in the order of the index by state and sequence. It compares row values,
 * because only that index serves them: with equalities SQLite would use the primary key and scan all deliveries that are not
 * pending.
 */
export function isPendingOf(table: string, webhookId: Expression<string>): RawBuilder<boolean> {
  const key = sql`(${sql.join(["webhookId", "state", "sequence"].map((column) => sql.ref(`${table}.${column}`)))})`;
  const at = (sequence: number) => sql`(${webhookId}, 'pending', ${sql.lit(sequence)})`;
  return sql<boolean>`${key} > ${at(0)} and ${key} < ${at(Number.MAX_SAFE_INTEGER)}`;
}

/** The deliveries that wait for a webhook, while the lease is valid. */
const waitingFor = (order: "due" | "sequence") =>
  prepare<Waiting & After & { now: number }>(`webhookDeliveries.waiting-by-${order}`).many(({ db, p }) => {
    const waiting = db
      .selectFrom("webhook_deliveries as delivery")
      .select([
        "delivery.sequence",
        "delivery.type",
        "delivery.attempts",
        "delivery.tries",
        "delivery.dueAt",
        "delivery.createdAt",
      ])
      .where("delivery.webhookId", "=", p("webhookId"))
      .where("delivery.ownerId", "=", p("ownerId"))
      .where("delivery.dueAt", "is not", null)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("webhook_queues as queue")
            .select("queue.webhookId")
            .where("queue.webhookId", "=", p("webhookId"))
            .where("queue.holder", "=", p("leaseId")),
        ),
      )
      .limit(p("limit"));
    return order === "due"
      ? waiting
          .where("delivery.dueAt", "<=", p("now"))
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple("delivery.dueAt", "delivery.sequence"), ">", tuple(p("afterDue"), p("afterSequence"))),
          )
          .orderBy("delivery.dueAt")
          .orderBy("delivery.sequence")
      : waiting
          .where(isPendingOf("delivery", p("webhookId")))
          .where(sql<boolean>`cast(${p("now")} as bigint) >= 0`)
          .orderBy("delivery.webhookId")
          .orderBy("delivery.state")
          .orderBy("delivery.sequence");
  });

/** `due`: due deliveries, the longest due first. `sequence`: all that wait, in the order of their events. */
export const listWaiting = { due: waitingFor("due"), sequence: waitingFor("sequence") };

type EventBounds = { ownerId: string; first: number; last: number };

const eventPart = (events: SelectQueryBuilder<Tables, "events", unknown>) => {
  const length = sql<number>`octet_length(payload)`;
  return events.select([
    "sequence",
    sql<string | null>`case when ${length} <= ${sql.lit(SHORT_LENGTH)} then payload end`.as("payload"),
    sql<number>`case when ${length} > ${sql.lit(SHORT_LENGTH)} then 1 else 0 end`.as("isLong"),
    "userId",
    "requestId",
  ]);
};

/** The events of an owner from one sequence to another, or those of a JSON array of sequences: to go on to the next one is cheaper. */
export const readEvents = {
  range: prepare<EventBounds>("events.readRangeToSend").many(({ db, p }) =>
    eventPart(db.selectFrom("events"))
      .where("ownerId", "=", p("ownerId"))
      .where("sequence", ">=", p("first"))
      .where("sequence", "<=", p("last"))
      .orderBy("ownerId")
      .orderBy("sequence"),
  ),
  each: prepare<{ ownerId: string; sequences: string }>("events.readEachToSend").many((build) =>
    eventPart(build.db.selectFrom(eventsAt(build))),
  ),
};

/** A delivery that waits, with its payload, however long; undefined when the lease is not valid any more. */
export const findWaiting = prepare<{ ownerId: string; webhookId: string; leaseId: string; sequence: number }>(
  "webhookDeliveries.findWaiting",
).one(({ db, p }) =>
  db
    .selectFrom("webhook_deliveries as delivery")
    .innerJoin("webhook_queues as queue", "queue.webhookId", "delivery.webhookId")
    .leftJoin("events", (join) =>
      join.onRef("events.ownerId", "=", "delivery.ownerId").onRef("events.sequence", "=", "delivery.sequence"),
    )
    .select("events.payload")
    .where("delivery.webhookId", "=", p("webhookId"))
    .where("delivery.sequence", "=", p("sequence"))
    .where("delivery.ownerId", "=", p("ownerId"))
    .where("delivery.dueAt", "is not", null)
    .where("queue.holder", "=", p("leaseId")),
);

/**
 * Stores the states in which attempts leave their deliveries, and returns the deliveries that it changed: not those for which
 * another process has stored an outcome. A delivery that was requeued meanwhile, which reset its tries, stays due unless it was
 * delivered. `outcomes` is a JSON array of `AttemptOutcome`.
 */
export const updateDeliveries = prepare<{ outcomes: string; now: number }>("webhookDeliveries.update").many(
  ({ db, p, objects, member, integerMember }) => {
    const isRequeued = sql`webhook_deliveries.tries < ${integerMember("tries")} - 1
      and ${member("state")} <> 'delivered'`;
    const unlessRequeued = <T>(column: "state" | "dueAt" | "tries", next: RawBuilder<T>) =>
      sql<T>`case when ${isRequeued} then ${sql.ref(`webhook_deliveries.${column}`)} else ${next} end`;
    return db
      .updateTable("webhook_deliveries")
      .from(objects("outcomes"))
      .set((eb) => ({
        state: unlessRequeued("state", member("state")),
        dueAt: unlessRequeued("dueAt", integerMember("dueAt")),
        attempts: eb("webhook_deliveries.attempts", "+", 1),
        tries: unlessRequeued("tries", integerMember("tries")),
        lastAttemptAt: p("now"),
        status: integerMember("status"),
        errorStage: member("errorStage"),
      }))
      .where("webhookId", "=", member("webhookId"))
      .where("sequence", "=", integerMember("sequence"))
      .where("attempts", "=", integerMember("attempts"))
      .where("state", "=", sql.lit("pending"))
      .returning(["webhookId", "sequence"]);
  },
);

/** `attempts` is a JSON array of rows. */
export const insertAttempts = prepare<{ attempts: string }>("webhookAttempts.insert").write(
  ({ db, objects, member, integerMember }) =>
    db
      .insertInto("webhook_attempts")
      .columns([
        "webhookId",
        "sequence",
        "number",
        "startedAt",
        "durationMs",
        "status",
        "errorStage",
        "error",
        "requestHeaders",
        "responseHeaders",
        "responseBody",
        "isTruncated",
      ])
      .expression((eb) =>
        eb
          .selectFrom(objects("attempts"))
          .select([
            member("webhookId").as("webhookId"),
            integerMember("sequence").as("sequence"),
            sql<number>`${integerMember("attempts")} + 1`.as("number"),
            integerMember("startedAt").as("startedAt"),
            integerMember("durationMs").as("durationMs"),
            integerMember("status").as("status"),
            member("errorStage").as("errorStage"),
            member("error").as("error"),
            member("requestHeaders").as("requestHeaders"),
            member("responseHeaders").as("responseHeaders"),
            member("responseBody").as("responseBody"),
            integerMember("isTruncated").as("isTruncated"),
          ]),
      ),
);

/** `attempts` is a JSON array of `{webhookId, sequence, number}`. */
export const deleteAttempts = prepare<{ attempts: string }>("webhookAttempts.delete").write(
  ({ db, objects, member, integerMember }) =>
    db.deleteFrom("webhook_attempts").where(({ eb, refTuple }) =>
      eb(
        refTuple("webhookId", "sequence", "number"),
        "in",
        db
          .selectFrom(objects("attempts"))
          .select([
            member("webhookId").as("webhookId"),
            integerMember("sequence").as("sequence"),
            integerMember("number").as("number"),
          ])
          .$asTuple("webhookId", "sequence", "number"),
      ),
    ),
);

/** The number of deliveries of all owners that wait, `limit` at most. */
export const countWaiting = prepare<{ limit: number }>("webhookDeliveries.countWaiting").one(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("webhook_deliveries")
        .select("dueAt")
        .where("dueAt", "is not", null)
        .limit(p("limit"))
        .as("waiting"),
    )
    .select(({ fn }) => fn.countAll<number>().as("waiting")),
);
