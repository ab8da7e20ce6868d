// `reeve serve` and `reeve worker`: from settings to a running process, and back to an exit code.
import type { Worker } from "node:worker_threads";
import { createApp, openTracing } from "./app.ts";
import type { App } from "./app.ts";
import { startBackgroundWork } from "./background.ts";
import { describeData, openExistingDatabase, serveDirectly } from "./backend.ts";
import type { ServerStart, WorkerStart } from "../cli/reeve.ts";
import type { Settings } from "../config.ts";
import { createLogger } from "./logger.ts";
import type { Keyring } from "../kernel/keyring.ts";
import { Metrics } from "../kernel/metrics.ts";
import { createStoreMeter } from "../store/meter.ts";
import { requireKeyring } from "./master-keys.ts";
import { awaitStop } from "./process-life.ts";
import { settleWhenIdle } from "./settling.ts";

/**
 * Connections that wait to be accepted; the system may have a lower bound (net.core.somaxconn). Those for which there is no
 * place try again after seconds, so a burst of them must fit.
 */
const BACKLOG = 4_096;

/** Listens and says so. What it says is forgotten here with the call. */
async function listen(app: App, settings: Settings, announce: (start: ServerStart) => void): Promise<void> {
  const { newKeyFile } = app;
  const start = { data: describeData(settings), adminToken: app.takeFirstToken(), newKeyFile };
  let address: string;
  try {
    address = await app.server.listen({ host: settings.host, port: settings.port, backlog: BACKLOG });
  } catch (error) {
    // They are told only here: they must not go down with a port that is in use.
    if (start.adminToken !== null || newKeyFile !== null) announce({ ...start, url: null, docsUrl: null });
    await app.close();
    throw error;
  }
  app.server.server.on("request", settleWhenIdle());
  const url = settings.publicUrl ?? address;
  announce({ ...start, url, docsUrl: `${url}/docs` });
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
  const backend = serveDirectly(database, keyring, meter);
  const tracing = await openTracing(settings, logger);
  // With the embedded store there is a server that delivers; on PostgreSQL others may deliver beside this process.
  const background = await startBackgroundWork(backend, settings, {
    clock: Date.now,
    logger,
    metrics,
    tracing,
    isAlone: false,
  });
  announce({ data: describeData(settings), engine: backend.engine });
  // The work's own timers do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  const exitCode = await stop.asked;
  clearInterval(alive);
  await background.stop();
  await Promise.all([backend.close(), tracing?.stop()]);
  return exitCode;
}
