// The networks that a credential may be used from.
import { fieldError } from "../errors.ts";
import { containsAddress, formatNetwork, isNetworkAddress, parseAddress, parseNetwork } from "./network.ts";
import type { Network } from "./network.ts";

/** The networks in canonical form, `10.0.0.0/8`; a single address is a network of one. Refuses text that is not a network. */
export function canonicalCidrs(cidrs: readonly string[]): string[] {
  const canonical = cidrs.map((text, i) => {
    const network = parseNetwork(text);
    if (network && isNetworkAddress(network)) return formatNetwork(network);
    const field = `body.allowedCidrs[${i}]`;
    const problem = network
      ? `no bits set beyond the prefix /${network.bits}`
      : "an IPv4 or IPv6 network as 10.0.0.0/8";
    throw fieldError("bad_request", field, `expected ${problem}`);
  });
  return [...new Set(canonical)];
}

// Keyed by the stored text, so that no entry can be stale.
const compiled = new Map<string, readonly Network[]>();
const MAX_COMPILED = 1_000;

function compileCidrs(json: string): readonly Network[] {
  let networks = compiled.get(json);
  if (!networks) {
    networks = (JSON.parse(json) as string[]).map((cidr) => parseNetwork(cidr) as Network);
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(json, networks);
  }
  return networks;
}

/** True when `ip` is in one of the networks of a stored list (a JSON array of canonical CIDRs). */
export function isAllowedAddress(json: string, ip: string): boolean {
  const address = parseAddress(ip);
  return address !== null && compileCidrs(json).some((network) => containsAddress(network, address));
}

/** The networks of a stored list; null: any. */
export function readNetworks(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]);
}

/** The networks in their stored form; null: any. */
export function storedNetworks(cidrs: readonly string[]): string | null {
  return cidrs.length > 0 ? JSON.stringify(cidrs) : null;
}

/** Refuses a new credential that could be used from networks from which the one of the request can't. */
export function requireNetworksWithin(
  caller: { readonly allowedCidrs: string | null },
  wanted: readonly string[],
): void {
  const networks = readNetworks(caller.allowedCidrs);
  if (networks === null || (wanted.length > 0 && wanted.every((cidr) => networks.includes(cidr)))) return;
  throw fieldError(
    "forbidden",
    "body.allowedCidrs",
    `expected some of ${networks.join(", ")}, to which the credential of this request is limited`,
  );
}
