// Handles failures of the store: counts them, records them for readiness, and explains them to the caller.
import { ApiError } from "../platform/kernel/errors.ts";
import { singleFlight } from "../platform/kernel/scheduling/single-flight.ts";
import type { FailureState } from "./observability/monitored-store.ts";
import { StoreError } from "../platform/store/database.ts";
import type { StoreFailureReason } from "../platform/store/database.ts";
import { isTableMissing, storeFailureReason } from "../platform/store/failure.ts";
import type { StoreMeter } from "../platform/store/meter.ts";
import { describeOtherSchema } from "../platform/store/migrations/migrate.ts";
import type { StoreStatus } from "../platform/store/probe.ts";

/** The store counts as having space again when nothing has failed for this long: small changes may fit where others do not. */
const CALM_MS = 2_000;

/** Failures that persist, so that the next attempt fails too. */
const PERSISTENT: ReadonlySet<StoreFailureReason | null> = new Set([
  "full",
  "read_only",
  "standby",
  "login_refused",
  "tls_refused",
  "no_schema",
  "denied",
  "failing",
  "damaged",
  "writer_lost",
]);

type SpaceListener = (error: Error | null) => void;

export interface StoreFailures {
  /** The persistent failures, for readiness. */
  readonly state: FailureState;
  /**
   * Returns the error to report. After another version of Reeve has changed the schema, or where the role finds none any more, failures
   * of this process look like bugs: if the store has another schema, or none, the error says so.
   */
  explain(error: unknown): Promise<unknown>;
  /** Counts and records the failure of a change, of a request or of background work. */
  record(error: unknown): void;
  recordSuccess(): void;
  /**
   * Calls the listener with the error when the space runs out, and with null when space is available again; once for each
   * change.
   */
  onFull(listener: SpaceListener): void;
}

export function createStoreFailures(probe: () => Promise<StoreStatus>, meter: StoreMeter): StoreFailures {
  const state: FailureState = { isKeyMissing: false };
  const listeners: SpaceListener[] = [];
  let fullAt: number | undefined;
  // One probe serves all operations that fail at the same time.
  const readStatus = singleFlight(probe);

  function report(error: Error | null): void {
    for (const listener of listeners) listener(error);
  }

  return {
    state,
    async explain(error) {
      if (error instanceof ApiError || storeFailureReason(error) !== null) return error;
      const status = await readStatus().catch((reason: unknown) => {
        if (isTableMissing(reason))
          throw new StoreError((reason as Error).message, { reason: "no_schema", cause: error });
        return null;
      });
      const message = status && describeOtherSchema(status.schemaVersion);
      return message ? new StoreError(message, { reason: "other_schema", cause: error }) : error;
    },
    record(error) {
      const reason = storeFailureReason(error);
      if (reason) meter.recordFailure(reason);
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
