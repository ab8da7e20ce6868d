// The one place where what was thrown becomes an answer, a line in the log, and a count of the refusals that protect the
// service.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ErrorCode } from "../../kernel/errors.ts";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import type { CounterSeries, Metrics } from "../../kernel/telemetry/metrics.ts";
import { throttle } from "../../kernel/telemetry/throttle.ts";
import { storeFailureReason } from "../../store/failure.ts";
import { renderError, toApiError } from "./error-response.ts";
import { requestAttributes } from "../requests/request-log.ts";

/** Not told for each request: somebody else has told the log. */
const QUIET: ReadonlySet<ErrorCode> = new Set(["shutting_down", "not_ready", "storage_full", "overloaded"]);
/** What fails all requests at once is told once a minute: a line for each would add to what is wrong. */
const ALIKE = ["store_unavailable", "store_busy", "master_key_missing"] as const satisfies readonly ErrorCode[];
/** Refusals that protect the service; each is counted. */
const PROTECTIONS = [
  "too_many_requests",
  "too_many_streams",
  "overloaded",
  "shutting_down",
] as const satisfies readonly ErrorCode[];

export interface ErrorSurroundings {
  readonly metrics: Metrics;
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
}

export type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

export function createErrorAnswers({ metrics, publicUrl }: ErrorSurroundings): AnswerError {
  const protections = new Map<ErrorCode, CounterSeries>(
    PROTECTIONS.map((code) => [code, metrics.counter("requestsRefused", { code })]),
  );
  const docsUrl = `${publicUrl}/docs`;
  const alike = new Map<ErrorCode, (tell: (count: number) => void) => void>(
    ALIKE.map((code) => [code, throttle<(count: number) => void>(MINUTE_MS, (tell, count) => tell(count))]),
  );

  function logFailure(error: unknown, request: FastifyRequest, code: ErrorCode): void {
    // The background work tells that there are too few connections, whoever is refused for it.
    if (QUIET.has(code) || storeFailureReason(error) === "too_few_connections") return;
    const tell = (count?: number) =>
      request.log.error({ err: error, ...requestAttributes(request), code, ...(count && { count }) }, "request failed");
    const tellAlike = alike.get(code);
    if (tellAlike) tellAlike(tell);
    else tell();
  }

  return function answerError(error, request, reply) {
    const refusal = toApiError(error, request.id);
    protections.get(refusal.code)?.inc();
    if (refusal.status >= 500) logFailure(error, request, refusal.code);
    if (refusal.hint !== null) request.log.warn({ ...requestAttributes(request), code: refusal.code }, refusal.hint);
    // Where the change may have been made, a client that sends it again by itself might make it twice.
    if (refusal.status === 503 && refusal.code !== "outcome_unknown") reply.header("retry-after", 1);
    if (typeof refusal.details["retryAfter"] === "number") reply.header("retry-after", refusal.details["retryAfter"]);
    // RFC 9110, section 15.5.16
    if (refusal.details["field"] === "Content-Encoding") reply.header("accept-encoding", "identity");
    else if (refusal.status === 415) reply.header("accept", "application/json");
    if (refusal.code === "revision_mismatch") reply.header("etag", String(refusal.details["etag"]));
    const { status, contentType, body } = renderError(refusal, {
      requestId: request.id,
      accept: request.headers.accept,
      docsUrl,
    });
    void reply.code(status).header("content-type", contentType).send(body);
  };
}
