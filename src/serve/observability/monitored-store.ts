// The interface of the store for readiness and metrics.
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Engine, Tx } from "../../platform/kernel/tx.ts";
import type { Connections } from "../../platform/store/database.ts";
import type { ServerFacts } from "../../platform/store/postgres/server-facts.ts";
import type { StoreStatus } from "../../platform/store/probe.ts";

/** Failures that only changes meet, not reads: readiness reports them, and clears those that are over. */
export interface FailureState {
  /** The last time that the store itself failed to write; `at` is of `performance.now()`. */
  write?: { readonly at: number; readonly error: unknown } | undefined;
  /** A secret could not be sealed or opened because its master key is missing. */
  isKeyMissing: boolean;
}

export interface MonitoredStore {
  readonly engine: Engine;
  /** For reads outside requests. */
  readonly reader: Tx;
  readonly keyring: Keyring;
  readonly failures: FailureState;
  /** Reads the store's status; rejects when it does not respond. */
  probe(): Promise<StoreStatus>;
  /** Writes a row of the size of an event; rejects when the store accepts no writes. */
  probeWriting(): Promise<void>;
  /** What the database server says of itself; null where there is no server. */
  readServerFacts(): Promise<ServerFacts | null>;
  /** The age of the oldest change that is not written yet; 0 without one. */
  waitingMs(): number;
  /** Changes that are not on disk yet, of the embedded store. */
  pendingWrites(): number;
  connections(): Connections | null;
}
