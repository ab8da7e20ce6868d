// A line of the log for each request: who asked for what, how it ended and how long it took. Nothing in it was chosen freely by
// a client, so it names the route and never the URL.
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { PUBLIC_ENDPOINTS } from "../public-endpoints.ts";
import type { PublicEndpointId } from "../public-endpoints.ts";
import { clientRequestIdOf } from "./request-id.ts";

/** Monitoring asks for these all day long. */
const PROBES: ReadonlySet<PublicEndpointId> = new Set(["getLiveness", "getReadiness", "getMetrics"]);
const PROBE_PATHS: ReadonlySet<string> = new Set(
  PUBLIC_ENDPOINTS.filter(({ id }) => PROBES.has(id)).map(({ path }) => path),
);

/** What lines of the log say of a request. */
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

/** Probes are told at the level `debug`, all others at `info`. Nothing is added where the log tells neither. */
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
