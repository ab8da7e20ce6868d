// What fails in a process that was started before another Reeve changed the schema: no failure of this program, and it passes
// when a process of that version serves.
import { ApiError } from "../kernel/errors.ts";
import { singleFlight } from "../kernel/scheduling/single-flight.ts";
import { StoreError } from "../store/database.ts";
import { storeFailureReason } from "../store/failure.ts";
import { describeOtherSchema } from "../store/migrations/migrate.ts";
import type { StoreStatus } from "../store/probe.ts";

/** Answers what explains a failure: one that can't be explained otherwise is of another schema, where the store has one. */
export function createSchemaExplainer(probe: () => Promise<StoreStatus>): (error: unknown) => Promise<unknown> {
  // However many fail at once, the store is asked once.
  const ask = singleFlight(probe);
  return async (error) => {
    if (error instanceof ApiError || storeFailureReason(error) !== null) return error;
    const facts = await ask().catch(() => null);
    const message = facts && describeOtherSchema(facts.schemaVersion);
    return message ? new StoreError(message, { reason: "other_schema", cause: error }) : error;
  };
}
