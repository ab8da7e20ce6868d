// What a failed operation says about the store: it is counted, recorded for readiness, and explained to the caller.
import { ApiError } from "../kernel/errors.ts";
import { singleFlight } from "../kernel/scheduling/single-flight.ts";
import type { FailureState } from "../observability/monitored-store.ts";
import { StoreError } from "../store/database.ts";
import type { StoreFailureReason } from "../store/database.ts";
import { storeFailureReason } from "../store/failure.ts";
import type { StoreMeter } from "../store/meter.ts";
import { describeOtherSchema } from "../store/migrations/migrate.ts";
import type { StoreStatus } from "../store/probe.ts";

/** Small changes may still fit where others do not: the store has space again when nothing has failed for this long. */
const CALM_MS = 2_000;

/** Failures that the next attempt meets again. */
const PERSISTENT: ReadonlySet<StoreFailureReason | null> = new Set([
  "full",
  "read_only",
  "denied",
  "failing",
  "damaged",
  "writer_lost",
]);

type SpaceListener = (error: Error | null) => void;

export interface StoreFailures {
  /** The failures that last, for readiness. */
  readonly state: FailureState;
  /**
   * Returns the error to report. A process that was started before another Reeve changed the schema fails in ways that look
   * like bugs: if the store has another schema, that is the explanation.
   */
  explain(error: unknown): Promise<unknown>;
  /** Counts and records the failure of a change. */
  record(error: unknown): void;
  recordSuccess(): void;
  /** Calls the listener with the error when the space runs out, and with null when there is some again; once for each change. */
  onFull(listener: SpaceListener): void;
}

export function createStoreFailures(probe: () => Promise<StoreStatus>, meter: StoreMeter): StoreFailures {
  const state: FailureState = { isKeyMissing: false };
  const listeners: SpaceListener[] = [];
  let fullAt: number | undefined;
  // However many operations fail at once, the store is asked once.
  const readStatus = singleFlight(probe);

  function report(error: Error | null): void {
    for (const listener of listeners) listener(error);
  }

  return {
    state,
    async explain(error) {
      if (error instanceof ApiError || storeFailureReason(error) !== null) return error;
      const status = await readStatus().catch(() => null);
      const message = status && describeOtherSchema(status.schemaVersion);
      return message ? new StoreError(message, { reason: "other_schema", cause: error }) : error;
    },
    record(error) {
      const reason = storeFailureReason(error);
      if (reason) meter.noteFailure(reason);
      if (PERSISTENT.has(reason)) state.write = { at: performance.now(), error };
      if (error instanceof ApiError && error.code === "master_key_missing") state.isKeyMissing = true;
      if (reason !== "full") return;
      const isNews = fullAt === undefined;
      fullAt = performance.now();
      if (isNews) report(error as Error);
    },
    recordSuccess() {
      if (fullAt === undefined || performance.now() - fullAt < CALM_MS) return;
      fullAt = undefined;
      report(null);
    },
    onFull: (listener) => void listeners.push(listener),
  };
}
