// Where requests of ours may go: which URLs, and which addresses behind their names. Whoever may name a URL would
// otherwise reach through this server what only this server can reach.
import { containsAddress, parseAddress, parseNetwork } from "./network.ts";
import type { Address, Network } from "./network.ts";
import { findSpecialNetwork } from "./special-networks.ts";

export interface EgressRules {
  /** CIDRs that may be reached although they are special. */
  readonly allow: readonly string[];
  /** Ranges, both ends included. */
  readonly ports: readonly (readonly [first: number, last: number])[];
}

export type Destination = { readonly url: URL } | { readonly problem: string };

const MAX_URL_LENGTH = 2_048;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

// By the object, so that a process compiles its rules once.
const compiled = new WeakMap<EgressRules, readonly Network[]>();

function allowedNetworks(rules: EgressRules): readonly Network[] {
  let networks = compiled.get(rules);
  if (!networks) {
    networks = rules.allow.map((text) => parseNetwork(text) ?? fail(`${text} is no network`));
    compiled.set(rules, networks);
  }
  return networks;
}

function fail(message: string): never {
  throw new Error(message);
}

function refusalOf(address: Address, rules: EgressRules): string | null {
  const special = findSpecialNetwork(address);
  if (!special || allowedNetworks(rules).some((network) => containsAddress(network, address))) return null;
  return `${special.word} (${special.network})`;
}

/** Why an address may not be reached; null when it may. */
export function addressRefusal(address: string, rules: EgressRules): string | null {
  const parsed = parseAddress(address);
  return parsed ? refusalOf(parsed, rules) : "no IP address";
}

/** The host of a URL as an address, with or without the brackets of IPv6; null for a name. */
export function hostAddress(hostname: string): Address | null {
  return parseAddress(hostname.startsWith("[") ? hostname.slice(1, -1) : hostname);
}

/** Names that mean loopback wherever they are asked for (RFC 6761). */
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(hostname);
}

function isLoopbackAllowed(rules: EgressRules): boolean {
  return addressRefusal("127.0.0.1", rules) === null || addressRefusal("::1", rules) === null;
}

function hostRefusal(hostname: string, rules: EgressRules): string | null {
  const address = hostAddress(hostname);
  if (address) return refusalOf(address, rules);
  return isLocalhost(hostname) && !isLoopbackAllowed(rules) ? "loopback (localhost)" : null;
}

/** `80, 443, 8000-9000` */
export function formatPorts(ports: EgressRules["ports"]): string {
  return ports.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(", ");
}

/**
 * The URL to send to, or why it is refused. A name is not resolved here: its addresses are checked when a connection
 * is made.
 */
export function checkDestination(text: string, rules: EgressRules): Destination {
  if (text.length > MAX_URL_LENGTH) return { problem: `expected at most ${MAX_URL_LENGTH} characters` };
  // The URL class drops some of them, and others turn the direction: what people read would not be what is asked.
  if (/[\p{Cc}\p{Cf}\p{Z}]/u.test(text)) {
    return { problem: "expected a URL without spaces, control characters and invisible ones" };
  }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return { problem: "expected an absolute URL that starts with http:// or https://" };
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return { problem: "expected a URL without user name and password" };
  const port = url.port === "" ? (DEFAULT_PORTS[url.protocol] as number) : Number(url.port);
  if (!rules.ports.some(([first, last]) => port >= first && port <= last)) {
    return { problem: `expected a port among ${formatPorts(rules.ports)}, got ${port}` };
  }
  const refusal = hostRefusal(url.hostname, rules);
  return refusal === null ? { url } : { problem: `expected the URL of a public address, got ${refusal}` };
}
