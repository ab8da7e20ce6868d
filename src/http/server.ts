// The HTTP server: limits, time-outs, authentication and rate limits before a body is read, one route per path of
// every endpoint, and one place where errors become answers.
import Fastify, { LogController } from "fastify";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from "fastify";
import type { Operation } from "../kernel/catalogue.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Instance, Method } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { Metrics } from "../kernel/metrics.ts";
import type { Tracing } from "../kernel/tracing.ts";
import { createAdmission } from "./admission.ts";
import type { Admission } from "./admission.ts";
import type { Backend, Trouble } from "./backend.ts";
import { answerClientError, renderRaw } from "./client-error.ts";
import { limitConnections } from "./connections.ts";
import { createErrorAnswers, requestFacts } from "./error-answers.ts";
import { MAX_BODY_BYTES, unsupportedMediaType } from "./error-response.ts";
import { createGates } from "./gate.ts";
import { isJsonType, parseJsonBody } from "./json-body.ts";
import { createKeptAnswers } from "./kept-answers.ts";
import { createLargeAnswers } from "./large-answers.ts";
import { addPublicRoutes } from "./public-routes.ts";
import { createMetricsPage } from "./metrics-page.ts";
import { OperationMetrics } from "./request-metrics.ts";
import { traceRequests } from "./request-spans.ts";
import { createHandler } from "./route.ts";
import { createStreams } from "./streams.ts";
import type { Streams } from "./streams.ts";

export interface ServerOptions {
  readonly backend: Backend;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Null: nothing is traced. */
  readonly tracing: Tracing | null;
  /** Requests a minute per credential; 0 = off. */
  readonly rateLimit: number;
  /** Connections at a time. */
  readonly maxConnections: number;
  readonly publicUrl: string;
  /** Of this program, which is that of the API's description. */
  readonly version: string;
  /** CIDRs of proxies whose `X-Forwarded-For` is believed; null: nobody's is. */
  readonly trustedProxies: readonly string[] | null;
  readonly instance: Instance;
  /** Makes the result of what a verb of this operation deferred. */
  complete(operation: string, deferred: unknown): Promise<unknown>;
  /** How long a live stream is silent at most. */
  readonly heartbeatMs: number;
  /** What keeps requests from being served at the moment, and what else is wrong. */
  findTroubles(): Promise<readonly Trouble[]>;
}

const MAX_PATH_SEGMENT = 256;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for requests that are late; every 30 s by itself. */
const TIMEOUT_CHECK_MS = 1_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Paths of a firewall for a whole team: today's client tells by the code that there is none. */
const TEAM_FIREWALL = /^(?:\/v1)?\/security\/firewall\/team-config(?![^/?])/;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** What every answer says. */
function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("x-request-id", request.id);
  // An answer is its caller's own and may show a secret: nothing on the way keeps it. RFC 9111, section 5.2.2.5
  reply.header("cache-control", "no-store");
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

/** Counts each answer of a route. */
function countAnswers(metrics: OperationMetrics): onResponseHookHandler {
  return (_request, reply, done) => {
    metrics.count(reply.statusCode, reply.elapsedTime);
    done();
  };
}

interface RouteParts {
  readonly streams: Streams;
  readonly admission: Admission;
}

function addRoutes(app: FastifyInstance, options: ServerOptions, { streams, admission }: RouteParts): void {
  const { metrics } = options;
  const gateOf = createGates({ ...options, admission });
  const context = {
    ...options,
    runningKeys: new Set<string>(),
    streams,
    admission,
    answers: createKeptAnswers(options.backend),
    largeAnswers: createLargeAnswers(admission.note),
  };
  const handlers = new Map(
    [...options.operations.values()].map(({ id, endpoint }) => [id, createHandler(id, endpoint, context)]),
  );
  const counts = new Map(
    [...options.operations.keys()].map((id) => [id, countAnswers(new OperationMetrics(metrics, id))]),
  );
  const countUnmatched = countAnswers(new OperationMetrics(metrics, "unmatched"));
  for (const [url, methods] of routeTable(options.operations)) {
    for (const [method, { id, endpoint }] of methods) {
      app.route({
        method,
        url,
        config: { operation: id, maxBodyValues: endpoint.maxBodyValues },
        onRequest: gateOf(endpoint),
        onResponse: counts.get(id) as onResponseHookHandler,
        handler: handlers.get(id) as ReturnType<typeof createHandler>,
      });
    }
    const allowed = [...methods.keys()].join(", ");
    app.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      onRequest: async (_request, reply) => {
        reply.header("allow", allowed);
        throw new ApiError("method_unknown", `This path knows ${allowed}`, { allowed: [...methods.keys()] });
      },
      onResponse: countUnmatched,
      handler: () => undefined,
    });
  }
}

/** Builds the server; it does not listen yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { metrics } = options;
  const answerError = createErrorAnswers(options);
  const admission = createAdmission(options);
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT, querystringParser: () => ({}) },
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    clientErrorHandler: answerClientError,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionTimeout: REQUEST_TIMEOUT_MS * 2,
    trustProxy: options.trustedProxies ? [...options.trustedProxies] : false,
    forceCloseConnections: "idle",
    // Refused below, in the envelope that every refusal has.
    return503OnClosing: false,
    genReqId: (request) => {
      const given = request.headers["x-request-id"];
      return typeof given === "string" && REQUEST_ID.test(given) ? given : newId("request");
    },
    // Log lines name the request themselves; a logger per request would cost every request one.
    childLoggerFactory: (logger) => logger,
    // Before any route is chosen, and so before any hook.
    frameworkErrors(error, request, reply) {
      admission.enter(reply.raw as never);
      markAnswer(request as never, reply as never);
      answerError(error, request as never, reply as never);
    },
  });
  const streams = createStreams(options);
  let isStopping = false;
  app.addHook("preClose", (done) => {
    isStopping = true;
    streams.stop();
    done();
  });
  if (options.tracing) traceRequests(app, options.tracing);
  app.addHook("onRequest", (request, reply, done) => {
    markAnswer(request, reply);
    // Those of endpoints pass the gate.
    if (request.routeOptions.config.operation === undefined) admission.enter(reply.raw);
    if (isStopping) return done(new ApiError("shutting_down", "This process is stopping; try again"));
    // Before its body is read: nobody had to show a credential.
    done(request.is404 ? unknownPath(request.url) : undefined);
  });
  // Declared beforehand so that every request object keeps one shape.
  app.decorateRequest("span", null);
  app.decorateRequest("caller", null as never);
  app.decorateRequest("credential", null as never);
  if (options.logger.level === "debug" || options.logger.level === "trace") {
    app.addHook("onResponse", (request, reply, done) => {
      const { statusCode: status, elapsedTime } = reply;
      const durationMs = Math.round(elapsedTime * 1000) / 1000;
      request.log.debug({ ...requestFacts(request), status, durationMs }, "request");
      done();
    });
  }
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes: Buffer, done) => {
    try {
      if (bytes.length > 0 && !isJsonType(request.headers["content-type"] ?? "")) {
        throw unsupportedMediaType();
      }
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
  limitConnections(app.server, { ...admission, max: options.maxConnections, refusal: refuseConnection });
  addRoutes(app, options, { streams, admission });
  addPublicRoutes(app, {
    findTroubles: options.findTroubles,
    endpoints: [...options.operations.values()],
    version: options.version,
    metrics: createMetricsPage(metrics),
  });
  return app;
}
