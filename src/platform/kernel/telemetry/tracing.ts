// The tracing interface for the code that creates spans. serve/observability/tracing.ts implements it when tracing is on.

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The span of one request or one delivery attempt. */
export interface Span {
  readonly traceId: string;
  /** The header to send with outgoing requests. https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent: string;
  /** A child span that has ended. Times are ms since 1970, as of `epochNow`. */
  child(name: string, startedAt: number, endedAt: number): void;
  /** Called once. `failure` is the error type in one word. */
  end(attributes: SpanAttributes, failure: string | null): void;
}

export interface Tracing {
  /** Starts the span of an incoming request; `traceparent` is its client's header. */
  serve(name: string, traceparent: string | undefined, requestId: string, attributes: SpanAttributes): Span;
  /** Starts the span of an outgoing request that an earlier request caused. */
  attempt(name: string, requestId: string | null, attributes: SpanAttributes): Span;
  /** Sends the remaining spans, within two seconds. */
  stop(): Promise<void>;
}

/** The time in ms since 1970, with a higher resolution than `Date.now`. */
export function epochNow(): number {
  return performance.timeOrigin + performance.now();
}
