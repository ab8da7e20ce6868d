// The backlog of deliveries of all owners together, for the metrics of an instance.
import { prepare } from "../../store/prepared.ts";

/** The number of deliveries that wait, `limit` at most, and when the oldest of them became due; null: there are none. */
export const measureWaiting = prepare<{ limit: number }>("webhookDeliveries.measureWaiting").one(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("webhook_deliveries")
        .select("due_at")
        .where("due_at", "is not", null)
        .limit(p("limit"))
        .as("waiting"),
    )
    .select(({ fn }) => [fn.countAll<number>().as("waiting"), fn.min("waiting.due_at").as("oldestDueAt")]),
);
