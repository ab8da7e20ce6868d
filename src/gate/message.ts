// HTTP messages as the gate sees them, no matter who carries them: a proxy that asks, the gate's own proxy, or an application's server.

/** The request of a client to a protected application. */
export interface GateRequest {
  /** In upper case. */
  readonly method: string;
  readonly scheme: "http" | "https";
  /** The `Host` header: a name or an address, with the port if there is one. */
  readonly host: string;
  /** Path and query as the client sent them; begins with a slash. */
  readonly target: string;
  /** By name in lower case; a list for a header that was sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Address of the client; undefined: unknown. */
  readonly ip: string | undefined;
  /** JA4 digest of the client's TLS handshake; absent: unknown. */
  readonly ja4?: string | undefined;
}

/** What the gate answers in place of the application. */
export interface GateResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | null;
}

/** The first value of a header. */
export function headerOf({ headers }: GateRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Readers of feeds take a page too, but not as gladly. */
const PAGES_FIRST = /(?:^|,)[ \t]*text\/html[ \t]*(?:$|,|;[ \t]*q=1(?:\.0*)?[ \t]*(?:$|,))/i;

/** Whether the client is a browser that shows a page, by its `Accept`. */
export function prefersPages(request: GateRequest): boolean {
  return PAGES_FIRST.test(headerOf(request, "accept") ?? "");
}
