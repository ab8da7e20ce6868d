// Runs operations and internal changes on an open store, the same way on each engine, and monitors it.
// open-store-runner.ts opens the store of each engine.
import { createChainWatching } from "./chain-watch.ts";
import { createStoreFailures } from "./store-failures.ts";
import type { StoreFailures } from "./store-failures.ts";
import { createUseLog } from "./use-log.ts";
import type { Changes } from "./composition/internal-changes.ts";
import type { Caller } from "../platform/kernel/caller.ts";
import type { ChangeRunner } from "../platform/kernel/internal-changes.ts";
import type { OperationRegistry } from "../platform/kernel/operation-registry.ts";
import type { Engine, Tx } from "../platform/kernel/tx.ts";
import { MINUTE_MS, SECOND_MS } from "../platform/kernel/scheduling/clock.ts";
import { throttle, throttleByCause } from "../platform/kernel/telemetry/throttle.ts";
import type { MonitoredStore } from "./observability/monitored-store.ts";
import { executeQuery } from "../platform/operations/execute.ts";
import type { OperationRunner } from "../platform/operations/operation-runner.ts";
import { createChangeRunner } from "../platform/operations/unit-of-work.ts";
import type { UnitOfWork } from "../platform/operations/unit-of-work.ts";
import type { Admin, Database, WorkTiming } from "../platform/store/database.ts";
import { storeFailureReason } from "../platform/store/failure.ts";
import type { LoadEstimate } from "../platform/store/load-estimate.ts";
import type { StoreMeter } from "../platform/store/meter.ts";
import { readServerFacts } from "../platform/store/postgres/server-facts.ts";
import { readStatus } from "../platform/store/probe.ts";

export interface StoreRunner extends OperationRunner, MonitoredStore {
  /** The internal changes: each call runs in a transaction of its own. */
  readonly changes: ChangeRunner<Changes>;
  /** Calls the listener after each commit of this process, with the name of an internal change, or null for a request. */
  onCommit(listener: (change: keyof Changes | null) => void): void;
  /** Calls the listener with the error when the store's space runs out, and with null when space is available again. */
  onFull(listener: (error: Error | null) => void): void;
  /** Calls the listener each time that the database server has no room for one more connection. */
  onTooFewConnections(listener: (error: Error) => void): void;
  /** Calls the listener when changes fail because other programs hold locks, for the same ones once a minute; `holders` names their sessions. */
  onLocked(listener: (holders: string) => void): void;
  /** Reads again how to reach the database; resolves to whether that has changed. Rejects with what is wrong. */
  renew(): Promise<boolean>;
  close(): Promise<void>;
}

/** An open store, as its engine provides it. */
export interface StoreConnection {
  readonly engine: Engine;
  readonly reader: Tx;
  /** Reads the chunks of streamed responses. */
  readonly scanner: Tx;
  readonly versions: OperationRunner["versions"];
  readonly admin: Admin;
  /** The registry whose directory serves reads. */
  readonly registry: OperationRegistry<Changes>;
  /** The load of changes. */
  readonly writes: LoadEstimate;
  /** The load of reads; null where a read runs at once on the calling thread. */
  readonly reads: LoadEstimate | null;
  readonly meter: StoreMeter;
  /** Runs a unit of work in a transaction. `caller` is that of a request. */
  commit(work: UnitOfWork<Changes>, observe?: (timing: WorkTiming) => void, caller?: Caller): Promise<unknown>;
  waitingMs(): number;
  pendingWrites(): number;
  connections: Database["connections"];
  onTooFewConnections: Database["onTooFewConnections"];
  describeLockHolders: Database["describeLockHolders"];
  renew: Database["renew"];
  close(): Promise<void>;
}

/** Reads of requests: counted as load where they wait for a connection, and explained when they fail. */
function createReads(store: StoreConnection, failures: StoreFailures): Pick<OperationRunner, "findCaller" | "read"> {
  const { registry, reader, scanner, reads } = store;

  async function fail(error: unknown): Promise<never> {
    throw await failures.explain(error);
  }

  const read: OperationRunner["read"] = (request, caller) =>
    executeQuery(registry, request.chunk ? scanner : reader, request, caller).catch(fail);

  const findCaller: OperationRunner["findCaller"] = (credential, now, ip) => {
    try {
      const found = registry.directory.findCaller(reader, credential, now, ip);
      return found instanceof Promise ? found.catch(fail) : found;
    } catch (error) {
      return fail(error);
    }
  };

  if (!reads) return { read, findCaller };
  return {
    read: (...args) => reads.run(() => read(...args)),
    findCaller: (...args) => reads.run(async () => await findCaller(...args)),
  };
}

type CommitListener = (change: keyof Changes | null) => void;

/** Commits units of work: counted as load, recorded and explained when they fail, announced to the listeners when they succeed. */
function createCommit(
  { writes, commit }: StoreConnection,
  failures: StoreFailures,
  listeners: readonly CommitListener[],
  recordBusy: (error: unknown) => void,
): StoreConnection["commit"] {
  return async (work, observe, caller) => {
    let output: unknown;
    try {
      output = await writes.run(() => commit(work, observe, caller));
    } catch (error) {
      const explained = await failures.explain(error);
      failures.record(explained);
      if (storeFailureReason(explained) === "busy") recordBusy(explained);
      throw explained;
    }
    failures.recordSuccess();
    for (const listener of listeners) listener("change" in work ? work.change : null);
    return output;
  };
}

export function createStoreRunner(store: StoreConnection): StoreRunner {
  const { engine, reader, versions, admin, registry, writes, reads } = store;
  const probe = () => readStatus({ engine, admin });
  const failures = createStoreFailures(probe, store.meter);
  const chains = createChainWatching(reader);
  const listeners: CommitListener[] = [chains.wake];
  const lockListeners: ((holders: string) => void)[] = [];
  const tellHolders = throttleByCause<string>(MINUTE_MS, (holders) => {
    for (const listener of lockListeners) listener(holders);
  });
  const lookForHolders = throttle(SECOND_MS, () => {
    // What cannot be found out is not told: the failed change itself is logged.
    void store.describeLockHolders().then(
      (holders) => holders !== "" && tellHolders(holders, holders),
      () => undefined,
    );
  });
  const commit = createCommit(store, failures, listeners, lookForHolders);
  const changes = createChangeRunner(registry.changes, commit);
  const useLog = createUseLog(changes.recordUses);
  return {
    engine,
    reader,
    versions,
    keyring: registry.keyring,
    hasCapacity: (kind, waitedMs) => (kind === "read" ? reads : writes)?.hasCapacity(waitedMs) ?? true,
    ...createReads(store, failures),
    write: async (request, caller, observe) =>
      (await commit({ request }, observe, caller)) as Awaited<ReturnType<OperationRunner["write"]>>,
    recordUse: (caller, now) => useLog.note(caller, now),
    changes,
    onCommit: (listener) => listeners.push(listener),
    watchChain: chains.watch,
    probe,
    probeWriting: async () => void (await store.commit({ isProbe: true })),
    readServerFacts: async () => (engine === "postgres" ? await readServerFacts(admin) : null),
    failures: failures.state,
    onFull: failures.onFull,
    waitingMs: store.waitingMs,
    pendingWrites: store.pendingWrites,
    connections: store.connections,
    onTooFewConnections: store.onTooFewConnections,
    onLocked: (listener) => void lockListeners.push(listener),
    renew: store.renew,
    async close() {
      chains.stop();
      await useLog.close();
      await store.close();
    },
  };
}
