// The store side of a server: one runner per engine, the same operation registry on both.
import type { Worker } from "node:worker_threads";
import { keySources, sqliteFile } from "../config/data-paths.ts";
import { cacheDirectory } from "./cached-directory.ts";
import { createChainWatching } from "./chain-watch.ts";
import { createRegistry } from "../registry.ts";
import type { Settings } from "../config/config.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import { executeQuery } from "../operations/execute.ts";
import { decodeFailure } from "../http/responses/error-response.ts";
import type { Commands } from "../internal-commands.ts";
import type { OperationRegistry } from "../kernel/operation-registry.ts";
import type { Keyring } from "../kernel/keyring.ts";
import type { Engine, Tx } from "../kernel/tx.ts";
import { createLoadEstimate } from "../store/load-estimate.ts";
import type { LoadEstimate } from "../store/load-estimate.ts";
import type { Admin, Database, WorkTiming } from "../store/database.ts";
import { storeFailureReason } from "../store/failure.ts";
import { createStoreMeter } from "../store/meter.ts";
import type { StoreMeter } from "../store/meter.ts";
import { readStatus } from "../store/probe.ts";
import { openSqliteReader } from "../store/sqlite/reader.ts";
import { startWriter } from "../store/sqlite/writer-client.ts";
import { noteFailure } from "../observability/failure-state.ts";
import type { FailureState } from "../observability/failure-state.ts";
import { watchSpace } from "../observability/space.ts";
import { createSchemaExplainer } from "./schema-changes.ts";
import { createUseLog } from "./use-log.ts";
import { createCommandRunner, runUnitOfWork } from "../operations/unit-of-work.ts";
import type { UnitOfWork } from "../operations/unit-of-work.ts";
import type { StoreRunner } from "./store-side.ts";
import { launchWriter } from "./writer-launch.ts";
import type { WriterSetup } from "./writer.ts";

interface Parts {
  readonly engine: Engine;
  readonly reader: Tx;
  /** What answers in parts are read with. */
  readonly scanner: Tx;
  readonly readVersion: OperationRunner["readVersion"];
  readonly admin: Admin;
  /** As reads use it. */
  readonly registry: OperationRegistry<Commands>;
  /** What changes wait in. */
  readonly writes: LoadEstimate;
  /** What reads wait in; null where they are done on the spot. */
  readonly reads: LoadEstimate | null;
  readonly meter: StoreMeter;
  work(work: UnitOfWork<Commands>, observe?: (timing: WorkTiming) => void): Promise<unknown>;
  waitingMs(): number;
  pendingWrites(): number;
  connections: Database["connections"];
  onTooFewConnections: Database["onTooFewConnections"];
  close(): Promise<void>;
}

function assemble(parts: Parts): StoreRunner {
  const { engine, reader, readVersion, scanner, admin, registry, writes, reads, meter, work, close } = parts;
  const listeners: ((command: keyof Commands | null) => void)[] = [];
  const watching = createChainWatching(reader);
  listeners.push(watching.nudge);
  const noted: FailureState = { isKeyMissing: false };
  const probe = () => readStatus({ engine, admin });
  const explain = createSchemaExplainer(probe);
  const space = watchSpace();

  function note(error: unknown): void {
    const reason = storeFailureReason(error);
    if (reason) meter.noteFailure(reason);
    if (reason === "full") space.noteFull(error as Error);
    noteFailure(noted, error);
  }

  async function fail(error: unknown): Promise<never> {
    throw await explain(error);
  }

  async function commit(unit: UnitOfWork<Commands>, observe?: (timing: WorkTiming) => void): Promise<unknown> {
    let output: unknown;
    try {
      output = await writes.run(() => work(unit, observe));
    } catch (error) {
      const explained = await explain(error);
      note(explained);
      throw explained;
    }
    space.noteWritten();
    for (const hear of listeners) hear("command" in unit ? unit.command : null);
    return output;
  }
  const commands = createCommandRunner(registry.commands, commit);
  const useLog = createUseLog(commands.noteUses);
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
  return {
    engine,
    reader,
    readVersion,
    keyring: registry.keyring,
    hasCapacity: (kind, waitedMs) => (kind === "read" ? reads : writes)?.hasCapacity(waitedMs) ?? true,
    findCaller: reads ? (...of) => reads.run(async () => await findCaller(...of)) : findCaller,
    read: reads ? (...of) => reads.run(() => read(...of)) : read,
    write: async (request, observe) =>
      (await commit({ request }, observe)) as Awaited<ReturnType<OperationRunner["write"]>>,
    noteUse: (caller, now) => useLog.note(caller, now),
    commands,
    onCommit: (hear) => listeners.push(hear),
    watchChain: watching.watch,
    probe,
    probeWriting: async (now) => void (await work({ probedAt: now })),
    noted,
    onFull: space.onChange,
    waitingMs: parts.waitingMs,
    pendingWrites: parts.pendingWrites,
    connections: parts.connections,
    onTooFewConnections: parts.onTooFewConnections,
    async close() {
      watching.stop();
      await useLog.close();
      await close();
    },
  };
}

export interface ServingOptions {
  readonly keyring: Keyring;
  readonly meter: StoreMeter;
  /** A launched writer; without one it is launched when it is needed. */
  readonly writerThread?: Worker | undefined;
  /** Hears once when the store can't be written any more in this process. */
  onLost(error: Error): void;
}

/** Opens the embedded store for serving: reads here, writes in the writer thread. */
function openEmbedded(settings: Settings, options: ServingOptions): StoreRunner {
  const { keyring, meter, onLost } = options;
  const file = sqliteFile(settings);
  const { reader, admin, readVersion, isOutdated, endSnapshot, close } = openSqliteReader(file, meter);
  const setup: WriterSetup = { file, keySources: keySources(settings) };
  const thread = options.writerThread ?? launchWriter();
  const writer = startWriter({ thread, setup, decodeFailure, onCommit: endSnapshot, onLost, meter });
  const registry = createRegistry(keyring);
  return assemble({
    engine: "sqlite",
    reader,
    scanner: reader,
    readVersion,
    admin,
    registry: { ...registry, directory: cacheDirectory(registry.directory, { readVersion, isOutdated }) },
    writes: createLoadEstimate(1),
    reads: null,
    meter,
    work: (work, observe) => writer.post(work, observe),
    waitingMs: () => writer.waitingMs(),
    pendingWrites: () => writer.pending(),
    connections: () => null,
    onTooFewConnections: () => undefined,
    async close() {
      // The last connection to close writes the log back into the file and removes it, which one that reads can't.
      close();
      await writer.close();
    },
  });
}

/** A runner on a database that this process writes to itself. */
export function serveDirectly(database: Database, keyring: Keyring, meter = createStoreMeter()): StoreRunner {
  const registry = createRegistry(keyring);
  return assemble({
    engine: database.engine,
    reader: database.reader,
    scanner: database.scanner,
    readVersion: null,
    admin: database.admin,
    registry,
    writes: createLoadEstimate(database.lanes.writes),
    reads: createLoadEstimate(database.lanes.reads),
    meter,
    work: (work, observe) => database.transaction((tx) => runUnitOfWork(registry, tx, work), observe),
    waitingMs: () => 0,
    pendingWrites: () => 0,
    connections: () => database.connections(),
    onTooFewConnections: (hear) => database.onTooFewConnections(hear),
    close: () => database.close(),
  });
}

/** Opens the store for serving; it has this program's schema by now. `database` was opened for starting up. */
export async function openStoreRunner(
  settings: Settings,
  database: Database,
  options: ServingOptions,
): Promise<StoreRunner> {
  if (database.engine === "postgres") return serveDirectly(database, options.keyring, options.meter);
  await database.close();
  return openEmbedded(settings, options);
}
