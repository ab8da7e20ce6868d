// The routes of all endpoints: one for each path and method, and one for each path that refuses its other methods.
import type { FastifyInstance, onResponseHookHandler } from "fastify";
import type { Method } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Operation } from "../kernel/operation-registry.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import { createRequestGuards } from "./requests/request-guards.ts";
import type { GuardOptions } from "./requests/request-guards.ts";
import { createHandler } from "./route.ts";
import type { RouteContext } from "./route.ts";

export interface RouteOptions extends GuardOptions, Omit<RouteContext, "runningKeys"> {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly metrics: Metrics;
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

/** Measures the responses of an operation. */
function measureResponses(metrics: Metrics, operation: string): onResponseHookHandler {
  const durations = metrics.histograms("requestDuration");
  return (_request, { statusCode, elapsedTime }, done) => {
    durations.observe({ operation, status: statusCode }, elapsedTime / 1_000);
    done();
  };
}

export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { admission, metrics, operations } = options;
  const guardsOf = createRequestGuards(options);
  const context = { ...options, runningKeys: new Set<string>() };
  const handlers = new Map(
    [...operations.values()].map(({ id, endpoint }) => [id, createHandler(id, endpoint, context)]),
  );
  const measureUnmatched = measureResponses(metrics, "unmatched");
  for (const [url, methods] of routeTable(operations)) {
    for (const [method, { id, endpoint }] of methods) {
      app.route({
        method,
        url,
        config: { operation: id, maxBodyValues: endpoint.maxBodyValues },
        onRequest: guardsOf(endpoint),
        onResponse: measureResponses(metrics, id),
        handler: handlers.get(id) as ReturnType<typeof createHandler>,
      });
    }
    const allowed = [...methods.keys()].join(", ");
    app.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      onRequest: async (_request, reply) => {
        admission.enter(reply.raw);
        reply.header("allow", allowed);
        throw new ApiError("method_unknown", `This path knows ${allowed}`, { allowed: [...methods.keys()] });
      },
      onResponse: measureUnmatched,
      handler: () => undefined,
    });
  }
}
