// Opens the connections of outgoing requests. For each connection the name is resolved once, all of its addresses are checked, and
// the connection is made to one of these very addresses. So a name that resolves to something else afterwards reaches nothing else.
import { connect as connectTcp } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import { explainProblems, hostAddress, peerProblems } from "../kernel/network/egress.ts";
import type { EgressRules } from "../kernel/network/egress.ts";
import { EgressError } from "./egress-error.ts";
import type { NameLookup, NamedAddress } from "./name-lookup.ts";

export interface Connector {
  readonly connect: buildConnector.connector;
  /** The number of open connections. */
  readonly open: number;
  /** Aborts the connections that are being made. */
  close(): void;
}

export interface ConnectorOptions {
  readonly rules: EgressRules;
  readonly lookUp: NameLookup;
  /** For resolving the name, connecting and TLS together. */
  readonly timeoutMs: number;
}

interface Origin {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
}

const TCP_KEEP_ALIVE_MS = 60_000;

/** `addresses` is null where the hostname is an address itself. */
function openSocket({ hostname, port, isTls }: Origin, addresses: readonly NamedAddress[] | null): Socket {
  const options = {
    host: hostname,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    autoSelectFamily: true,
    // Called for names only. `autoSelectFamily` asks for a list, so it always returns one.
    lookup: (_name: string, _options: object, respond: (error: null, found: NamedAddress[]) => void) =>
      respond(null, [...(addresses ?? [])]),
  };
  if (!isTls) return connectTcp(options);
  return connectTls({
    ...options,
    ...(addresses === null ? {} : { servername: hostname.replace(/\.$/, "") }),
    ALPNProtocols: ["http/1.1"],
    // Set explicitly, because an environment variable changes the default.
    rejectUnauthorized: true,
  });
}

/** Describes why a connection failed, without the address: the reader may not know what a name resolves to. */
function explainSocketError(error: NodeJS.ErrnoException & { readonly reason?: string }, isTls: boolean): string {
  if (isTls) return `TLS failed: ${error.reason ?? error.message}`;
  return `the connection failed (${error.code ?? error.message})`;
}

async function findAddresses(lookUp: NameLookup, hostname: string): Promise<readonly NamedAddress[]> {
  let addresses: readonly NamedAddress[];
  try {
    addresses = await lookUp(hostname);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new EgressError("dns", `${hostname} could not be resolved (${code ?? message})`);
  }
  if (addresses.length === 0) throw new EgressError("dns", `${hostname} has no address`);
  return addresses;
}

/** The addresses of a name, all of which may be reached; null for a host that is an address itself. */
async function findAllowedAddresses(
  { hostname, port }: Origin,
  { lookUp, rules }: ConnectorOptions,
): Promise<readonly NamedAddress[] | null> {
  const literal = hostAddress(hostname);
  const found = literal === null ? await findAddresses(lookUp, hostname) : null;
  const addresses = found?.map(({ address }) => address) ?? [literal as string];
  const problems = peerProblems({ hostname, port, addresses }, rules);
  if (problems.length > 0) throw new EgressError("refused", explainProblems(problems, { isOperator: true }));
  return found;
}

type Done = (error: Error | null, socket: Socket | null) => void;

/** Makes one connection. Calls `done` once: with the socket, or with the error of the stage that failed. */
class ConnectionAttempt {
  readonly #origin: Origin;
  readonly #done: Done;
  readonly #timer: NodeJS.Timeout;
  #stage: "dns" | "connect" | "tls" = "dns";
  #socket: Socket | undefined;
  #isSettled = false;

  constructor(origin: Origin, options: ConnectorOptions, done: Done) {
    const { timeoutMs } = options;
    this.#origin = origin;
    this.#done = done;
    this.#timer = setTimeout(() => this.#fail(`no connection within ${timeoutMs / 1_000} s`), timeoutMs);
    findAllowedAddresses(origin, options)
      .then((addresses) => this.#open(addresses))
      .catch((error: Error) => this.#settle(error));
  }

  cancel(): void {
    this.#settle(new EgressError("stopped", "stopped before a connection was made"));
  }

  #open(addresses: readonly NamedAddress[] | null): void {
    if (this.#isSettled) return;
    const { isTls } = this.#origin;
    this.#stage = "connect";
    const socket = openSocket(this.#origin, addresses);
    this.#socket = socket;
    if (isTls) socket.once("connect", () => (this.#stage = "tls"));
    socket.once(isTls ? "secureConnect" : "connect", () => this.#settle(null));
    // The listener stays, so that an error before anyone else listens does not end the process.
    socket.on("error", (error) => this.#fail(explainSocketError(error, this.#stage === "tls")));
  }

  #fail(message: string): void {
    this.#settle(new EgressError(this.#stage, message));
  }

  #settle(error: Error | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    if (error) this.#socket?.destroy();
    this.#done(error, error ? null : (this.#socket ?? null));
  }
}

export function openConnector(options: ConnectorOptions): Connector {
  const attempts = new Set<ConnectionAttempt>();
  let open = 0;

  function connect({ hostname, protocol, port }: buildConnector.Options, callback: buildConnector.Callback): void {
    const isTls = protocol === "https:";
    const origin = { hostname, isTls, port: Number(port) || (isTls ? 443 : 80) };
    const attempt = new ConnectionAttempt(origin, options, (error, socket) => {
      attempts.delete(attempt);
      if (!socket) {
        callback(error ?? new EgressError("connect", "no connection"), null);
        return;
      }
      open++;
      socket.once("close", () => open--);
      callback(null, socket);
    });
    attempts.add(attempt);
  }

  return {
    connect,
    get open() {
      return open;
    },
    close() {
      for (const attempt of attempts) attempt.cancel();
    },
  };
}
