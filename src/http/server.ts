// The HTTP server: limits, time-outs, authentication and rate limits before a body is read, one route per path of
// every endpoint, and one place where errors become answers.
import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import Fastify, { LogController } from "fastify";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, onResponseHookHandler } from "fastify";
import type { Operation } from "../kernel/operation-registry.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Instance, Method } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import type { Tracing } from "../kernel/telemetry/tracing.ts";
import { createAdmission } from "./limits/admission.ts";
import type { Admission } from "./limits/admission.ts";
import type { OperationRunner, FailedCheck } from "../operations/operation-runner.ts";
import { answerClientError, renderRaw } from "./client-error.ts";
import { limitConnections, limitSlowClients } from "./limits/connection-limits.ts";
import type { ConnectionsOfServer, SlowClientLimits } from "./limits/connection-limits.ts";
import { createErrorAnswers } from "./responses/send-error.ts";
import { MAX_BODY_BYTES, unsupportedMediaType } from "./responses/error-response.ts";
import { createRequestGuards } from "./requests/request-guards.ts";
import { setHeaders } from "./responses/header-list.ts";
import type { HeaderList } from "./responses/header-list.ts";
import { isJsonType, parseJsonBody } from "../operations/json-body.ts";
import { createResponseCache } from "./responses/response-cache.ts";
import type { ResponseCache } from "./responses/response-cache.ts";
import { addPublicRoutes } from "./public-routes.ts";
import type { MailLinks } from "./mail-page.ts";
import { createMetricsPage } from "./metrics-page.ts";
import { answerExpectations, endUnframed, findHeadProblem, originForm } from "./requests/request-head.ts";
import { clientRequestIdOf } from "./requests/request-id.ts";
import { logRequests } from "./requests/request-log.ts";
import { traceRequests } from "./requests/request-spans.ts";
import { createRateLimiter } from "./limits/rate-limit.ts";
import type { RateLimiter } from "./limits/rate-limit.ts";
import { createHandler } from "./route.ts";
import { createStreams } from "./responses/streamed-response.ts";
import type { Streams } from "./responses/streamed-response.ts";

export interface ServerOptions {
  readonly runner: OperationRunner;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Null: nothing is traced. */
  readonly tracing: Tracing | null;
  /** Requests a minute of a principal; 0 = off. */
  readonly rateLimit: number;
  /** Connections at a time. */
  readonly maxConnections: number;
  readonly publicUrl: string;
  /** Of this program, which is that of the API's description. */
  readonly version: string;
  /** CIDRs of proxies whose `X-Forwarded-For` is believed; null: nobody's is. */
  readonly trustedProxies: readonly string[] | null;
  readonly instance: Instance;
  /** Makes the result of what a verb of this operation deferred; `signal`: the client has gone. */
  runEffect(operation: string, effect: unknown, signal: AbortSignal): Promise<unknown>;
  /** How long a live stream is silent at most. */
  readonly heartbeatMs: number;
  /** What keeps requests from being served at the moment, and what else is wrong. */
  findFailedChecks(): Promise<readonly FailedCheck[]>;
  readonly mailLinks: MailLinks;
}

const MAX_PATH_SEGMENT = 256;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for requests that are late; every 30 s by itself. */
const TIMEOUT_CHECK_MS = 1_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** For so long after it was told to stop a server listens on the connections that it has. */
export const DRAIN_MS = 1_000;
const SILENCE_TIMEOUT_MS = 60_000;
const NODE_SERVER_OPTIONS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  // Refused with the rest of what is wrong with a head: Node's own answer says neither why nor that nobody may keep it.
  requireHostHeader: false,
};
/** Paths of a firewall for a whole team: today's client tells by the code that there is none. */
const TEAM_FIREWALL = /^(?:\/v1)?\/security\/firewall\/team-config(?![^/?])/;

/** What every answer says: the request's id as its client knows it, else ours. */
function markOf({ id, headers }: FastifyRequest): HeaderList {
  // An answer is its caller's own and may show a secret: nothing on the way keeps it. RFC 9111, section 5.2.2.5
  return ["x-request-id", clientRequestIdOf(headers) ?? id, "cache-control", "no-store"];
}

function refuseConnection(): string {
  return renderRaw(new ApiError("overloaded", "There are as many connections as there may be; try again", {}));
}

function unknownPath(url: string): ApiError {
  return TEAM_FIREWALL.test(url)
    ? new ApiError("plan_not_supported", "Firewalls are kept for projects: there is none for a whole team")
    : new ApiError("not_found", "There is no such path; GET /openapi.json lists those that there are");
}

/** Every path of the operations with the methods that it knows. */
function routeTable(operations: ReadonlyMap<string, Operation>): Map<string, Map<Method, Operation>> {
  const table = new Map<string, Map<Method, Operation>>();
  for (const operation of operations.values()) {
    const { path, aliases = [], method } = operation.endpoint;
    for (const url of [path, ...aliases]) {
      const methods = table.get(url) ?? new Map<Method, Operation>();
      const other = methods.get(method);
      if (other) throw new Error(`${method} ${url} is declared by ${other.id} and ${operation.id}`);
      table.set(url, methods.set(method, operation));
    }
  }
  return table;
}

/** Measures the responses of an operation. */
function measureResponses(metrics: Metrics, operation: string): onResponseHookHandler {
  const durations = metrics.histograms("requestDuration");
  return (_request, { statusCode, elapsedTime }, done) => {
    durations.observe({ operation, status: statusCode }, elapsedTime / 1_000);
    done();
  };
}

interface RouteParts {
  readonly streams: Streams;
  readonly admission: Admission;
  readonly answers: ResponseCache | null;
  readonly slowClients: SlowClientLimits;
  readonly limiter: RateLimiter | null;
}

function addRoutes(app: FastifyInstance, options: ServerOptions, parts: RouteParts): void {
  const { metrics } = options;
  const gateOf = createRequestGuards({ ...options, ...parts });
  const context = { ...options, ...parts, runningKeys: new Set<string>() };
  const handlers = new Map(
    [...options.operations.values()].map(({ id, endpoint }) => [id, createHandler(id, endpoint, context)]),
  );
  const measureUnmatched = measureResponses(metrics, "unmatched");
  for (const [url, methods] of routeTable(options.operations)) {
    for (const [method, { id, endpoint }] of methods) {
      app.route({
        method,
        url,
        config: { operation: id, maxBodyValues: endpoint.maxBodyValues },
        onRequest: gateOf(endpoint),
        onResponse: measureResponses(metrics, id),
        handler: handlers.get(id) as ReturnType<typeof createHandler>,
      });
    }
    const allowed = [...methods.keys()].join(", ");
    app.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      onRequest: async (_request, reply) => {
        parts.admission.enter(reply.raw);
        reply.header("allow", allowed);
        throw new ApiError("method_unknown", `This path knows ${allowed}`, { allowed: [...methods.keys()] });
      },
      onResponse: measureUnmatched,
      handler: () => undefined,
    });
  }
}

/** Builds the server; it does not listen yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { metrics } = options;
  const answerError = createErrorAnswers(options);
  const admission = createAdmission(options);
  const answers = createResponseCache(options.runner);
  const slowClients = limitSlowClients(admission.note);
  const limiter = createRateLimiter(options.rateLimit);
  let connections!: ConnectionsOfServer;
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT, querystringParser: () => ({}) },
    serverFactory(handle) {
      function receive(request: IncomingMessage, answer: ServerResponse): void {
        request.url = originForm(request.url as string);
        endUnframed(request, answer);
        if (connections.enter(request, answer)) handle(request, answer);
      }
      const server = createHttpServer(NODE_SERVER_OPTIONS, receive).setTimeout(SILENCE_TIMEOUT_MS);
      answerExpectations(server, receive);
      const limits = { ...admission, max: options.maxConnections, refusal: refuseConnection };
      connections = limitConnections(server, limits);
      return server;
    },
    clientErrorHandler: answerClientError,
    trustProxy: options.trustedProxies ? [...options.trustedProxies] : false,
    forceCloseConnections: "idle",
    // What still arrives is served: the store is closed after the last answer.
    return503OnClosing: false,
    genReqId: () => newId("request"),
    // Log lines name the request themselves; a logger per request would cost every request one.
    childLoggerFactory: (logger) => logger,
    // Before any route is chosen, and so before any hook.
    frameworkErrors(error, request, reply) {
      admission.enter(reply.raw as never);
      setHeaders(reply, markOf(request as never));
      answerError(error, request as never, reply as never);
    },
  });
  const streams = createStreams(options);
  let isStopping = false;
  // From now on the framework ends each connection with the next answer on it.
  app.addHook("preClose", async () => {
    isStopping = true;
    streams.stop();
    await connections.drain(DRAIN_MS);
  });
  if (options.tracing) traceRequests(app, options.tracing);
  app.addHook("onRequest", (request, reply, done) => {
    setHeaders(reply, markOf(request));
    // Before its body is read: nobody had to show a credential.
    const refusal = findHeadProblem(request.raw) ?? (request.is404 ? unknownPath(request.url) : undefined);
    if (refusal) admission.enter(reply.raw);
    done(refusal);
  });
  // Declared beforehand so that every request object keeps one shape.
  app.decorateRequest("span", null);
  app.decorateRequest("caller", null as never);
  app.decorateRequest("credential", null as never);
  logRequests(app, options.logger);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes: Buffer, done) => {
    try {
      const type = request.headers["content-type"] ?? "";
      if (bytes.length > 0 && !isJsonType(type)) throw unsupportedMediaType(type);
      done(null, parseJsonBody(bytes, request.routeOptions.config.maxBodyValues));
    } catch (error) {
      done(error as Error);
    }
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(({ url }) => {
    throw unknownPath(url);
  });
  metrics.gauge("openStreams", streams.count);
  addRoutes(app, options, { streams, admission, answers, slowClients, limiter });
  addPublicRoutes(app, {
    admission,
    limiter,
    clock: options.clock,
    async findFailedChecks() {
      if (isStopping) throw new ApiError("shutting_down", "This process is stopping; try again");
      return await options.findFailedChecks();
    },
    mailLinks: options.mailLinks,
    endpoints: [...options.operations.values()],
    version: options.version,
    metrics: createMetricsPage(metrics),
  });
  return app;
}
