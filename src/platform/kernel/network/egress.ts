// The URLs and addresses that Reeve may send requests to. Without these rules, a user who can enter a URL could use this server to
// reach hosts that only the server can reach (SSRF).
import { containsAddress, parseAddress, parseNetwork } from "./network.ts";
import type { Network } from "./network.ts";
import { findSpecialNetwork } from "./special-networks.ts";

export interface EgressRules {
  /** CIDRs and host names that are allowed although they are not public, on every port. */
  readonly allow: readonly string[];
  /** Ranges, both ends included. */
  readonly ports: readonly (readonly [first: number, last: number])[];
}

/** One reason for a refusal. */
export interface Problem {
  /** In words, for the user who entered the URL. */
  readonly text: string;
  /** The setting that would allow it, such as `REEVE_EGRESS_ALLOW=10.0.0.1`; null where none would. */
  readonly setting: string | null;
}

export type Destination = { readonly url: URL } | { readonly problems: readonly Problem[] };

/** The target of a connection. */
export interface Peer {
  /** As the URL class writes it. */
  readonly hostname: string;
  readonly port: number;
  /** Null: the name has not been resolved yet. */
  readonly addresses: readonly string[] | null;
}

const MAX_URL_LENGTH = 2_048;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

interface Allowed {
  readonly networks: readonly Network[];
  readonly names: ReadonlySet<string>;
}

// Keyed by the object, so that a process compiles its rules once.
const compiled = new WeakMap<EgressRules, Allowed>();

function allowedBy(rules: EgressRules): Allowed {
  let allowed = compiled.get(rules);
  if (!allowed) {
    const entries = rules.allow.map((text) => ({ text, network: parseNetwork(text) }));
    allowed = {
      networks: entries.flatMap(({ network }) => network ?? []),
      names: new Set(entries.flatMap(({ text, network }) => (network ? [] : text))),
    };
    compiled.set(rules, allowed);
  }
  return allowed;
}

function isAllowedAddress(text: string, rules: EgressRules): boolean {
  const address = parseAddress(text);
  return address !== null && allowedBy(rules).networks.some((network) => containsAddress(network, address));
}

/** Why an address is refused; null when it is allowed. */
export function addressRefusal(text: string, rules: EgressRules): string | null {
  const address = parseAddress(text);
  if (!address) return "no IP address";
  const special = findSpecialNetwork(address);
  return special === null || isAllowedAddress(text, rules) ? null : `${special.word} (${special.network})`;
}

/** The host of a URL as an address, without the brackets of IPv6; null for a name. */
export function hostAddress(hostname: string): string | null {
  const text = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return parseAddress(text) && text;
}

/** Names that every resolver maps to loopback (RFC 6761). */
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(hostname);
}

function isLoopbackAllowed(rules: EgressRules): boolean {
  return isAllowedAddress("127.0.0.1", rules) || isAllowedAddress("::1", rules);
}

/** `80, 443, 8000-9000` */
function formatPorts(ports: EgressRules["ports"]): string {
  return ports.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(", ");
}

/** Why the addresses of a host are refused; null when all of them are allowed. */
function addressProblem({ hostname, addresses }: Peer, rules: EgressRules): Problem | null {
  if (addresses === null) {
    if (!isLocalhost(hostname) || isLoopbackAllowed(rules)) return null;
    const setting = `REEVE_EGRESS_ALLOW=${hostname.replace(/\.$/, "")}`;
    return { text: "expected a public address, got loopback (localhost)", setting };
  }
  const refused = addresses.flatMap((address) => ({ address, word: addressRefusal(address, rules) }));
  const words = new Set(refused.flatMap(({ word }) => word ?? []));
  // One refused address is enough: an attacker can mix addresses and retry until the refused one comes first.
  if (words.size === 0) return null;
  const subject = hostAddress(hostname) === null ? `${hostname} has` : "got";
  return {
    text: `expected a public address, ${subject} ${[...words].join(" and ")}`,
    setting: `REEVE_EGRESS_ALLOW=${refused.flatMap(({ address, word }) => (word === null ? [] : address)).join(",")}`,
  };
}

/** Whether a port is allowed. An allowed network opens every port, so where there is one, a name must be resolved before its port is refused. */
function isPortOpen({ port, addresses }: Peer, rules: EgressRules): boolean {
  if (rules.ports.some(([first, last]) => port >= first && port <= last)) return true;
  if (addresses === null) return allowedBy(rules).networks.length > 0;
  return addresses.every((address) => isAllowedAddress(address, rules));
}

/** Every reason why a host is refused. */
export function peerProblems(peer: Peer, rules: EgressRules): readonly Problem[] {
  const { hostname, port } = peer;
  if (allowedBy(rules).names.has(hostname.replace(/\.$/, ""))) return [];
  const refused = addressProblem(peer, rules);
  const problems = refused ? [refused] : [];
  if (isPortOpen(peer, rules)) return problems;
  const text = `expected a port among ${formatPorts(rules.ports)}, got ${port}`;
  // An allowed address is allowed on every port.
  return [...problems, { text, setting: refused ? null : `REEVE_EGRESS_PORTS=+${port}` }];
}

/** All reasons of a refusal in one sentence. Only administrators and the log see the settings that would allow it. */
export function explainProblems(
  problems: readonly Problem[],
  { isOperator }: { readonly isOperator: boolean },
): string {
  return problems
    .map(({ text, setting }) => (isOperator && setting !== null ? `${text} (${setting} would allow it)` : text))
    .join("; ");
}

function textProblems(text: string): Problem[] {
  const problems: string[] = [];
  if (text.length > MAX_URL_LENGTH) problems.push(`expected at most ${MAX_URL_LENGTH} characters`);
  // The URL class removes some of these characters, and others reverse the text: people would read another URL than the one requested.
  if (/[\p{Cc}\p{Cf}\p{Z}]/u.test(text)) {
    problems.push("expected a URL without spaces, control characters and invisible ones");
  }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    problems.push("expected an absolute URL that starts with http:// or https://");
  }
  return problems.map((problem) => ({ text: problem, setting: null }));
}

/**
 * The URL to send to, or every reason why it is refused. It resolves no names: the addresses of a name are checked when a
 * connection is opened.
 */
export function checkDestination(text: string, rules: EgressRules): Destination {
  const problems = textProblems(text);
  if (!URL.canParse(text)) return { problems };
  const url = new URL(text);
  if (!(url.protocol in DEFAULT_PORTS)) return { problems };
  if (url.username !== "" || url.password !== "") {
    problems.push({ text: "expected a URL without user name and password", setting: null });
  }
  const { hostname, protocol } = url;
  const address = hostAddress(hostname);
  const port = url.port === "" ? (DEFAULT_PORTS[protocol] as number) : Number(url.port);
  problems.push(...peerProblems({ hostname, port, addresses: address === null ? null : [address] }, rules));
  return problems.length === 0 ? { url } : { problems };
}
