// The routes of all endpoints: one for each path and method, and one for each path that answers OPTIONS and refuses its other methods.
import type { FastifyInstance, onRequestHookHandler, onResponseHookHandler } from "fastify";
import type { Method } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Operation } from "../kernel/operation-registry.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import { templatePath } from "../operations/endpoint-details.ts";
import { answerPreflight, shareWith } from "./requests/cross-origin.ts";
import { createRequestGuards } from "./requests/request-guards.ts";
import type { GuardOptions } from "./requests/request-guards.ts";
import { afterBody } from "./responses/after-body.ts";
import { createHandler } from "./route.ts";
import type { RouteContext } from "./route.ts";

export interface RouteOptions extends GuardOptions, Omit<RouteContext, "runningKeys"> {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly metrics: Metrics;
  /** Origins whose pages may call the API with a credential in a header. */
  readonly corsOrigins: readonly string[];
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every path of the operations with its methods. */
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

/** A path without its version and the names of its parameters. */
const shapeOf = (path: string) => path.replace(/^\/v\d+(?=\/)/, "").replace(/:\w+/g, ":");

/** The path of each method and shape, of those that other versions of a path have. */
function pathsByShape(operations: ReadonlyMap<string, Operation>): Map<string, string> {
  const paths = [...operations.values()].map(
    ({ endpoint: { method, path } }) => [`${method} ${shapeOf(path)}`, templatePath(path)] as const,
  );
  return new Map(paths.toReversed());
}

/** Measures the responses of an operation. */
function measureResponses(metrics: Metrics, operation: string): onResponseHookHandler {
  const durations = metrics.histograms("requestDuration");
  return (_request, { statusCode, elapsedTime }, done) => {
    durations.observe({ operation, status: statusCode }, elapsedTime / 1_000);
    done();
  };
}

export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { admission, metrics, operations, corsOrigins } = options;
  const guardsOf = createRequestGuards(options);
  const context = { ...options, runningKeys: new Set<string>() };
  const handlers = new Map(
    [...operations.values()].map(({ id, endpoint }) => [id, createHandler(id, endpoint, context)]),
  );
  const measureUnmatched = measureResponses(metrics, "unmatched");
  const share: onRequestHookHandler = (request, reply, done) => {
    shareWith(corsOrigins, request, reply);
    done();
  };
  const elsewhere = pathsByShape(operations);
  const shares = corsOrigins.length === 0 ? [] : [share];
  for (const [url, methods] of routeTable(operations)) {
    for (const [method, { id, endpoint }] of methods) {
      app.route({
        method,
        url,
        config: { operation: id, maxBodyValues: endpoint.maxBodyValues },
        onRequest: [...shares, guardsOf(endpoint)],
        onResponse: measureResponses(metrics, id),
        handler: handlers.get(id) as ReturnType<typeof createHandler>,
      });
    }
    const names = [...methods.keys()];
    const allowed = [...names, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    app.route({
      method: [...METHODS.filter((method) => !methods.has(method)), "OPTIONS"],
      url,
      onRequest(request, reply, done) {
        admission.enter(reply.raw);
        reply.header("allow", allowed);
        if (request.method === "OPTIONS") {
          // RFC 9110, section 9.3.7
          answerPreflight(corsOrigins, allowed, request, reply);
          afterBody(reply, () => void reply.code(204).send());
        } else {
          shareWith(corsOrigins, request, reply);
          const other = elsewhere.get(`${request.method} ${shapeOf(url)}`);
          const hint = other === undefined ? "" : `; ${request.method} is at ${other}`;
          done(new ApiError("method_unknown", `This path knows ${names.join(", ")}${hint}`, { allowed: names }));
        }
      },
      onResponse: measureUnmatched,
      handler: () => undefined,
    });
  }
}
