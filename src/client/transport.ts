// Sends requests: with a time limit, and again where that is safe. Follows no redirect: the credential is for one server alone.
import { ReeveError, errorOf } from "./error.ts";

const FIRST_DELAY_MS = 250;
/** A server that asks for a longer pause is not waited for. */
const MAX_DELAY_MS = 30_000;

/** How one call is carried out. */
export interface CallOptions {
  /** Ends the call, whose promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For each try, up to the end of its response (of a stream: up to its beginning); 30 seconds by default. */
  readonly timeoutMs?: number;
  /** Tries after the first one; 3 by default. */
  readonly retries?: number;
  /** Of a POST; every call gets one of its own, which makes it safe to send again. */
  readonly idempotencyKey?: string;
}

/** A request as it is sent. */
export interface Outgoing {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | URLSearchParams | undefined;
  /** Sending it twice does what sending it once does. */
  readonly isRepeatable: boolean;
  /** The body is read while it is sent: the time limit ends with the headers. */
  readonly isStream: boolean;
  readonly onAttempt: ((attempt: Attempt) => void) | undefined;
}

export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** One try of a call, after it has ended. */
export interface Attempt {
  readonly method: string;
  readonly url: URL;
  /** 1 for the first try. */
  readonly number: number;
  /** HTTP status; 0: there was no response. */
  readonly status: number;
  /** Of the server's log; empty: there was no response. */
  readonly requestId: string;
  /** Up to the end of the response; of a stream, up to its beginning. */
  readonly durationMs: number;
}

/** Whether the server has surely done nothing, so that anything may be sent again. */
function isUntouched({ status, code }: ReeveError): boolean {
  return status === 425 || status === 429 || (status === 503 && code !== "outcome_unknown" && code !== "not_json");
}

const AGAIN: readonly number[] = [408, 425, 429, 502, 503, 504];

/** Whether a later try may go better. */
export function isTransient({ code, status }: ReeveError): boolean {
  return code === "unreachable" || code === "timeout" || AGAIN.includes(status);
}

/** Exponential, with jitter over its whole length: clients that failed together do not come back together. */
function delayOf(retry: number, { retryAfterMs }: ReeveError): number {
  return Math.max(retryAfterMs ?? 0, Math.random() * FIRST_DELAY_MS * 2 ** retry);
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function locationOf({ headers }: Response): string {
  const location = headers.get("location");
  return location === null ? "" : ` to ${location}`;
}

/** One try. The response's body is complete, unless it is a stream. */
async function sendOnce(fetch: Fetch, outgoing: Outgoing): Promise<Response> {
  const { method, url, headers, body, signal, timeoutMs, isStream } = outgoing;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  let response: Response;
  try {
    const signals = signal ? [signal, limit.signal] : [limit.signal];
    response = await fetch(url, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.any(signals),
      ...(body === undefined ? {} : { body }),
    });
    if (!isStream || !response.ok) {
      const { status, headers: received } = response;
      const bytes = await response.arrayBuffer();
      const isRedirect = response.type === "opaqueredirect";
      if (!isRedirect) {
        response = new Response(bytes.byteLength > 0 ? bytes : null, { status, headers: received });
      }
    }
  } catch (cause) {
    signal?.throwIfAborted();
    const facts = limit.signal.aborted
      ? { code: "timeout", cause, message: `${url.origin} does not answer within ${timeoutMs} ms` }
      : { code: "unreachable", cause, message: `${url.origin} cannot be reached` };
    throw new ReeveError(facts.message, facts);
  } finally {
    clearTimeout(timer);
  }
  const { status, type } = response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)) {
    const problem = `${url.origin} answers with a redirect${locationOf(response)}`;
    throw new ReeveError(problem, { status, code: "redirected" });
  }
  return response;
}

/** Sends a request, again where that is safe and may help. The last response is returned whatever its status is. */
export async function send(fetch: Fetch, outgoing: Outgoing): Promise<Response> {
  const { signal, retries, isRepeatable, method, url, onAttempt } = outgoing;
  for (let retry = 0; ; retry++) {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const tell = (status: number, requestId: string) =>
      onAttempt?.({ method, url, number: retry + 1, status, requestId, durationMs: performance.now() - startedAt });
    let failed: ReeveError;
    let response: Response | null = null;
    try {
      response = await sendOnce(fetch, outgoing);
      tell(response.status, response.headers.get("x-request-id") ?? "");
      if (!AGAIN.includes(response.status)) return response;
      failed = await errorOf(response.clone());
    } catch (error) {
      if (response !== null || !(error instanceof ReeveError)) throw error;
      failed = error;
      tell(failed.status, "");
    }
    const delayMs = delayOf(retry, failed);
    if (retry < retries && (isUntouched(failed) || (isRepeatable && isTransient(failed))) && delayMs <= MAX_DELAY_MS) {
      await pause(delayMs, signal);
      continue;
    }
    if (response === null) throw failed;
    return response;
  }
}
