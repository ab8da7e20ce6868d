// Traces, as far as those know who have something to tell; observability/tracing.ts makes them, where they are wanted.

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** What one request, or one attempt to deliver, does. */
export interface Span {
  readonly traceId: string;
  /** For whoever is called on the way. https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent: string;
  /** A child span that has ended. Times are ms since 1970, as of `epochNow`. */
  child(name: string, startedAt: number, endedAt: number): void;
  /** Once. `failure` says in a word what went wrong. */
  end(attributes: SpanAttributes, failure: string | null): void;
}

export interface Tracing {
  /** A request that has come; `traceparent` is what its client sent. */
  serve(name: string, traceparent: string | undefined, requestId: string, attributes: SpanAttributes): Span;
  /** A request that is sent because of what an earlier one did. */
  attempt(name: string, requestId: string | null, attributes: SpanAttributes): Span;
  /** Sends what is left, for as long as that takes no more than two seconds. */
  stop(): Promise<void>;
}

/** The time in ms since 1970, finer than `Date.now`. */
export function epochNow(): number {
  return performance.timeOrigin + performance.now();
}
