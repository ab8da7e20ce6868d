// Opens the connections of outgoing requests. A name is resolved once for each connection, every address that it has is
// checked, and the connection is made to one of those very addresses: whatever the name resolves to afterwards, nothing
// else is reached.
import { connect as connectTcp } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import { explainProblems, hostAddress, peerProblems } from "../../kernel/network/egress.ts";
import type { EgressRules } from "../../kernel/network/egress.ts";
import { EgressError } from "./egress-error.ts";
import type { NameLookup, NamedAddress } from "./name-lookup.ts";

export interface Connector {
  readonly connect: buildConnector.connector;
  /** Connections that are open. */
  readonly open: number;
  /** Gives up the connections that are being made. */
  close(): void;
}

export interface ConnectorOptions {
  readonly rules: EgressRules;
  readonly lookUp: NameLookup;
  /** Of everything before a request can be sent: name, connection and TLS. */
  readonly timeoutMs: number;
}

interface Endpoint {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Null: `hostname` is an address. */
  readonly addresses: readonly NamedAddress[] | null;
}

const TCP_KEEP_ALIVE_MS = 60_000;

function openSocket({ hostname, port, isTls, addresses }: Endpoint): Socket {
  const options = {
    host: hostname,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    autoSelectFamily: true,
    // Asked for names only. It always answers a list, because `autoSelectFamily` asks for one.
    lookup: (_name: string, _options: object, answer: (error: null, found: NamedAddress[]) => void) =>
      answer(null, [...(addresses ?? [])]),
  };
  if (!isTls) return connectTcp(options);
  return connectTls({
    ...options,
    ...(addresses === null ? {} : { servername: hostname.replace(/\.$/, "") }),
    ALPNProtocols: ["http/1.1"],
    // Said outright, because an environment variable changes the default.
    rejectUnauthorized: true,
  });
}

/** What went wrong with a connection, without the address: whoever reads it may not know what a name resolves to. */
function explainSocketError(error: NodeJS.ErrnoException & { readonly reason?: string }, isTls: boolean): string {
  if (isTls) return `TLS failed: ${error.reason ?? error.message}`;
  return `the connection failed (${error.code ?? error.message})`;
}

export function openConnector({ rules, lookUp, timeoutMs }: ConnectorOptions): Connector {
  const cancels = new Set<() => void>();
  let open = 0;

  async function find(hostname: string): Promise<readonly NamedAddress[]> {
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

  /** The addresses of a name, each of which may be reached; null for a host that is an address. */
  async function resolve(hostname: string, port: number): Promise<readonly NamedAddress[] | null> {
    const literal = hostAddress(hostname);
    const found = literal === null ? await find(hostname) : null;
    const addresses = found?.map(({ address }) => address) ?? [literal as string];
    const problems = peerProblems({ hostname, port, addresses }, rules);
    if (problems.length > 0) throw new EgressError("refused", explainProblems(problems, { isOperator: true }));
    return found;
  }

  function connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const { hostname, protocol } = options;
    const isTls = protocol === "https:";
    const port = Number(options.port) || (isTls ? 443 : 80);
    let stage: "dns" | "connect" | "tls" = "dns";
    let socket: Socket | undefined;
    let isSettled = false;

    function settle(error: Error | null): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      cancels.delete(cancel);
      if (error || !socket) {
        socket?.destroy();
        callback(error ?? new EgressError("connect", "no connection"), null);
        return;
      }
      open++;
      socket.once("close", () => open--);
      callback(null, socket);
    }
    const cancel = () => settle(new EgressError("stopped", "stopped before there was a connection"));
    const timer = setTimeout(
      () => settle(new EgressError(stage, `no connection within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    );
    cancels.add(cancel);

    function begin(addresses: readonly NamedAddress[] | null): void {
      if (isSettled) return;
      stage = "connect";
      socket = openSocket({ hostname, isTls, addresses, port });
      if (isTls) socket.once("connect", () => (stage = "tls"));
      socket.once(isTls ? "secureConnect" : "connect", () => settle(null));
      // Stays, so that an error that comes before anybody else listens ends nothing.
      socket.on("error", (error) => settle(new EgressError(stage, explainSocketError(error, stage === "tls"))));
    }
    resolve(hostname, port).then(begin).catch(settle);
  }

  return {
    connect,
    get open() {
      return open;
    },
    close() {
      for (const cancel of cancels) cancel();
    },
  };
}
