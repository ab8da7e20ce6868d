// Networks that are not the public internet: all of IANA's special-purpose registries (RFC 6890, as of 2026), multicast,
// and the metadata addresses of cloud platforms. Each has a word for error messages. The first network that contains an
// address decides, so narrow networks are listed before wide ones.
import type { Address } from "./network.ts";
import { containsAddress, parseNetwork } from "./network.ts";
import type { Network } from "./network.ts";

export interface SpecialNetwork {
  /** Canonical: `10.0.0.0/8`. */
  readonly network: string;
  readonly word: string;
}

const METADATA = "metadata of a cloud";
const PRIVATE = "a private network";
const DOCUMENTATION = "documentation";
const BENCHMARKING = "benchmarking";
const PROTOCOLS = "protocol assignments";
const NAME_SINK = "an AS112 name sink";
const RELAY = "multicast relays";

const IPV4: readonly (readonly [network: string, word: string])[] = [
  ["169.254.169.254/32", METADATA],
  ["169.254.170.2/32", METADATA],
  ["100.100.100.200/32", METADATA],
  ["192.0.0.192/32", METADATA],
  // Azure's, within the public address space.
  ["168.63.129.16/32", METADATA],
  ["255.255.255.255/32", "broadcast"],
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", PRIVATE],
  ["100.64.0.0/10", "shared address space of a carrier"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", PRIVATE],
  ["192.0.0.0/24", PROTOCOLS],
  ["192.0.2.0/24", DOCUMENTATION],
  ["192.31.196.0/24", NAME_SINK],
  ["192.52.193.0/24", RELAY],
  ["192.88.99.0/24", "relays of 6to4"],
  ["192.168.0.0/16", PRIVATE],
  ["192.175.48.0/24", NAME_SINK],
  ["198.18.0.0/15", BENCHMARKING],
  ["198.51.100.0/24", DOCUMENTATION],
  ["203.0.113.0/24", DOCUMENTATION],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
];

const IPV6: readonly (readonly [network: string, word: string])[] = [
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::/96", "IPv4-compatible"],
  ["::ffff:0:0:0/96", "IPv4-translated"],
  ["64:ff9b:1::/48", "local translation to IPv4"],
  ["100::/64", "discarded"],
  ["100:0:0:1::/64", "a dummy prefix"],
  ["2001::/32", "Teredo"],
  ["2001:2::/48", BENCHMARKING],
  ["2001:3::/32", RELAY],
  ["2001:4:112::/48", NAME_SINK],
  ["2001:10::/28", "ORCHID"],
  ["2001:20::/28", "ORCHID"],
  ["2001:30::/28", "drones"],
  ["2001::/23", PROTOCOLS],
  ["2001:db8::/32", DOCUMENTATION],
  ["2002::/16", "6to4"],
  ["2620:4f:8000::/48", NAME_SINK],
  ["3ffe::/16", "the former 6bone"],
  ["3fff::/20", DOCUMENTATION],
  ["5f00::/16", "segment routing"],
  ["fd00:ec2::254/128", METADATA],
  ["fd20:ce::254/128", METADATA],
  ["fc00::/7", PRIVATE],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"],
];

export const SPECIAL_NETWORKS: readonly SpecialNetwork[] = [...IPV4, ...IPV6].map(([network, word]) => ({
  network,
  word,
}));

/** All of IPv6 that is allocated to the public internet. Every other IPv6 address is special even if no entry names it. */
export const IPV6_GLOBAL_UNICAST = "2000::/3";

/**
 * IPv4 addresses behind a NAT64 translator (RFC 6052): the only special network with public addresses, namely those that embed
 * a public IPv4 address.
 */
export const IPV4_TRANSLATION = "64:ff9b::/96";

interface Compiled {
  readonly special: readonly (readonly [Network, SpecialNetwork])[];
  readonly globalUnicast: Network;
  readonly translation: Network;
}

let compiled: Compiled | undefined;

function compile(): Compiled {
  return {
    special: SPECIAL_NETWORKS.map((special) => [parseNetwork(special.network) as Network, special]),
    globalUnicast: parseNetwork(IPV6_GLOBAL_UNICAST) as Network,
    translation: parseNetwork(IPV4_TRANSLATION) as Network,
  };
}

/** The special network of an address; null for an address of the public internet. */
export function findSpecialNetwork(address: Address): SpecialNetwork | null {
  const { special, globalUnicast, translation } = (compiled ??= compile());
  if (containsAddress(translation, address)) {
    const embedded = findSpecialNetwork({ kind: "ipv4", bytes: address.bytes.slice(12) });
    return embedded && { network: IPV4_TRANSLATION, word: `translation to IPv4, to ${embedded.word}` };
  }
  for (const [network, found] of special) if (containsAddress(network, address)) return found;
  if (address.kind === "ipv4" || containsAddress(globalUnicast, address)) return null;
  return { network: "::/0", word: "not global unicast" };
}
