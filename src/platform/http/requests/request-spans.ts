// The span of a request in traces. It has the route, and nothing from the URL, other headers or the body.
// https://opentelemetry.io/docs/specs/semconv/http/http-spans/
import type { FastifyInstance } from "fastify";
import { epochNow } from "../../kernel/telemetry/tracing.ts";
import type { Span, Tracing } from "../../kernel/telemetry/tracing.ts";
import type { WorkTiming } from "../../store/database.ts";
import { templatePath } from "../../operations/endpoint-details.ts";
import { clientRequestIdOf } from "./request-id.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null where tracing is off. */
    span: Span | null;
  }
}

/** Starts a span with each request. It ends with the response, or when the client disconnects. */
export function traceRequests(app: FastifyInstance, { serve }: Tracing): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { method, id, headers, routeOptions } = request;
    const route = routeOptions.url === undefined ? null : templatePath(routeOptions.url);
    const { traceparent } = headers;
    const clientRequestId = clientRequestIdOf(headers);
    const span = serve(
      route === null ? method : `${method} ${route}`,
      typeof traceparent === "string" ? traceparent : undefined,
      id,
      {
        "http.request.method": method,
        ...(route === null ? {} : { "http.route": route }),
        "reeve.request_id": id,
        ...(clientRequestId === undefined ? {} : { "reeve.client_request_id": clientRequestId }),
      },
    );
    request.span = span;
    reply.raw.once("close", () => {
      const status = reply.statusCode;
      const failure = !reply.raw.writableFinished ? "aborted" : status >= 500 ? String(status) : null;
      span.end({ "http.response.status_code": status }, failure);
    });
    done();
  });
}

/** Adds child spans for the stages of a write. */
export function traceWrite(span: Span | null): ((timing: WorkTiming) => void) | undefined {
  if (!span) return undefined;
  const askedAt = epochNow();
  return ({ waitMs, runMs, commitMs }) => {
    const begunAt = askedAt + waitMs;
    const doneAt = begunAt + runMs;
    span.child("store wait", askedAt, begunAt);
    span.child("store run", begunAt, doneAt);
    span.child("store commit", doneAt, doneAt + commitMs);
  };
}

/** Adds a child span for a read. */
export async function traceRead<T>(span: Span, read: () => Promise<T>): Promise<T> {
  const startedAt = epochNow();
  try {
    return await read();
  } finally {
    span.child("store read", startedAt, epochNow());
  }
}
