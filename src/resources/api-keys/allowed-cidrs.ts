// The networks that an API key may be used from.
import ipaddr from "ipaddr.js";
import type { IPv4, IPv6 } from "ipaddr.js";
import { ApiError } from "../../kernel/errors.ts";

type Network = readonly [IPv4 | IPv6, number];

function parseNetwork(text: string): Network | null {
  // The library also reads octal, hexadecimal and short forms of IPv4, which people read as other addresses.
  const [address = "", prefix] = text.split("/");
  const isPlain =
    ipaddr.IPv4.isValidFourPartDecimal(address) || (address.includes(":") && ipaddr.IPv6.isValid(address));
  if (!isPlain || address.includes("%") || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  const ip = ipaddr.parse(address);
  const bits = prefix === undefined ? ip.toByteArray().length * 8 : Number(prefix);
  if (bits > ip.toByteArray().length * 8) return null;
  // Callers' mapped addresses are compared as IPv4, so a mapped network would never match.
  return ip.kind() === "ipv6" && (ip as IPv6).isIPv4MappedAddress() ? null : [ip, bits];
}

/** True when no bit is set beyond the prefix. */
function isNetworkAddress([ip, bits]: Network): boolean {
  return ip.toByteArray().every((byte, i) => {
    const kept = Math.min(8, Math.max(0, bits - i * 8));
    return (byte & (0xff >> kept)) === 0;
  });
}

/** The networks in canonical form, `10.0.0.0/8`; a single address is a network of one. Refuses what is no network. */
export function canonicalCidrs(cidrs: readonly string[]): string[] {
  const canonical = cidrs.map((text, i) => {
    const network = parseNetwork(text);
    if (network && isNetworkAddress(network)) return `${network[0].toString()}/${network[1]}`;
    const field = `body.allowedCidrs[${i}]`;
    const problem = network ? `no bits set beyond the prefix /${network[1]}` : "an IPv4 or IPv6 network as 10.0.0.0/8";
    throw new ApiError("bad_request", `${field}: expected ${problem}`, { field });
  });
  return [...new Set(canonical)];
}

// By the stored text itself, so that an entry cannot be stale: another list is another text.
const compiled = new Map<string, readonly Network[]>();
const MAX_COMPILED = 1_000;

function compileCidrs(json: string): readonly Network[] {
  let networks = compiled.get(json);
  if (!networks) {
    networks = (JSON.parse(json) as string[]).map((cidr) => ipaddr.parseCIDR(cidr));
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(json, networks);
  }
  return networks;
}

/** True when `ip` lies in one of the networks of a stored list (a JSON array of canonical CIDRs). */
export function isAllowedAddress(json: string, ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return compileCidrs(json).some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}
