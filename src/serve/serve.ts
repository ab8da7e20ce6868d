// `reeve serve`: from settings to a running process, and back to an exit code.
import type { AddressInfo } from "node:net";
import type { Worker } from "node:worker_threads";
import { describeData } from "./config/data-paths.ts";
import { createApp } from "./app.ts";
import type { App } from "./app.ts";
import type { Settings } from "./config/config.ts";
import type { GateSettings } from "./config/gate-settings.ts";
import type { GateLog } from "../gate/gate-log.ts";
import type { RunningGate } from "../gate/run-gate.ts";
import { chooseLogLevel, createLogger, logWarnings } from "./observability/logger.ts";
import { warnOfVariables } from "./observability/quick-checks.ts";
import { shownUrl } from "./config/own-url.ts";
import { signInLinkUrl } from "../identity/sign-in/link-url.ts";
import { awaitStop, drain, onHangUp } from "./shutdown.ts";
import type { RenewedFile } from "./shutdown.ts";
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
  warnOfVariables(settings, logger);
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
