// Opens the store of each engine for a process that serves: PostgreSQL, or the embedded store with its writer thread.
import type { Worker } from "node:worker_threads";
import { cacheDirectory } from "./cached-directory.ts";
import { createStoreRunner } from "./store-runner.ts";
import type { StoreRunner } from "./store-runner.ts";
import { launchWriter } from "./writer-launch.ts";
import type { WriterSetup } from "./writer.ts";
import type { Settings } from "./config/config.ts";
import { keySources, sqliteFile } from "./config/data-paths.ts";
import type { Caller } from "../platform/kernel/caller.ts";
import { ApiError } from "../platform/kernel/errors.ts";
import type { Keyring } from "../platform/kernel/keyring.ts";
import { executeMutation } from "../platform/operations/execute.ts";
import { createExpectations } from "../platform/operations/expectations.ts";
import { runUnitOfWork } from "../platform/operations/unit-of-work.ts";
import type { UnitOfWork } from "../platform/operations/unit-of-work.ts";
import type { Changes } from "./composition/internal-changes.ts";
import { createRegistry } from "./composition/registry.ts";
import type { Database, WorkTiming } from "../platform/store/database.ts";
import { createLoadEstimate } from "../platform/store/load-estimate.ts";
import { createStoreMeter } from "../platform/store/meter.ts";
import type { StoreMeter } from "../platform/store/meter.ts";
import { openSqliteReader } from "../platform/store/sqlite/reader.ts";
import { startWriter } from "../platform/store/sqlite/writer-client.ts";

export interface StoreRunnerOptions {
  readonly keyring: Keyring;
  readonly meter: StoreMeter;
  /** A launched writer thread; without one, opening the store launches it. */
  readonly writerThread?: Worker | undefined;
  /** Called once when this process can't write to the store any more. */
  onLost(error: Error): void;
}

/** Opens the embedded store: reads run on this thread, changes in the writer thread. */
function openEmbedded(settings: Settings, options: StoreRunnerOptions): StoreRunner {
  const { keyring, meter, onLost } = options;
  const file = sqliteFile(settings);
  const { reader, admin, versions, endSnapshot, close } = openSqliteReader(file, meter);
  const setup: WriterSetup = { file, keySources: keySources(settings) };
  const thread = options.writerThread ?? launchWriter();
  const writer = startWriter({ thread, setup, onCommit: endSnapshot, onLost, meter });
  const registry = createRegistry(keyring);
  return createStoreRunner({
    engine: "sqlite",
    reader,
    scanner: reader,
    versions,
    admin,
    registry: { ...registry, directory: cacheDirectory(registry.directory, versions) },
    writes: createLoadEstimate(1),
    reads: null,
    meter,
    commit: (work, observe) => writer.post(work, observe),
    waitingMs: () => writer.waitingMs(),
    pendingWrites: () => writer.pending(),
    connections: () => null,
    onTooFewConnections: () => undefined,
    describeLockHolders: async () => "",
    renew: async () => false,
    async close() {
      // Close the writer last: the last connection writes the log back into the file and removes it, which a read-only
      // connection can't.
      close();
      await writer.close();
    },
  });
}

/**
 * Creates a store connection without a writer thread: this thread writes to the database itself. `versions` are those of the database
 * where requests are served, which are cached.
 */
export function runDirectly(
  database: Database,
  keyring: Keyring,
  meter = createStoreMeter(),
  versions: Database["versions"] = null,
): StoreRunner {
  const registry = createRegistry(keyring);
  const serving = versions ? { ...registry, directory: cacheDirectory(registry.directory, versions) } : registry;
  const expected = createExpectations(serving, database.reader);

  async function commit(
    work: UnitOfWork<Changes>,
    observe?: (timing: WorkTiming) => void,
    caller?: Caller,
  ): Promise<unknown> {
    if (!("request" in work)) return await database.transaction((tx) => runUnitOfWork(registry, tx, work), { observe });
    const { request } = work;
    const options = { observe, ...(await expected.of(request, caller)) };
    return await database.transaction(async (tx) => {
      let isAuthorized = false;
      try {
        return await executeMutation(registry, tx, request, (scope) => {
          isAuthorized = true;
          expected.learn(request, scope);
        });
      } catch (error) {
        if (!isAuthorized && error instanceof ApiError) expected.forget(request);
        throw error;
      }
    }, options);
  }

  return createStoreRunner({
    engine: database.engine,
    reader: database.reader,
    scanner: database.scanner,
    versions,
    admin: database.admin,
    registry: serving,
    writes: createLoadEstimate(database.concurrency.writes),
    reads: createLoadEstimate(database.concurrency.reads),
    meter,
    commit,
    waitingMs: () => 0,
    pendingWrites: () => 0,
    connections: () => database.connections(),
    onTooFewConnections: (listener) => database.onTooFewConnections(listener),
    describeLockHolders: () => database.describeLockHolders(),
    renew: () => database.renew(),
    close: () => database.close(),
  });
}

/** Opens the store for serving. `database` was opened for starting up, which brought it to this program's schema. */
export async function openStoreRunner(
  settings: Settings,
  database: Database,
  options: StoreRunnerOptions,
): Promise<StoreRunner> {
  if (database.engine === "postgres") {
    return runDirectly(database, options.keyring, options.meter, database.versions);
  }
  await database.close();
  return openEmbedded(settings, options);
}
