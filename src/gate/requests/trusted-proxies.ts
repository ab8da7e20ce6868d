// Which peers are believed about the client of a request, and what they say of its address and its TLS handshake.
import type { IncomingHttpHeaders } from "node:http";
import { containsAddress, formatAddress, parseAddress, parseNetwork } from "../../kernel/network/network.ts";
import type { Network } from "../../kernel/network/network.ts";
import { readJa4 } from "./ja4.ts";
import { PROXY_HEADERS } from "./request-attributes.ts";

export interface TrustedProxies {
  isTrusted(address: string): boolean;
  /**
   * The address of the client: the last one of `X-Forwarded-For` and the peer that is not of a trusted proxy, or the first if all are.
   * Undefined: what is written there is no address.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string | undefined;
  /** The header in which they say the JA4 digest of the client, in lower case; null: none is believed. */
  readonly ja4Header: string | null;
  /** Deletes what a client claims that only a proxy may say. */
  deleteClaims(headers: IncomingHttpHeaders): void;
  /** The digest that a peer says of the client. */
  ja4Of(peer: string, headers: IncomingHttpHeaders): string | undefined;
}

export const LOOPBACK = ["127.0.0.0/8", "::1/128"] as const;
/** Of a list that a client may have begun; more hops than any chain of proxies has. */
const MAX_HOPS = 32;
const MAX_REMEMBERED = 1_000;

/** `1.2.3.4:5678` and `[::1]:5678` without the port, which some proxies add. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed) return bracketed[1] as string;
  const at = text.indexOf(":");
  return at > 0 && at === text.lastIndexOf(":") ? text.slice(0, at) : text;
}

/** The address that a text names, in the form in which it is counted and reported; undefined: it names none. */
export function readClientAddress(text: unknown): string | undefined {
  const address = typeof text === "string" ? parseAddress(withoutPort(text.trim())) : null;
  return address ? formatAddress(address) : undefined;
}

/** Expects valid networks. */
export function createTrustedProxies(networks: readonly string[], ja4Header: string | null): TrustedProxies {
  const parsed = networks.map((text) => parseNetwork(text) as Network);
  const known = new Map<string, boolean>();

  function isTrusted(text: string): boolean {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const address = parseAddress(text);
    const trusted = address !== null && parsed.some((network) => containsAddress(network, address));
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, trusted);
    return trusted;
  }

  return {
    isTrusted,
    ja4Header,
    deleteClaims(headers) {
      for (const name of PROXY_HEADERS) delete headers[name];
      if (ja4Header !== null) delete headers[ja4Header];
    },
    ja4Of: (peer, headers) => (ja4Header !== null && isTrusted(peer) ? readJa4(headers[ja4Header]) : undefined),
    clientOf(peer, forwardedFor) {
      if (!isTrusted(peer) || forwardedFor === undefined) return peer;
      const hops = forwardedFor
        .split(",")
        .slice(-MAX_HOPS)
        .map((hop) => withoutPort(hop.trim()));
      return readClientAddress(hops.findLast((hop) => !isTrusted(hop)) ?? hops[0]);
    },
  };
}
