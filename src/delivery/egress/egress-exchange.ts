// One outgoing request and what comes of it: the handler that undici reports to. Whatever happens, it settles once.
import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { EgressError, explainEgressFailure } from "./egress-error.ts";
import type { EgressFailure } from "./egress-error.ts";

export interface EgressAnswer {
  readonly status: number;
  /** Names in lower case; values of a repeated one are joined, and long ones are cut. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning as text: what is no UTF-8, and U+0000, which PostgreSQL does not store, is U+FFFD. */
  readonly body: string;
  /** The body was longer, or did not come to its end. */
  readonly isTruncated: boolean;
}

/** `durationMs` is real time, from `send` to the outcome. */
export type EgressOutcome = { readonly durationMs: number } & (
  | { readonly answer: EgressAnswer }
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

function decode(chunks: readonly Buffer[], length: number): string {
  if (length === 0) return "";
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  // The decoder keeps back a character that was cut in the middle.
  const text =
    length > MAX_BODY_BYTES ? new StringDecoder().write(bytes.subarray(0, MAX_BODY_BYTES)) : bytes.toString();
  return text.replaceAll("\0", "\uFFFD");
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #settled: (exchange: Exchange, outcome: EgressOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #isSent = false;
  /** 0 until the answer has begun. */
  #status = 0;
  #headers: ReceivedHeaders = {};
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(totalTimeoutMs: number, settled: (exchange: Exchange, outcome: EgressOutcome) => void) {
    this.#settled = settled;
    this.#timer = setTimeout(Exchange.#expire, totalTimeoutMs, this, totalTimeoutMs);
  }

  static #expire(exchange: Exchange, totalTimeoutMs: number): void {
    exchange.fail(new EgressError("timeout", `no answer within ${totalTimeoutMs / 1_000} s`));
  }

  get startedAt(): number {
    return this.#startedAt;
  }

  /** Ends it, with the answer when that has begun: its status says what the receiver has decided. */
  fail(error: Error): void {
    if (this.#status !== 0) this.#answer(true);
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
    if (this.#length > MAX_BODY_BYTES) this.#answer(true);
  }

  onResponseEnd(): void {
    this.#answer(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  #answer(isTruncated: boolean): void {
    if (this.#isSettled) return;
    const body = decode(this.#chunks, this.#length);
    this.#settle({ answer: { status: this.#status, headers: boundHeaders(this.#headers), body, isTruncated } });
    // The rest is not read: the connection is closed.
    if (isTruncated) this.#controller?.abort(new EgressError("stopped", "the rest of the answer is not read"));
  }

  #settle(result: { answer: EgressAnswer } | { error: EgressFailure }): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#settled(this, { durationMs: Math.round(performance.now() - this.#startedAt), ...result });
    if ("error" in result) this.#controller?.abort(new EgressError(result.error.stage, result.error.message));
  }
}
