// One log line for each request: the caller, the operation, the status and the duration. Clients control none of its values, so it has
// the route and never the URL.
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { PUBLIC_ENDPOINTS } from "../public-endpoints.ts";
import type { PublicEndpointId } from "../public-endpoints.ts";
import { clientRequestIdOf } from "./request-id.ts";

/** Monitoring requests these continuously. */
const PROBES: ReadonlySet<PublicEndpointId> = new Set(["getLiveness", "getReadiness", "getMetrics"]);
const PROBE_PATHS: ReadonlySet<string> = new Set(
  PUBLIC_ENDPOINTS.filter(({ id }) => PROBES.has(id)).map(({ path }) => path),
);

/** The attributes of a request in log lines. */
export function requestAttributes({ id, method, headers, routeOptions, caller, span }: FastifyRequest) {
  const clientRequestId = clientRequestIdOf(headers);
  return {
    requestId: id,
    ...(clientRequestId !== undefined && { clientRequestId }),
    ...(span && { traceId: span.traceId }),
    operation: routeOptions.config?.operation ?? "unmatched",
    method,
    ...(caller && { principalId: caller.principalId }),
    ...(caller?.credentialId && { credentialId: caller.credentialId }),
  };
}

/** Logs probes at the level `debug` and all other requests at `info`. It adds no hook where the logger writes neither. */
export function logRequests(app: FastifyInstance, logger: FastifyBaseLogger): void {
  const isDebugging = logger.level === "debug" || logger.level === "trace";
  if (!isDebugging && logger.level !== "info") return;
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? null;
    const isProbe = route !== null && PROBE_PATHS.has(route);
    if (isDebugging || !isProbe) {
      const durationMs = Math.round(reply.elapsedTime * 1000) / 1000;
      const line = { ...requestAttributes(request), route, status: reply.statusCode, durationMs };
      if (isProbe) logger.debug(line, "request");
      else logger.info(line, "request");
    }
    done();
  });
}
