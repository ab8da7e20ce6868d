// Composition: settings in, a running service out. `reeve serve` and the tests start it the same way.
import { createDiskReserve } from "../platform/http/limits/disk-reserve.ts";
import { freeBytes } from "../platform/store/sqlite/file.ts";
import { isDeepStrictEqual } from "node:util";
import type { Worker } from "node:worker_threads";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { filesOfBackground, startBackgroundWork } from "./background.ts";
import type { BackgroundWork, DeliveryBounds } from "./background.ts";
import { boundConnections } from "./connection-limit.ts";
import { createEvaluation } from "../firewall/evaluation-worker/evaluation.ts";
import type { Evaluation } from "../firewall/evaluation-worker/evaluation.ts";
import { openStoreRunner } from "./open-store-runner.ts";
import { prepareStore } from "./prepare-store.ts";
import { GRACE_MS } from "./shutdown.ts";
import type { RenewedFile } from "./shutdown.ts";
import type { StoreRunner } from "./store-runner.ts";
import type { WorkerQueueBounds } from "../firewall/evaluation-worker/worker-queue.ts";
import { readProviders } from "./config/config.ts";
import type { Settings } from "./config/config.ts";
import type { OidcProvider } from "../identity/providers/oidc-file.ts";
import { instanceSettings } from "./config/instance-settings.ts";
import { openDocumentation } from "./http-server/documentation.ts";
import { readAppFiles } from "./console/app-files.ts";
import type { RunEffect } from "../platform/http/route.ts";
import { DRAIN_MS, createServer } from "./http-server/server.ts";
import type { Clock } from "../platform/kernel/scheduling/clock.ts";
import { ApiError } from "../platform/kernel/errors.ts";
import { Metrics } from "../platform/kernel/telemetry/metrics.ts";
import type { Tracing } from "../platform/kernel/telemetry/tracing.ts";
import { createInstanceReport } from "./observability/instance-report.ts";
import { readInstanceMetrics } from "./observability/instance-metrics.ts";
import { createReadiness } from "./observability/readiness.ts";
import type { Readiness } from "./observability/readiness.ts";
import { operations } from "./composition/registry.ts";
import { findStopState } from "../events/mails/stop.ts";
import type { Bootstrap } from "../identity/tokens/bootstrap.ts";
import { createOAuth } from "../identity/oauth-server/oauth.ts";
import { createPasswordHashing } from "../identity/sign-in/password-hashing.ts";
import { createProviderSignIn } from "../identity/providers/provider-sign-in.ts";
import type { ProviderSignIn } from "../identity/providers/provider-sign-in.ts";
import { openProviders } from "../identity/providers/providers.ts";
import type { Providers } from "../identity/providers/providers.ts";
import { createIssuerKeys } from "../identity/workload/exchange/issuer-keys.ts";
import { createWorkloadIdentity } from "../identity/workload/exchange/workload-identity.ts";
import { createDocumentFetcher } from "./fetch-document.ts";
import { limitStrangers } from "./stranger-changes.ts";
import { createInvitations } from "../teams/members/joining/invitations.ts";
import type { Invitations } from "../identity/methods/invitations.ts";
import { createSignIn } from "../identity/sign-in/sign-in.ts";
import { createStoreMeter } from "../platform/store/meter.ts";
import { VERSION } from "../platform/kernel/version.ts";

/** Where `npm run build` puts the console's app and the documentation: beside the bundle that contains this file. */
const BUILT = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../dist/" : "./", import.meta.url));
const SWEEP_MS = 50;
/** Shorter than the time after which proxies close a silent connection. */
const HEARTBEAT_MS = 15_000;

export interface App {
  readonly server: FastifyInstance;
  readonly runner: StoreRunner;
  readonly renewedFiles: readonly RenewedFile[];
  /** Does what a start does for the administrator; the service is ready after it. */
  bootstrap(): Promise<Bootstrap>;
  /** From now on `/health/ready` says `shutting_down`; everything is served as before. */
  announceStop(): void;
  /** The file of the master key that this start made. */
  readonly newKeyFile: string | null;
  /**
   * Accepts no more requests, finishes those in flight (disconnecting clients that hang), and closes the store; may be called
   * once.
   */
  close(): Promise<void>;
}

export interface AppDependencies {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** Called once when this process can't write to the store any more; later requests get 503. */
  onStoreLost?(error: Error): void;
  /** The maximum time between two writes of a live stream. */
  readonly heartbeatMs?: number;
  readonly delivery?: DeliveryBounds;
  readonly evaluation?: Partial<WorkerQueueBounds>;
  /** The embedded store's writer thread, launched while the server's modules were loading. */
  readonly writerThread?: Worker | undefined;
}

/** Null when tracing is off: the library is loaded only when it is needed. */
export async function openTracing({ tracing }: Settings, logger: FastifyBaseLogger): Promise<Tracing | null> {
  return tracing && (await import("./observability/tracing.ts")).startTracing(tracing, logger);
}

type EffectRunners = Readonly<Record<string, (effect: never, signal: AbortSignal, origin: string) => Promise<unknown>>>;

/**
 * Runs the post-commit effect that a handler returned: work that touches the network or takes long must not run inside a
 * transaction. `runners` are by operation.
 */
function createEffectRunner(runners: EffectRunners): RunEffect {
  return async (operation, effect, { signal, origin }) => {
    const runEffect = runners[operation];
    if (!runEffect) throw new Error(`no effect is declared for ${operation}`);
    return await runEffect(effect as never, signal, origin);
  };
}

interface Parts {
  readonly runner: StoreRunner;
  readonly background: BackgroundWork;
  readonly evaluation: Evaluation;
  readonly tracing: Tracing | null;
  readonly providers: Providers;
}

function createProviders(
  providers: readonly OidcProvider[],
  { publicUrl }: Settings,
  { logger }: AppDependencies,
): Providers {
  return openProviders({
    providers,
    publicUrl: publicUrl ?? "",
    logFailure: (details) => logger.warn(details, "a sign-in with a provider failed"),
    logAbsence: ({ message, ...details }) => logger.warn(details, message),
  });
}

function openProviderSignIn(
  { runner: { reader }, providers }: Parts,
  changes: StoreRunner["changes"],
  invitations: Invitations,
  settings: Settings,
  { clock }: AppDependencies,
): ProviderSignIn {
  return createProviderSignIn({
    providers,
    reader,
    changes,
    invitations,
    clock,
    instance: instanceSettings(settings),
  });
}

function createHttpServer(
  parts: Parts,
  settings: Settings,
  metrics: Metrics,
  readiness: Readiness,
  findFailedChecks: Readiness["check"],
  dependencies: AppDependencies,
): FastifyInstance {
  const { runner, background, evaluation, tracing } = parts;
  const { clock, logger, heartbeatMs = HEARTBEAT_MS } = dependencies;
  const instance = instanceSettings(settings, parts.providers);
  const { reader, engine } = runner;
  const free = engine === "sqlite" ? () => freeBytes(settings.dataDir) : null;
  const disk = createDiskReserve(free, settings.diskReserve, logger);
  const changes = limitStrangers(runner.changes, disk);
  const logFailure = (error: unknown) => logger.error({ err: error }, "a mail that was asked for could not be queued");
  const hashing = createPasswordHashing();
  metrics.gauge("passwordsHashing", () => hashing.state().running);
  metrics.gauge("passwordsWaiting", () => hashing.state().waiting);
  const fetchDocument = createDocumentFetcher(background.egress, `Reeve/${VERSION}`);
  const issuerKeys = createIssuerKeys({ fetchDocument, rules: instance.egress, clock });
  const identity = createWorkloadIdentity({ reader, changes, clock, issuerKeys, ownUrl: instance.ownUrl });
  const invitations = createInvitations({ reader, changes, clock });
  const signIn = createSignIn({
    reader,
    changes,
    invitations,
    clock,
    hashing,
    instance,
    signUp: settings.signUp,
    logFailure,
  });
  return createServer({
    runner,
    operations,
    clock,
    logger,
    metrics,
    tracing,
    rateLimit: settings.rateLimit,
    disk,
    maxConnections: boundConnections(settings.maxConnections, logger),
    publicUrl: settings.publicUrl ?? "",
    corsOrigins: settings.corsOrigins ?? [],
    version: VERSION,
    trustedProxies: settings.trustedProxies,
    instance,
    runEffect: createEffectRunner({
      testWebhook: background.sendTest,
      explainIdentity: identity.explain,
      evaluateFirewallConfig: evaluation.run,
      setPassword: signIn.setPassword,
      createPasskeyOptions: signIn.createPasskeyOptions,
      createPasskey: signIn.createPasskey,
      getInstance: createInstanceReport({ store: runner, settings, clock, readiness }),
    }),
    heartbeatMs,
    findFailedChecks,
    documentation: openDocumentation(join(BUILT, "docs")),
    appFiles: settings.console ? readAppFiles(join(BUILT, "console")) : null,
    signIn,
    providers: openProviderSignIn(parts, changes, invitations, settings, dependencies),
    identity,
    oauth: createOAuth({ reader, changes, clock, maxTokens: settings.maxTokens }),
    mailLinks: {
      find: (token) => findStopState(runner.reader, token),
      change: (token, isStopped) => runner.changes.changeStop({ token, isStopped }, clock()),
    },
  });
}

async function stopAll(server: FastifyInstance, { runner, background, evaluation, tracing }: Parts): Promise<void> {
  // A connection that was busy when closing began stays open after its response unless it is closed here. Idle ones stay open
  // until requests in transit have arrived.
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

/** Brings the store up to date and builds the server; it does not listen yet, and an empty store has no account. */
export async function createApp(settings: Settings, dependencies: AppDependencies): Promise<App> {
  const { clock, logger } = dependencies;
  // Before the store is opened: a file that is wrong stops the start.
  const read = await readProviders(settings);
  if (read.length > 0) logger.info({ providers: read.map(({ id }) => id) }, "read the OpenID Connect providers");
  const providers = createProviders(read, settings, dependencies);
  const metrics = new Metrics();
  const meter = createStoreMeter(metrics);
  const { database, keyring, newKeyFile } = await prepareStore(settings, meter, dependencies);
  const runner = await openStoreRunner(settings, database, {
    keyring,
    meter,
    writerThread: dependencies.writerThread,
    onLost: (error) => dependencies.onStoreLost?.(error),
  });
  const tracing = await openTracing(settings, logger);
  const background = await startBackgroundWork(runner, settings, {
    clock,
    logger,
    metrics,
    tracing,
    isAlone: runner.engine === "sqlite",
    delivery: dependencies.delivery,
  });
  const readiness = createReadiness(runner, settings, { clock, logger, isStarting: true });
  let isStopping = false;
  readInstanceMetrics(metrics, { store: runner, settings, clock, readiness, isStopping: () => isStopping });
  const parts = { runner, background, evaluation: createEvaluation(dependencies.evaluation), tracing, providers };
  async function findFailedChecks() {
    if (isStopping) throw new ApiError("shutting_down", "This process is stopping; try again");
    return await readiness.check();
  }
  const server = createHttpServer(parts, settings, metrics, readiness, findFailedChecks, dependencies);
  const announceStop = () => void (isStopping = true);
  let stopped: Promise<void> | undefined;
  async function renewProviders(): Promise<boolean> {
    const changed = await readProviders(settings);
    if (isDeepStrictEqual(changed, providers.list)) return false;
    providers.replace(changed);
    return true;
  }
  return {
    server,
    runner,
    newKeyFile,
    renewedFiles: [
      ...filesOfBackground(runner, background, settings),
      ...(settings.oidcFile === null
        ? []
        : [{ what: "the file of the OpenID Connect providers", renew: renewProviders }]),
    ],
    async bootstrap() {
      const done = await runner.changes.bootstrapInstance(settings.bootstrapToken, clock());
      readiness.start();
      return done;
    },
    announceStop,
    close() {
      announceStop();
      return (stopped ??= stopAll(server, parts));
    },
  };
}
