// `reeve worker`: from settings to a running process without an API, and back to an exit code.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { describeData } from "./config/data-paths.ts";
import { openTracing } from "./app.ts";
import { filesOfBackground, startBackgroundWork } from "./background.ts";
import { openExistingDatabase } from "./open-database.ts";
import { runDirectly } from "./open-store-runner.ts";
import type { Settings } from "./config/config.ts";
import { createOperatorServer } from "../platform/http/operator-server.ts";
import { readHealthMetrics, readStoreMetrics } from "./observability/instance-metrics.ts";
import { createLogger, logWarnings } from "./observability/logger.ts";
import { warnOfVariables } from "./observability/quick-checks.ts";
import type { Keyring } from "../platform/kernel/keyring.ts";
import { Metrics } from "../platform/kernel/telemetry/metrics.ts";
import { createStoreMeter } from "../platform/store/meter.ts";
import { awaitCurrentSchema } from "../platform/store/migrations/migrate.ts";
import { requireKeyring } from "./master-keys/start-keyring.ts";
import { awaitStop, onHangUp } from "./shutdown.ts";
import type { RenewedFile } from "./shutdown.ts";
import { createReadiness, toFailedCheck } from "./observability/readiness.ts";
import type { Readiness } from "./observability/readiness.ts";

export interface WorkerStart {
  /** The address of health and metrics; null when there is none. */
  readonly url: string | null;
  readonly data: string;
  readonly engine: "sqlite" | "postgres";
}

/** Serves health and metrics and returns their URL; null when no port is configured. */
async function listenForOperators(server: Server, { host, workerPort }: Settings): Promise<string | null> {
  if (workerPort === null) return null;
  server.listen(workerPort, host);
  await once(server, "listening");
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

interface Working {
  readonly engine: WorkerStart["engine"];
  stop(): Promise<void>;
}

interface WorkerParts {
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  readonly files: PromiseWithResolvers<readonly RenewedFile[]>;
  /** Called with what readiness is from now on. */
  setCheck(check: Readiness["check"]): void;
}

async function startWork(settings: Settings, parts: WorkerParts): Promise<Working> {
  const { logger, metrics, signal, files, setCheck } = parts;
  const clock = Date.now;
  const meter = createStoreMeter(metrics);
  const database = await openExistingDatabase(settings, {
    meter,
    // A worker that starts beside the first server, or before the upgrade of the schema, has nothing to do yet.
    requireSchema: (opened, missing) =>
      awaitCurrentSchema(opened, missing, {
        signal,
        onWait(reason) {
          setCheck(async () => [toFailedCheck({ code: "schema_awaited", detail: reason })]);
          logger.warn({ reason }, "waits until a server or `reeve migrate` has made the schema");
        },
      }),
  });
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
  const background = await startBackgroundWork(runner, settings, { clock, logger, metrics, tracing, isAlone: false });
  files.resolve(filesOfBackground(runner, background, settings));
  setCheck(createReadiness(runner, settings, { clock, logger }).check);
  readStoreMetrics(metrics, { store: runner, settings, clock });
  return {
    engine: runner.engine,
    async stop() {
      await background.stop();
      await Promise.all([runner.close(), tracing?.stop()]);
    },
  };
}

/** Does background work until it receives a stop signal; resolves to the exit code. */
export async function work(settings: Settings, announce: (start: WorkerStart) => void): Promise<number> {
  const stop = awaitStop();
  const logger = createLogger(settings.logLevel);
  logWarnings(logger);
  warnOfVariables(settings, logger);
  const files = Promise.withResolvers<readonly RenewedFile[]>();
  onHangUp(stop, logger, files.promise);
  const metrics = new Metrics();
  let check: Readiness["check"] = async () => [toFailedCheck({ code: "starting", detail: "" })];
  const findFailedChecks = () => check();
  readHealthMetrics(metrics, settings.databaseUrl === null ? "sqlite" : "postgres", { check: findFailedChecks });
  const operatorServer = createOperatorServer({
    logger,
    metrics,
    findFailedChecks,
    publicUrl: settings.publicUrl ?? "",
  });
  // Before the store is there: a supervisor shall see that the worker lives while it waits.
  const url = await listenForOperators(operatorServer, settings);
  function endListening(): void {
    operatorServer.close();
    operatorServer.closeAllConnections();
  }
  const stopping = new AbortController();
  void stop.exitCode.then(() => stopping.abort());
  let working: Working;
  try {
    const setCheck = (next: Readiness["check"]) => void (check = next);
    working = await startWork(settings, { logger, metrics, signal: stopping.signal, files, setCheck });
  } catch (error) {
    endListening();
    if (stopping.signal.aborted) return await stop.exitCode;
    throw error;
  }
  announce({ data: describeData(settings), engine: working.engine, url });
  // The timers of background work do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  const exitCode = await stop.exitCode;
  clearInterval(alive);
  endListening();
  await working.stop();
  return exitCode;
}
