// Traces by OpenTelemetry, sent to the operator's collector. Loaded only when there is one. Nothing here is global: a span
// is handed to whoever has something to add to it. What can't be sent is dropped, and no request waits for it.
import { DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, diag, trace } from "@opentelemetry/api";
import type { Context, Link, SpanContext } from "@opentelemetry/api";
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
import { MINUTE_MS, SECOND_MS } from "../kernel/scheduling/clock.ts";
import type { Span, SpanAttributes, Tracing } from "../kernel/telemetry/tracing.ts";
import type { TracingSettings } from "../config/tracing-settings.ts";
import { VERSION } from "../version.ts";
import { withTimeout } from "./within-time.ts";

/** Requests whose attempts to deliver are linked to them. */
const MOST_REMEMBERED = 10_000;
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

/** Where a client's trace stands; a header that is none counts as absent. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId) && !traceparent?.startsWith("ff");
  if (!isValid) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Tells the log that spans can't be sent, once a minute at most. */
function tellTrouble(logger: FastifyBaseLogger): void {
  let toldAt = -MINUTE_MS;
  const tell = (message: string) => {
    const now = performance.now();
    if (now - toldAt < MINUTE_MS) return;
    toldAt = now;
    logger.warn({ reason: message.slice(0, 500) }, "traces could not be sent");
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

export function startTracing(settings: TracingSettings, logger: FastifyBaseLogger): Tracing {
  tellTrouble(logger);
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    resource: resourceOf({ "service.version": VERSION, ...settings.resource }),
    // Its queue is bounded: what does not fit is dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: settings.url }) })],
  });
  const tracer = provider.getTracer("reeve", VERSION);
  const remembered = new Map<string, SpanContext>();

  function remember(requestId: string, context: SpanContext): void {
    if (remembered.size >= MOST_REMEMBERED) remembered.delete(remembered.keys().next().value as string);
    remembered.set(requestId, context);
  }

  function begin(
    name: string,
    kind: SpanKind,
    parent: Context,
    attributes: SpanAttributes,
    links: Link[],
  ): Span & { readonly context: SpanContext } {
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

  return {
    serve(name, traceparent, requestId, attributes) {
      const span = begin(name, SpanKind.SERVER, parentOf(traceparent), attributes, []);
      remember(requestId, span.context);
      return span;
    },
    attempt(name, requestId, attributes) {
      const context = requestId === null ? undefined : remembered.get(requestId);
      return begin(name, SpanKind.CLIENT, ROOT_CONTEXT, attributes, context ? [{ context }] : []);
    },
    async stop() {
      await withTimeout(provider.shutdown(), STOP_MS).catch(() => undefined);
    },
  };
}
