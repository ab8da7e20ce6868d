// How much waits for webhooks, for those who watch an instance: the only statement on deliveries that crosses owners.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** Beyond this nobody counts: the answer is the same, that there are too many. */
const MOST_COUNTED = 10_000;

/** Deliveries that wait, and when the oldest of them became due; null: there are none. */
export const measureWaiting = prepare("webhookDeliveries.measureWaiting").one(({ db }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("webhook_deliveries")
        .select("due_at")
        .where("due_at", "is not", null)
        .limit(sql.lit(MOST_COUNTED))
        .as("waiting"),
    )
    .select(({ fn }) => [fn.countAll<number>().as("waiting"), fn.min("waiting.due_at").as("oldestDueAt")]),
);
