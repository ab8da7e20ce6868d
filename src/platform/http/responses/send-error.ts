// The error handler: it turns a thrown error into a response, logs failures, and counts the refusals that protect the service.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ErrorCode } from "../../kernel/errors.ts";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import type { CounterSeries, Metrics } from "../../kernel/telemetry/metrics.ts";
import { throttleByCause } from "../../kernel/telemetry/throttle.ts";
import { storeFailureReason } from "../../store/failure.ts";
import { afterBody } from "./after-body.ts";
import { errorDocs, renderError, toApiError } from "./error-response.ts";
import type { RenderError } from "./error-response.ts";
import { requestAttributes } from "../requests/request-log.ts";

/** Codes that are not logged for each request, because other code logs their cause. */
const UNLOGGED: ReadonlySet<ErrorCode> = new Set(["shutting_down", "not_ready", "storage_full", "overloaded"]);
/** Failures of all requests at once are logged once a minute and cause, because a line for each would add to the load. */
const THROTTLED: ReadonlySet<ErrorCode> = new Set(["store_unavailable", "store_busy", "master_key_missing"]);
/** Refusals that protect the service, which are counted. */
const PROTECTIONS = [
  "too_many_requests",
  "too_many_streams",
  "overloaded",
  "shutting_down",
] as const satisfies readonly ErrorCode[];

export interface ErrorSenderOptions {
  readonly metrics: Metrics;
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
}

/** `render` makes the body, for routes whose errors have another form. */
export type SendError = (error: unknown, request: FastifyRequest, reply: FastifyReply, render?: RenderError) => void;

export function createErrorSender({ metrics, publicUrl }: ErrorSenderOptions): SendError {
  const protections = new Map<ErrorCode, CounterSeries>(
    PROTECTIONS.map((code) => [code, metrics.counter("requestsRefused", { code })]),
  );
  const docsUrl = errorDocs(publicUrl);
  const throttled = throttleByCause<(count: number, lastAt: number) => void>(MINUTE_MS, (log, count, lastAt) =>
    log(count, lastAt),
  );

  function logFailure(error: unknown, request: FastifyRequest, code: ErrorCode): void {
    // The background work logs that there are too few connections.
    if (UNLOGGED.has(code) || storeFailureReason(error) === "too_few_connections") return;
    const log = (count?: number, lastAt?: number) =>
      request.log.error(
        { err: error, ...requestAttributes(request), code, ...(count && { count, lastAt }) },
        "request failed",
      );
    if (THROTTLED.has(code)) throttled(`${code} ${(error as Error).message}`, log);
    else log();
  }

  return function sendError(error, request, reply, render = renderError) {
    const refusal = toApiError(error, request.id);
    protections.get(refusal.code)?.inc();
    if (refusal.status >= 500) logFailure(error, request, refusal.code);
    if (refusal.hint !== null) request.log.warn({ ...requestAttributes(request), code: refusal.code }, refusal.hint);
    // After outcome_unknown the change may have been committed, and an automatic retry could repeat it.
    if (refusal.status === 503 && refusal.code !== "outcome_unknown") reply.header("retry-after", 1);
    if (typeof refusal.details["retryAfter"] === "number") reply.header("retry-after", refusal.details["retryAfter"]);
    // RFC 9110, section 15.5.16
    if (refusal.details["field"] === "Content-Encoding") reply.header("accept-encoding", "identity");
    else if (refusal.status === 415) reply.header("accept", "application/json");
    if (refusal.code === "revision_mismatch") reply.header("etag", String(refusal.details["etag"]));
    const { status, contentType, body } = render(refusal, {
      requestId: request.id,
      accept: request.headers.accept,
      docsUrl,
    });
    reply.code(status).header("content-type", contentType);
    afterBody(reply, () => void reply.send(body));
  };
}
