// Composition: settings in, a running service out. `reeve serve` and the tests start it the same way.
import { existsSync, statSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { describeData, keySources, sqliteFile } from "../config/data-paths.ts";
import { startBackgroundWork } from "./background.ts";
import type { DeliveryBounds } from "./background.ts";
import type { FirstAdministrator } from "../resources/tokens/bootstrap.ts";
import { findStopState } from "../resources/mails/stop.ts";
import { createEvaluation } from "./evaluation.ts";
import { openDatabase } from "./open-database.ts";
import { openStoreRunner } from "./store-runner.ts";
import type { StoreRunner } from "./store-side.ts";
import { operations } from "../registry.ts";
import type { ShowProgress } from "../cli/progress.ts";
import type { Settings } from "../config/config.ts";
import { StoreError } from "../store/database.ts";
import { requireWritable } from "../store/sqlite/file.ts";
import type { Database } from "../store/database.ts";
import { DRAIN_MS, createServer } from "../http/server.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import { Metrics } from "../kernel/telemetry/metrics.ts";
import type { Tracing } from "../kernel/telemetry/tracing.ts";
import { narrowDataDir } from "./data-directory.ts";
import { openKeyring } from "../keyring/keyring.ts";
import { readInstanceMetrics } from "../observability/instance-metrics.ts";
import { instanceSettings } from "../config/instance-settings.ts";
import { prepareKeyring } from "./master-keys.ts";
import type { PreparedKeyring } from "./master-keys.ts";
import { boundConnections } from "./open-files.ts";
import { GRACE_MS } from "./process-life.ts";
import { createReadiness } from "../observability/readiness.ts";
import { MIGRATIONS, migrate } from "../store/migrations/migrate.ts";
import type { WorkerQueueBounds } from "./worker-queue.ts";
import type { MigrationReport } from "../store/migrations/migrate.ts";
import { createStoreMeter } from "../store/meter.ts";
import { VERSION } from "../version.ts";

const SWEEP_MS = 50;
/** Below the time after which proxies give up a connection that is silent. */
const HEARTBEAT_MS = 15_000;

export interface App {
  readonly server: FastifyInstance;
  readonly runner: StoreRunner;
  /** Makes the administrator of an instance that has no accounts, and answers the access token; null for any other one. */
  bootstrap(): Promise<FirstAdministrator | null>;
  /** Where the master key lies that was made at this start. */
  readonly newKeyFile: string | null;
  /**
   * Takes no more requests, finishes what is in flight (cutting off clients that hang), and closes the store; once,
   * however often it is called.
   */
  close(): Promise<void>;
}

export interface AppDependencies {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** Hears once when this process can't write to the store any more; requests are answered with 503 then. */
  onStoreLost?(error: Error): void;
  /** How long a live stream is silent at most. */
  readonly heartbeatMs?: number;
  readonly delivery?: DeliveryBounds;
  readonly evaluation?: Partial<WorkerQueueBounds>;
  /** The embedded store's writer, launched before there was a server to start. */
  readonly writerThread?: Worker | undefined;
}

/**
 * Refuses a database that may not be written, or is lost: a master key is made only after it, so this is no first
 * start. An instance that begins anew where a volume or a file is missing would be taken for the real one.
 */
function refuseUnusableFile(settings: Settings): void {
  if (settings.databaseUrl !== null) return;
  const file = sqliteFile(settings);
  requireWritable(file);
  const { ownFile } = keySources(settings);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 || !existsSync(ownFile)) return;
  throw new StoreError(
    `there is a master key in ${settings.dataDir} and no database: put reeve.db back from your backup, or take ${ownFile} away to begin anew`,
  );
}

/** Brings the store up to date and answers what that took; for `reeve migrate`. */
export async function migrateStore(
  settings: Settings,
  onProgress: ShowProgress,
  clock: Clock,
): Promise<MigrationReport & { data: string }> {
  refuseUnusableFile(settings);
  const database = await openDatabase(settings);
  try {
    return { ...(await migrateDatabase(settings, database, clock(), onProgress)), data: describeData(settings) };
  } finally {
    await database.close();
  }
}

async function migrateDatabase(
  settings: Settings,
  database: Database,
  now: number,
  onProgress?: ShowProgress,
): Promise<MigrationReport> {
  const file = settings.databaseUrl === null ? sqliteFile(settings) : null;
  return await migrate(database, file, now, MIGRATIONS, onProgress);
}

/** Null where nothing is traced: what traces is loaded by those who want it. */
export async function openTracing({ tracing }: Settings, logger: FastifyBaseLogger): Promise<Tracing | null> {
  return tracing && (await import("../observability/tracing.ts")).startTracing(tracing, logger);
}

type EffectRunners = Readonly<Record<string, (effect: never, signal: AbortSignal) => Promise<unknown>>>;

/**
 * Runs the post-commit effect that a handler returned: work that touches the network or takes long must not run inside a
 * transaction (law 2). `signal` aborts when the client has gone. `effectRunners` are by operation.
 */
function createEffectRunner(effectRunners: EffectRunners) {
  return async (operation: string, effect: unknown, signal: AbortSignal): Promise<unknown> => {
    const runEffect = effectRunners[operation];
    if (!runEffect) throw new Error(`no effect is declared for ${operation}`);
    return await runEffect(effect as never, signal);
  };
}

/** Brings the store up to date and builds the server; it does not listen yet, and an empty store has no account. */
export async function createApp(settings: Settings, surroundings: AppDependencies): Promise<App> {
  const { clock, logger } = surroundings;
  const metrics = new Metrics();
  const meter = createStoreMeter(metrics);
  // Keys that can't be read stop the start before it has made or changed anything.
  openKeyring(keySources(settings));
  refuseUnusableFile(settings);
  const database = await openDatabase(settings, meter);
  let keys: PreparedKeyring;
  try {
    await migrateDatabase(settings, database, clock());
    keys = await prepareKeyring(settings, database, clock());
    narrowDataDir(settings.dataDir, logger);
  } catch (error) {
    await database.close();
    throw error;
  }
  const { keyring, newKeyFile } = keys;
  const runner = await openStoreRunner(settings, database, {
    keyring,
    meter,
    writerThread: surroundings.writerThread,
    onLost: (error) => surroundings.onStoreLost?.(error),
  });
  const tracing = await openTracing(settings, logger);
  const isAlone = runner.engine === "sqlite";
  const background = await startBackgroundWork(runner, settings, {
    clock,
    logger,
    metrics,
    tracing,
    isAlone,
    delivery: surroundings.delivery,
  });
  const readiness = createReadiness(runner, settings, { clock, logger });
  readInstanceMetrics(metrics, { runner, settings, clock, readiness });
  const evaluation = createEvaluation(surroundings.evaluation);
  const server = createServer({
    runner,
    operations,
    clock,
    logger,
    metrics,
    tracing,
    rateLimit: settings.rateLimit,
    maxConnections: boundConnections(settings.maxConnections, logger),
    publicUrl: settings.publicUrl ?? "",
    version: VERSION,
    trustedProxies: settings.trustedProxies,
    instance: instanceSettings(settings),
    runEffect: createEffectRunner({ testWebhook: background.sendTest, evaluateFirewallConfig: evaluation.run }),
    heartbeatMs: surroundings.heartbeatMs ?? HEARTBEAT_MS,
    findFailedChecks: readiness.check,
    mailLinks: {
      find: (token) => findStopState(runner.reader, token),
      change: (token, isStopped) => runner.commands.changeStop({ token, isStopped }, clock()),
    },
  });
  async function stop(): Promise<void> {
    // A connection that was busy when closing began stays open after its answer unless somebody closes it; but not before what is
    // on its way on idle ones has arrived.
    let sweep: NodeJS.Timeout | undefined;
    const drained = setTimeout(() => {
      sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_MS);
    }, DRAIN_MS);
    const cut = setTimeout(() => server.server.closeAllConnections(), GRACE_MS);
    await Promise.all([server.close(), background.stop()]);
    clearTimeout(drained);
    clearInterval(sweep);
    clearTimeout(cut);
    await Promise.all([evaluation.close(), runner.close(), tracing?.stop()]);
  }
  let stopped: Promise<void> | undefined;
  const bootstrap = () => runner.commands.bootstrapInstance(settings.bootstrapToken, clock());
  return { server, runner, bootstrap, newKeyFile, close: () => (stopped ??= stop()) };
}
