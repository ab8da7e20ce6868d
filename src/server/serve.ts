// `reeve serve` and `reeve worker`: from settings to a running process, and back to an exit code.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Worker } from "node:worker_threads";
import { describeData } from "../config/data-paths.ts";
import { createApp, openTracing } from "./app.ts";
import type { App } from "./app.ts";
import { startBackgroundWork } from "./background.ts";
import { openExistingDatabase } from "./open-database.ts";
import { serveDirectly } from "./store-runner.ts";
import type { ServerStart, WorkerStart } from "../cli/reeve.ts";
import type { Settings } from "../config/config.ts";
import { createOperatorServer } from "../http/operator-server.ts";
import { readInstanceMetrics } from "../observability/instance-metrics.ts";
import { createLogger } from "../observability/logger.ts";
import type { Keyring } from "../kernel/keyring.ts";
import { Metrics } from "../kernel/telemetry/metrics.ts";
import { createStoreMeter } from "../store/meter.ts";
import { requireKeyring } from "./master-keys.ts";
import { awaitStop } from "./process-life.ts";
import { createReadiness } from "../observability/readiness.ts";
import type { FirstAdministrator } from "../resources/tokens/bootstrap.ts";

/**
 * Connections that wait to be accepted; the system may have a lower bound (net.core.somaxconn). Those for which there
 * is no place try again after seconds, so a burst of them must fit.
 */
const BACKLOG = 4_096;

/**
 * Listens and says so. The first token is made when nothing can keep it from being told any more, and forgotten here with the
 * call.
 */
async function listen(app: App, settings: Settings, announce: (start: ServerStart) => void): Promise<void> {
  const { newKeyFile } = app;
  const start = { data: describeData(settings), newKeyFile };
  let address: string;
  let administrator: FirstAdministrator | null;
  try {
    address = await app.server.listen({ host: settings.host, port: settings.port, backlog: BACKLOG });
    administrator = await app.bootstrap();
  } catch (error) {
    // The key is there by now, and a later start does not tell of it.
    if (newKeyFile !== null) announce({ ...start, isFirstStart: false, adminToken: null, url: null, docsUrl: null });
    await app.close();
    throw error;
  }
  const url = settings.publicUrl ?? address;
  announce({
    ...start,
    isFirstStart: administrator !== null,
    adminToken: administrator?.newToken ?? null,
    url,
    docsUrl: `${url}/docs`,
  });
}

/** Serves until it is told to stop, or until the store's writer is lost; resolves to the exit code. */
export async function serve(
  settings: Settings,
  writerThread: Worker | undefined,
  announce: (start: ServerStart) => void,
): Promise<number> {
  const stop = awaitStop();
  const logger = createLogger(settings.logLevel);
  const app = await createApp(settings, {
    clock: Date.now,
    logger,
    writerThread,
    onStoreLost(error) {
      // A supervisor's fresh process is sounder than a new thread in this one; what was committed is on disk.
      logger.fatal({ err: error }, "the store's writer is lost; stopping");
      stop.ask(1);
    },
  });
  await listen(app, settings, announce);
  if (app.newKeyFile !== null) {
    // Whoever starts it unattended reads the log.
    logger.warn({ file: app.newKeyFile }, "made a new master key: back this file up, apart from the database");
  }
  const exitCode = await stop.asked;
  logger.info("stopping: finishing the requests that run");
  await app.close();
  return exitCode;
}

/** Answers where health and metrics are then to be found; null where nobody asked for them. */
async function listenForOperators(server: Server, { host, workerPort }: Settings): Promise<string | null> {
  if (workerPort === null) return null;
  server.listen(workerPort, host);
  await once(server, "listening");
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** Does background work until it is told to stop; resolves to the exit code. */
export async function work(settings: Settings, announce: (start: WorkerStart) => void): Promise<number> {
  const stop = awaitStop();
  const logger = createLogger(settings.logLevel);
  const metrics = new Metrics();
  const meter = createStoreMeter(metrics);
  const database = await openExistingDatabase(settings, { meter });
  let keyring: Keyring;
  try {
    keyring = await requireKeyring(settings, database.reader);
  } catch (error) {
    await database.close();
    throw error;
  }
  const runner = serveDirectly(database, keyring, meter);
  const tracing = await openTracing(settings, logger);
  // With the embedded store there is a server that delivers; on PostgreSQL others may deliver beside this process.
  const background = await startBackgroundWork(runner, settings, {
    clock: Date.now,
    logger,
    metrics,
    tracing,
    isAlone: false,
  });
  const clock = Date.now;
  const readiness = createReadiness(runner, settings, { clock, logger });
  readInstanceMetrics(metrics, { runner, settings, clock, readiness });
  const operatorServer = createOperatorServer({ logger, metrics, findFailedChecks: readiness.check });
  let url: string | null;
  try {
    url = await listenForOperators(operatorServer, settings);
  } catch (error) {
    await background.stop();
    await runner.close();
    throw error;
  }
  announce({ data: describeData(settings), engine: runner.engine, url });
  // The work's own timers do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  const exitCode = await stop.asked;
  clearInterval(alive);
  operatorServer.close();
  operatorServer.closeAllConnections();
  await background.stop();
  await Promise.all([runner.close(), tracing?.stop()]);
  return exitCode;
}
