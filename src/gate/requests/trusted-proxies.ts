// Which peers are believed about the client of a request, and what they say of its address and its TLS handshake.
import type { IncomingHttpHeaders } from "node:http";
import { containsAddress, formatAddress, parseAddress, parseNetwork } from "../../platform/kernel/network/network.ts";
import type { Network } from "../../platform/kernel/network/network.ts";
import { listOf } from "./forwarded-values.ts";
import { readJa4 } from "./ja4.ts";

export interface Client {
  /** Undefined: what is written there is no address. */
  readonly ip: string | undefined;
  /** How many trusted proxies have added to lists after the one that the client has reached. */
  readonly hop: number;
}

export interface TrustedProxies {
  isTrusted(address: string): boolean;
  /** The client is the last one of `X-Forwarded-For` and the peer that is not a trusted proxy, or the first if all are. */
  clientOf(peer: string, forwardedFor: string | undefined): Client;
  /** The header in which they say the JA4 digest of the client, in lower case; null: none is believed. */
  readonly ja4Header: string | null;
  /** The digest that a peer says of the client. */
  ja4Of(peer: string, headers: IncomingHttpHeaders): string | undefined;
}

export const LOOPBACK = ["127.0.0.0/8", "::1/128"] as const;
/** Of a list that a client may have begun; more hops than any chain of proxies has. */
const MAX_HOPS = 32;
const MAX_REMEMBERED = 1_000;
/** More than an IPv6 address with a zone and a port has. */
const MAX_ADDRESS_LENGTH = 100;

/** `1.2.3.4:5678` and `[::1]:5678` without the port, which some proxies add. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed) return bracketed[1] as string;
  const at = text.indexOf(":");
  return at > 0 && at === text.lastIndexOf(":") ? text.slice(0, at) : text;
}

/** `fe80::1%eth0` without the zone, which only the machine itself knows (RFC 4007, 11). */
function withoutZone(text: string): string {
  const at = text.indexOf("%");
  return at > 0 && text.includes(":") ? text.slice(0, at) : text;
}

interface Known {
  /** In the form in which it is counted and reported. */
  readonly address: string | undefined;
  readonly isTrusted: boolean;
}

const UNKNOWN: Known = { address: undefined, isTrusted: false };

/** Expects valid networks. */
export function createTrustedProxies(networks: readonly string[], ja4Header: string | null): TrustedProxies {
  const parsed = networks.map((text) => parseNetwork(text) as Network);
  const known = new Map<string, Known>();

  function read(text: string): Known {
    const remembered = known.get(text);
    if (remembered) return remembered;
    const address = text.length > MAX_ADDRESS_LENGTH ? null : parseAddress(withoutZone(withoutPort(text.trim())));
    if (!address) return UNKNOWN;
    const isTrusted = parsed.some((network) => containsAddress(network, address));
    const found = { address: formatAddress(address), isTrusted };
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, found);
    return found;
  }

  return {
    isTrusted: (address) => read(address).isTrusted,
    ja4Header,
    ja4Of: (peer, headers) => (ja4Header !== null && read(peer).isTrusted ? readJa4(headers[ja4Header]) : undefined),
    clientOf(peer, forwardedFor) {
      const { address, isTrusted } = read(peer);
      const hops = isTrusted && forwardedFor !== undefined ? listOf(forwardedFor).slice(-MAX_HOPS) : [];
      if (hops.length === 0) return { ip: address, hop: 0 };
      let at = hops.length - 1;
      while (at > 0 && read(hops[at] as string).isTrusted) at--;
      return { ip: read(hops[at] as string).address, hop: hops.length - 1 - at };
    },
  };
}
