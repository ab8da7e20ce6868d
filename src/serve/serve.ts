// `reeve serve` and `reeve worker`: from settings to a running process, and back to an exit code.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Worker } from "node:worker_threads";
import { describeData } from "./config/data-paths.ts";
import { createApp, openTracing } from "./app.ts";
import type { App } from "./app.ts";
import { filesOfBackground, startBackgroundWork } from "./background.ts";
import { openExistingDatabase } from "./open-database.ts";
import { runDirectly } from "./open-store-runner.ts";
import type { Settings } from "./config/config.ts";
import type { GateSettings } from "./config/gate-settings.ts";
import type { GateLog } from "../gate/gate-log.ts";
import type { RunningGate } from "../gate/run-gate.ts";
import { createOperatorServer } from "../platform/http/operator-server.ts";
import { readInstanceMetrics } from "./observability/instance-metrics.ts";
import { chooseLogLevel, createLogger, logWarnings } from "./observability/logger.ts";
import type { Keyring } from "../platform/kernel/keyring.ts";
import { Metrics } from "../platform/kernel/telemetry/metrics.ts";
import type { Database } from "../platform/store/database.ts";
import { createStoreMeter } from "../platform/store/meter.ts";
import { awaitCurrentSchema } from "../platform/store/migrations/migrate.ts";
import { requireKeyring } from "./master-keys/start-keyring.ts";
import { shownUrl } from "./config/own-url.ts";
import { signInLinkUrl } from "../identity/sign-in/link-url.ts";
import { awaitStop, drain, onHangUp } from "./shutdown.ts";
import type { RenewedFile } from "./shutdown.ts";
import { createReadiness } from "./observability/readiness.ts";
import type { Bootstrap } from "../identity/tokens/bootstrap.ts";

/** The outcome of a start; also when the server could not listen after its first start. */
export interface ServerStart {
  /** Null when it does not listen. */
  readonly url: string | null;
  readonly docsUrl: string | null;
  /** The port that the system chose, which no other command finds; null: that of the settings. */
  readonly chosenPort: number | null;
  /** Where the gate of `--gate` listens; null: there is none. */
  readonly gateUrl: string | null;
  /** A folder, or a database URL without its password. */
  readonly data: string;
  /** Whether this start created the administrator. */
  readonly isFirstStart: boolean;
  /** The administrator's access token, if this start created it; null for one that the operator gave. */
  readonly adminToken: string | null;
  /** The link by which the administrator sets the account up in a browser; null: it has been. */
  readonly setUpUrl: string | null;
  /** The account that the link is for. */
  readonly setUpUser: string | null;
  /** Whether REEVE_BOOTSTRAP_TOKEN was given for accounts that were there, and is no token of theirs. */
  readonly isTokenUnused: boolean;
  /** The file of the master key that this start created. */
  readonly newKeyFile: string | null;
}

export interface WorkerStart {
  /** The address of health and metrics; null when there is none. */
  readonly url: string | null;
  readonly data: string;
  readonly engine: "sqlite" | "postgres";
}

/**
 * Maximum number of connections that wait to be accepted; the system may have a lower limit (net.core.somaxconn). A client
 * beyond it retries only after seconds, so a burst must fit.
 */
const BACKLOG = 4_096;

/**
 * Listens and announces the address. It creates the first token last, so that no failure can keep the token from being shown.
 * This process does not keep the token.
 */
async function listen(
  app: App,
  settings: Settings,
  announce: (start: ServerStart) => void,
  openGate: () => Promise<RunningGate | null>,
): Promise<RunningGate | null> {
  const { newKeyFile } = app;
  const nothing: ServerStart = {
    data: describeData(settings),
    newKeyFile,
    isFirstStart: false,
    adminToken: null,
    setUpUrl: null,
    setUpUser: null,
    isTokenUnused: false,
    url: null,
    docsUrl: null,
    chosenPort: null,
    gateUrl: null,
  };
  let address: string;
  let done: Bootstrap;
  let gate: RunningGate | null = null;
  try {
    address = await app.server.listen({ host: settings.host, port: settings.port, backlog: BACKLOG });
    gate = await openGate();
    done = await app.bootstrap();
  } catch (error) {
    // Announce the new key although listening failed: it exists now, and later starts do not announce it.
    if (newKeyFile !== null) announce(nothing);
    await gate?.close();
    await app.close();
    throw error;
  }
  // The port is the system's choice where the setting is 0.
  const { port } = app.server.server.address() as AddressInfo;
  const url = shownUrl({ ...settings, port }) ?? address;
  const { isFirst, newToken, isTokenUnused, setUp } = done;
  announce({
    ...nothing,
    isFirstStart: isFirst,
    adminToken: newToken,
    setUpUrl: setUp && signInLinkUrl(url, "set-up", setUp.code),
    setUpUser: setUp && setUp.username,
    isTokenUnused,
    url,
    docsUrl: `${url}/docs`,
    chosenPort: settings.port === 0 ? port : null,
    gateUrl: gate?.url ?? null,
  });
  return gate;
}

/** Serves until it receives a stop signal or the store's writer is lost; resolves to the exit code. */
export async function serve(
  settings: Settings,
  writerThread: Worker | undefined,
  announce: (start: ServerStart) => void,
  gateSettings: GateSettings | null,
): Promise<number> {
  const stop = awaitStop();
  const logger = createLogger(chooseLogLevel(settings));
  logWarnings(logger);
  const files = Promise.withResolvers<readonly RenewedFile[]>();
  onHangUp(stop, logger, files.promise);
  const app = await createApp(settings, {
    clock: Date.now,
    logger,
    writerThread,
    onStoreLost(error) {
      // A fresh process from the supervisor is safer than a new thread in this one; committed changes are on disk.
      logger.fatal({ err: error }, "the store's writer is lost; stopping");
      stop.ask(1);
    },
  });
  files.resolve(app.renewedFiles);
  const gate = await listen(app, settings, announce, async () =>
    gateSettings === null ? null : await startGate(app, settings, gateSettings, logger),
  );
  if (app.newKeyFile !== null) {
    // Also log it: nobody reads the announcement of an unattended start.
    logger.warn({ file: app.newKeyFile }, "made a new master key: back this file up, apart from the database");
  }
  const exitCode = await stop.exitCode;
  // A process whose store is lost cannot serve on.
  await drain(stop, exitCode === 0 ? settings.drain : 0, logger, () => {
    gate?.announceStop();
    app.announceStop();
  });
  await gate?.close();
  await app.close();
  return exitCode;
}

async function startGate(app: App, settings: Settings, gateSettings: GateSettings, log: GateLog): Promise<RunningGate> {
  // Loaded by those who have a gate.
  const { startLocalGate } = await import("./local-gate.ts");
  const gate = await startLocalGate(app.runner, { settings, gateSettings, clock: Date.now, log });
  log.info({ url: gate.url, upstream: gateSettings.upstream }, `the gate listens at ${gate.url}`);
  return gate;
}

/** Serves health and metrics and returns their URL; null when no port is configured. */
async function listenForOperators(server: Server, { host, workerPort }: Settings): Promise<string | null> {
  if (workerPort === null) return null;
  server.listen(workerPort, host);
  await once(server, "listening");
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** Does background work until it receives a stop signal; resolves to the exit code. */
export async function work(settings: Settings, announce: (start: WorkerStart) => void): Promise<number> {
  const stop = awaitStop();
  const logger = createLogger(settings.logLevel);
  logWarnings(logger);
  const files = Promise.withResolvers<readonly RenewedFile[]>();
  onHangUp(stop, logger, files.promise);
  const metrics = new Metrics();
  const meter = createStoreMeter(metrics);
  const stopping = new AbortController();
  void stop.exitCode.then(() => stopping.abort());
  let database: Database;
  try {
    database = await openExistingDatabase(settings, {
      meter,
      // A worker that starts beside the first server, or before the upgrade of the schema, has nothing to do yet.
      requireSchema: (opened, missing) =>
        awaitCurrentSchema(opened, missing, {
          signal: stopping.signal,
          onWait: (reason) => logger.warn({ reason }, "waits until a server or `reeve migrate` has made the schema"),
        }),
    });
  } catch (error) {
    if (stopping.signal.aborted) return await stop.exitCode;
    throw error;
  }
  let keyring: Keyring;
  try {
    keyring = await requireKeyring(settings, database.reader);
  } catch (error) {
    await database.close();
    throw error;
  }
  const runner = runDirectly(database, keyring, meter);
  const tracing = await openTracing(settings, logger);
  // A server on the same embedded store delivers too, and on PostgreSQL any number of processes do.
  const background = await startBackgroundWork(runner, settings, {
    clock: Date.now,
    logger,
    metrics,
    tracing,
    isAlone: false,
  });
  files.resolve(filesOfBackground(runner, background, settings));
  const clock = Date.now;
  const readiness = createReadiness(runner, settings, { clock, logger });
  readInstanceMetrics(metrics, { store: runner, settings, clock, readiness });
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
  // The timers of background work do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  const exitCode = await stop.exitCode;
  clearInterval(alive);
  operatorServer.close();
  operatorServer.closeAllConnections();
  await background.stop();
  await Promise.all([runner.close(), tracing?.stop()]);
  return exitCode;
}
