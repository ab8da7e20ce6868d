// Statements that lock queues until the transaction ends, so that the next statement sees what was recorded up to then.
import { prepare } from "../../store/prepared.ts";

type Wait = "waiting" | "at-once";

const lock = (wait: Wait) =>
  prepare<{ webhookIds: string }>(`webhookQueues.lock-${wait}`).many(
    ({ db, isElement, forUpdate, forUpdateSkipLocked }) =>
      db
        .selectFrom("webhook_queues")
        .select("webhook_id as webhookId")
        .where((eb) => isElement(eb.ref("webhook_id"), "webhookIds"))
        .orderBy("webhook_id")
        .modifyEnd(wait === "waiting" ? forUpdate : forUpdateSkipLocked),
  );

/** `webhookIds` is a JSON array; `at-once`: leaves out those that somebody else has locked. */
export const lockQueues = { waiting: lock("waiting"), "at-once": lock("at-once") };
