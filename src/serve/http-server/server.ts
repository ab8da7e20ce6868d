// The HTTP server: composes the Node server, the framework, the request guards, the routes and the error responses.
import Fastify, { LogController } from "fastify";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import type { Operation } from "../../platform/kernel/operation-registry.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { newId } from "../../platform/kernel/ids.ts";
import type { Metrics } from "../../platform/kernel/telemetry/metrics.ts";
import type { Tracing } from "../../platform/kernel/telemetry/tracing.ts";
import { isJsonType, parseJsonBody } from "../../platform/kernel/text/json-body.ts";
import type { FailedCheck, OperationRunner } from "../../platform/operations/operation-runner.ts";
import { addRoutes } from "../../platform/http/endpoint-routes.ts";
import { createPathFinder } from "../../platform/http/nearest-path.ts";
import { createAdmission } from "../../platform/http/limits/admission.ts";
import type { DiskReserve } from "../../platform/http/limits/disk-reserve.ts";
import type { Admission } from "../../platform/http/limits/admission.ts";
import type { ConnectionsOfServer } from "../../platform/http/limits/connection-limits.ts";
import { createRateLimiter } from "../../platform/http/limits/rate-limit.ts";
import { limitSlowClients } from "../../platform/http/limits/slow-clients.ts";
import type { MailLinks } from "./mail-page.ts";
import { addIdentityRoutes } from "../../identity/pages/identity-routes.ts";
import { addOAuthRoutes } from "../../identity/pages/oauth-routes.ts";
import { createMetricsPage } from "../../platform/http/metrics-page.ts";
import { createNodeServer, respondToClientError } from "../../platform/http/node-server.ts";
import type { Documentation } from "./documentation.ts";
import { addPublicRoutes } from "./public-routes.ts";
import { PUBLIC_ENDPOINTS } from "../../platform/http/public-endpoints.ts";
import { templatePath } from "../../platform/operations/endpoint-details.ts";
import { createBodyReader } from "../../platform/http/requests/read-body.ts";
import type { CreateBodyParser } from "../../platform/http/requests/read-body.ts";
import { findHeadProblem } from "../../platform/http/requests/request-head.ts";
import { clientRequestIdOf } from "../../platform/http/requests/request-id.ts";
import { logRequests } from "../../platform/http/requests/request-log.ts";
import { traceRequests } from "../../platform/http/requests/request-spans.ts";
import { MAX_BODY_BYTES, unsupportedMediaType } from "../../platform/http/responses/error-response.ts";
import { setHeaders } from "../../platform/http/responses/header-list.ts";
import type { HeaderList } from "../../platform/http/responses/header-list.ts";
import type { AppFiles } from "../console/app-files.ts";
import { addPageRoutes } from "../console/page-routes.ts";
import { createRunOperation } from "../../platform/http/run-operation.ts";
import { createBrowserCookies } from "../../platform/http/requests/session-cookie.ts";
import type { ProviderSignIn } from "../../identity/providers/provider-sign-in.ts";
import type { WorkloadIdentity } from "../../identity/workload/exchange/workload-identity.ts";
import type { OAuth } from "../../identity/oauth-server/oauth.ts";
import type { SignIn } from "../../identity/sign-in/sign-in-methods.ts";
import type { RunEffect } from "../../platform/http/route.ts";
import { createResponseCache } from "../../platform/http/responses/response-cache.ts";
import { createErrorSender } from "../../platform/http/responses/send-error.ts";
import type { SendError } from "../../platform/http/responses/send-error.ts";
import { createStreams } from "../../platform/http/responses/streamed-response.ts";

export interface ServerOptions {
  readonly runner: OperationRunner;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
  /** Requests a minute of one principal; 0: no limit. */
  readonly rateLimit: number;
  readonly disk: DiskReserve;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  readonly publicUrl: string;
  /** Origins whose pages may call the API with a credential in a header. */
  readonly corsOrigins: readonly string[];
  /** Version of this program and of the API document. */
  readonly version: string;
  /** CIDRs of proxies whose `X-Forwarded-For` is trusted; null: none is. */
  readonly trustedProxies: readonly string[] | null;
  readonly instance: Instance;
  readonly runEffect: RunEffect;
  /** Maximum time between two writes of a live stream. */
  readonly heartbeatMs: number;
  /** The health checks that fail at the moment. Rejects with `shutting_down` when the process is about to stop. */
  findFailedChecks(): Promise<readonly FailedCheck[]>;
  readonly mailLinks: MailLinks;
  readonly signIn: SignIn;
  readonly providers: ProviderSignIn;
  readonly oauth: OAuth;
  readonly identity: WorkloadIdentity;
  /** The console's app; null: it is left out. */
  readonly appFiles: AppFiles | null;
  readonly documentation: Documentation | null;
}

const MAX_PATH_SEGMENT = 256;
/** After it is told to stop, a server accepts requests on its open connections for this long. */
export const DRAIN_MS = 1_000;
/** Paths of a team's firewall: an existing client learns from the error code that there is none. */
const TEAM_FIREWALL = /^(?:\/v1)?\/security\/firewall\/team-config(?![^/?])/;
/** Paths of variables that several projects share. */
const SHARED_VARIABLES = /^\/v1\/env(?:\/(?!pull(?![^/?]))|(?![^?]))/;

/** The headers of every response. The request id is the client's own, if it sent one. No browser guesses another type than the given one. */
function commonHeaders({ id, headers }: FastifyRequest): HeaderList {
  // A response is for its caller alone and may show a secret, so no cache on the way may store it. RFC 9111, section 5.2.2.5
  const requestId = clientRequestIdOf(headers) ?? id;
  return ["x-request-id", requestId, "cache-control", "no-store", "x-content-type-options", "nosniff"];
}

type FindPath = ReturnType<typeof createPathFinder>;

function unknownPath({ method, url }: Pick<FastifyRequest, "method" | "url">, findPath: FindPath): ApiError {
  if (TEAM_FIREWALL.test(url)) {
    return new ApiError("plan_not_supported", "Firewalls are kept for projects: there is none for a whole team");
  }
  if (SHARED_VARIABLES.test(url)) {
    const instead = "let variables of several projects refer to one secret, by the type secret";
    return new ApiError("not_found", `There are no shared variables: ${instead}`);
  }
  const meant = findPath(method, url);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new ApiError("not_found", `There is no such path${hint || "; GET /openapi.json lists those that there are"}`);
}

/** The framework on a Node server with limited connections, without routes. */
function createApp(
  { logger, maxConnections, trustedProxies, publicUrl }: ServerOptions,
  admission: Admission,
  sendError: SendError,
): { readonly app: FastifyInstance; readonly connections: ConnectionsOfServer } {
  let connections!: ConnectionsOfServer;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT, querystringParser: () => ({}) },
    serverFactory(handle) {
      const node = createNodeServer(handle, { admission, maxConnections, trustedProxies, publicUrl });
      ({ connections } = node);
      return node.server;
    },
    clientErrorHandler: (error, socket) => respondToClientError(error, socket as never, { publicUrl, logger }),
    trustProxy: trustedProxies ? [...trustedProxies] : false,
    forceCloseConnections: "idle",
    // Requests that arrive while the server stops are served: the store is closed after the last response.
    return503OnClosing: false,
    genReqId: () => newId("request"),
    // Log lines name the request themselves. A child logger would cost every request time.
    childLoggerFactory: (childLogger) => childLogger,
    // Called before a route is chosen, and so before any hook.
    frameworkErrors(error, request, reply) {
      admission.enter(reply.raw as never);
      setHeaders(reply, commonHeaders(request as never));
      sendError(error, request as never, reply as never);
    },
  });
  return { app, connections };
}

/** Sets the common headers, and refuses ambiguous heads and unknown paths before the body is read: they need no credential. */
function checkHeads(app: FastifyInstance, admission: Admission, findPath: FindPath): void {
  app.addHook("onRequest", (request, reply, done) => {
    request.response = reply.raw;
    setHeaders(reply, commonHeaders(request));
    const refusal = findHeadProblem(request.raw) ?? (request.is404 ? unknownPath(request, findPath) : undefined);
    if (refusal) admission.enter(reply.raw);
    done(refusal);
  });
}

function parseBodies(app: FastifyInstance, createParser: CreateBodyParser): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "*",
    createParser((bytes, { headers, routeOptions }) => {
      const type = headers["content-type"] ?? "";
      if (bytes.length > 0 && !isJsonType(type)) throw unsupportedMediaType(type);
      return parseJsonBody(bytes, routeOptions.config.maxBodyValues);
    }),
  );
}

/** Builds the server; it does not listen yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { metrics, operations } = options;
  const sendError = createErrorSender(options);
  const admission = createAdmission(options);
  const limiter = createRateLimiter(options.rateLimit);
  const streams = createStreams(options);
  const cookies = createBrowserCookies(options.publicUrl);
  const { app, connections } = createApp(options, admission, sendError);
  // From this hook on, the framework closes each connection with its next response.
  app.addHook("preClose", async () => {
    streams.stop();
    await connections.drain(DRAIN_MS);
  });
  if (options.tracing) traceRequests(app, options.tracing);
  // Before anything that takes time: while a body is waited for, the connection counts for its client.
  if (options.trustedProxies) {
    app.addHook("onRequest", ({ raw, ip }, _reply, done) => {
      connections.assign(raw, ip);
      done();
    });
  }
  const paths = [...operations.values()].map(({ endpoint: { method, path } }) => ({
    method,
    path: templatePath(path),
  }));
  const findPath = createPathFinder([...paths, ...PUBLIC_ENDPOINTS]);
  checkHeads(app, admission, findPath);
  // Declared beforehand so that every request object keeps one shape.
  app.decorateRequest("span", null);
  app.decorateRequest("response", null as never);
  app.decorateRequest("weighBody", null);
  app.decorateRequest("caller", null as never);
  app.decorateRequest("credential", null as never);
  logRequests(app, options.logger);
  const createParser = createBodyReader({ ...admission, recordReceived: connections.recordReceived });
  parseBodies(app, createParser);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw unknownPath(request, findPath);
  });
  metrics.gauge("openStreams", streams.count);
  addRoutes(app, {
    ...options,
    streams,
    admission,
    responseCache: createResponseCache(options.runner),
    slowClients: limitSlowClients(admission.note),
    limiter,
    cookies,
  });
  addPageRoutes(app, {
    ...options,
    admission,
    limiter,
    cookies,
    sendError,
    createParser,
    runOperation: createRunOperation(options),
  });
  addIdentityRoutes(app, { ...options, admission, limiter, sendError, createParser });
  addOAuthRoutes(app, { ...options, admission, limiter, sendError });
  addPublicRoutes(app, {
    admission,
    createParser,
    limiter,
    clock: options.clock,
    findFailedChecks: options.findFailedChecks,
    mailLinks: options.mailLinks,
    endpoints: [...operations.values()],
    version: options.version,
    publicUrl: options.publicUrl,
    metrics: createMetricsPage(metrics),
    documentation: options.documentation,
  });
  return app;
}
