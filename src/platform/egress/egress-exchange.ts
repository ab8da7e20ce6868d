// One outgoing request and its outcome: the handler that undici calls. Whatever happens, it settles once.
import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { EgressError, explainEgressFailure } from "./egress-error.ts";
import type { EgressFailure } from "./egress-error.ts";

export interface EgressResponse {
  readonly status: number;
  /** Header names are in lower case. The values of a repeated header are joined, and long values are cut. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body as text. U+FFFD replaces invalid UTF-8 and U+0000, which PostgreSQL cannot store. */
  readonly body: string;
  /** The body was longer, or broke off. */
  readonly isTruncated: boolean;
}

/** `durationMs` is real time, from `send` to the outcome. */
export type EgressOutcome = { readonly durationMs: number } & (
  | { readonly response: EgressResponse }
  | { readonly error: EgressFailure }
);

const MAX_BODY_BYTES = 16 * 1_024;
const MAX_HEADERS = 64;
const MAX_HEADER_LENGTH = 1_024;

type ReceivedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

function boundHeaders(received: ReceivedHeaders): Record<string, string> {
  const entries: [string, string][] = [];
  for (const name of Object.keys(received)) {
    if (entries.length === MAX_HEADERS) break;
    const value = received[name] ?? "";
    const text = typeof value === "string" ? value : value.join(", ");
    entries.push([name, text.length > MAX_HEADER_LENGTH ? text.slice(0, MAX_HEADER_LENGTH) : text]);
  }
  return Object.fromEntries(entries);
}

function decode(chunks: readonly Buffer[], length: number, maxBytes: number): string {
  if (length === 0) return "";
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  // The decoder withholds a character that was cut in the middle.
  const text = length > maxBytes ? new StringDecoder().write(bytes.subarray(0, maxBytes)) : bytes.toString();
  return text.replaceAll("\0", "\uFFFD");
}

export interface ExchangeBounds {
  readonly totalTimeoutMs: number;
  readonly maxBodyBytes?: number | undefined;
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #settled: (exchange: Exchange, outcome: EgressOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #maxBodyBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #isSent = false;
  /** 0 until the response begins. */
  #status = 0;
  #headers: ReceivedHeaders = {};
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(
    { totalTimeoutMs, maxBodyBytes = MAX_BODY_BYTES }: ExchangeBounds,
    settled: (exchange: Exchange, outcome: EgressOutcome) => void,
  ) {
    this.#settled = settled;
    this.#maxBodyBytes = maxBodyBytes;
    this.#timer = setTimeout(Exchange.#expire, totalTimeoutMs, this, totalTimeoutMs);
  }

  static #expire(exchange: Exchange, totalTimeoutMs: number): void {
    exchange.fail(new EgressError("timeout", `no response within ${totalTimeoutMs / 1_000} s`));
  }

  get startedAt(): number {
    return this.#startedAt;
  }

  /** Ends the exchange with an error, or with the response if that has begun: its status shows what the receiver decided. */
  fail(error: Error): void {
    if (this.#status !== 0) this.#respond(true);
    else this.#settle({ error: explainEgressFailure(error, this.#isSent) });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown rather than aborted, which would also close the connection.
    if (this.#isSettled) throw new EgressError("stopped", "given up before it was sent");
    this.#controller = controller;
  }

  onRequestSent(): void {
    this.#isSent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ReceivedHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#maxBodyBytes) this.#respond(true);
  }

  onResponseEnd(): void {
    this.#respond(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  #respond(isTruncated: boolean): void {
    if (this.#isSettled) return;
    const body = decode(this.#chunks, this.#length, this.#maxBodyBytes);
    this.#settle({ response: { status: this.#status, headers: boundHeaders(this.#headers), body, isTruncated } });
    // The connection is closed, because the rest is not read.
    if (isTruncated) this.#controller?.abort(new EgressError("stopped", "the rest of the response is not read"));
  }

  #settle(result: { response: EgressResponse } | { error: EgressFailure }): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#settled(this, { durationMs: Math.round(performance.now() - this.#startedAt), ...result });
    if ("error" in result) this.#controller?.abort(new EgressError(result.error.stage, result.error.message));
  }
}
