// What a client and its calls are given.
import type { ReeveError } from "./error.ts";
import type { Attempt, CallOptions, Fetch } from "./transport.ts";

export type Query = Readonly<Record<string, unknown>>;

export interface ClientSettings {
  /** URL of the server. */
  readonly server: string | URL;
  /** An access token or an API key, or what returns one. A browser that has a session needs none. */
  readonly token?: string | (() => string | Promise<string>);
  /** Id or slug of the team that calls are about unless their query names another one; left out, the credential's own owner. */
  readonly team?: string;
  /** For each try, ms; 30 000 by default. */
  readonly timeoutMs?: number;
  /** Tries after the first one; 3 by default. */
  readonly retries?: number;
  /** What the operator's log shows of the program; browsers send their own. */
  readonly userAgent?: string;
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Called after each try, for logs and traces. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** A request to any path. */
export interface RawRequest extends CallOptions {
  readonly query?: Query | URLSearchParams;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sending it twice does what sending it once does: so it is of GET and PUT and DELETE, and of a POST to the API. */
  readonly isRepeatable?: boolean;
  /** Resolves when the response begins; its body is not bound by the time limit. */
  readonly isStream?: boolean;
}

export interface LineOptions extends CallOptions {
  /** Media type of the stream: `application/x-ndjson`, `text/csv` or `text/event-stream`. */
  readonly accept: string;
  /** The response has begun. */
  readonly onOpen?: () => void;
  /** A live stream has broken where nothing comes for so long; 45 000 by default: the server sends a comment every 15 s. */
  readonly silenceMs?: number;
}

export interface TailOptions extends CallOptions {
  /** The connection has broken and is opened again. */
  readonly onBreak?: (error: ReeveError) => void;
}
