// Traces by OpenTelemetry, sent to the operator's collector; loaded only when one is set. Nothing here is global: a span is
// passed to the code that adds to it. Spans that can't be sent are dropped, and no request waits for them.
import { DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, diag, trace } from "@opentelemetry/api";
import type { Context, Link, SpanContext, Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Sampler, TracerProviderOptions } from "@opentelemetry/sdk-trace";
import type { FastifyBaseLogger } from "fastify";
import { MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Span, SpanAttributes, Tracing } from "../../platform/kernel/telemetry/tracing.ts";
import type { TracingSettings } from "../config/tracing-settings.ts";
import { VERSION } from "../../platform/kernel/version.ts";
import { withTimeout } from "./timeout.ts";

/** Requests that later delivery attempts can be linked to. */
const MAX_REMEMBERED = 10_000;
const STOP_MS = 2 * SECOND_MS;
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/;

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const name = sampler.replace("parentbased_", "");
  const root =
    name === "always_on"
      ? new AlwaysOnSampler()
      : name === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return name === sampler ? root : new ParentBasedSampler({ root });
}

function resourceOf(attributes: Readonly<Record<string, string>>): NonNullable<TracerProviderOptions["resource"]> {
  return {
    attributes,
    merge: (other) => resourceOf({ ...attributes, ...(other?.attributes as typeof attributes | undefined) }),
    getRawAttributes: () => Object.entries(attributes),
  };
}

/** The span of the client's trace; an invalid header counts as absent. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId) && !traceparent?.startsWith("ff");
  if (!isValid) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Logs that spans can't be sent, once a minute at most. */
function logFailures(logger: FastifyBaseLogger): void {
  let loggedAt = -MINUTE_MS;
  const log = (message: string) => {
    const now = performance.now();
    if (now - loggedAt < MINUTE_MS) return;
    loggedAt = now;
    logger.warn({ reason: message.slice(0, 500) }, "traces could not be sent");
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: log, warn: log, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

interface StartedSpan extends Span {
  readonly context: SpanContext;
}

interface SpanOptions {
  readonly kind: SpanKind;
  readonly parent: Context;
  readonly attributes: SpanAttributes;
  readonly links?: Link[];
}

function startSpan(tracer: Tracer, name: string, { kind, parent, attributes, links = [] }: SpanOptions): StartedSpan {
  const span = tracer.startSpan(name, { kind, attributes, links }, parent);
  const context = span.spanContext();
  const inside = trace.setSpan(ROOT_CONTEXT, span);
  const { traceId, spanId, traceFlags } = context;
  return {
    context,
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    child(childName, startedAt, endedAt) {
      if (!span.isRecording()) return;
      tracer.startSpan(childName, { kind: SpanKind.INTERNAL, startTime: startedAt }, inside).end(endedAt);
    },
    end(more, failure) {
      span.setAttributes(more);
      if (failure !== null) {
        span.setAttribute("error.type", failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function openProvider(settings: TracingSettings): TracerProvider {
  return new TracerProvider({
    sampler: samplerOf(settings),
    resource: resourceOf({ "service.version": VERSION, ...settings.resource }),
    // The processor's queue is bounded: spans that do not fit are dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: settings.url }) })],
  });
}

export function startTracing(settings: TracingSettings, logger: FastifyBaseLogger): Tracing {
  logFailures(logger);
  const provider = openProvider(settings);
  const tracer = provider.getTracer("reeve", VERSION);
  const requests = new Map<string, SpanContext>();

  function remember(requestId: string, context: SpanContext): void {
    if (requests.size >= MAX_REMEMBERED) requests.delete(requests.keys().next().value as string);
    requests.set(requestId, context);
  }

  return {
    serve(name, traceparent, requestId, attributes) {
      const span = startSpan(tracer, name, { kind: SpanKind.SERVER, parent: parentOf(traceparent), attributes });
      remember(requestId, span.context);
      return span;
    },
    attempt(name, requestId, attributes) {
      const context = requestId === null ? undefined : requests.get(requestId);
      const links = context ? [{ context }] : [];
      return startSpan(tracer, name, { kind: SpanKind.CLIENT, parent: ROOT_CONTEXT, attributes, links });
    },
    async stop() {
      await withTimeout(provider.shutdown(), STOP_MS).catch(() => undefined);
    },
  };
}
