// Readers of the values of settings. Each throws an Error whose message says what was expected.
import { isIP } from "node:net";
import { resolve } from "node:path";
import { canonicalDomain } from "../text/email-address.ts";
import { STORAGE_LIMITS } from "../storage-limits.ts";
import type { StorageLimitName, StorageLimits } from "../storage-limits.ts";
import { formatNetwork, isNetworkAddress, parseNetwork } from "../network/network.ts";

export function expected(what: string): never {
  throw new Error(`expected ${what}`);
}

/** Of a file or folder. An empty text would be the current folder. */
export function path(text: string): string {
  return text.trim() === "" ? expected("a path") : resolve(text);
}

export function integer(text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : expected(`an integer from ${min} to ${max}`);
}

export function url(text: string, protocols: readonly string[]): string {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    expected(`a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
  }
  return text;
}

/** An origin in the form in which browsers send theirs. RFC 6454, section 6.1 */
export function origin(text: string): string {
  const isOrigin = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
  return isOrigin ? text : expected("origins such as https://app.acme.com, without a path, separated by commas");
}

export function cidr(text: string): string {
  const [address = "", prefix] = text.split("/");
  const bits = isIP(address) === 6 ? 128 : 32;
  const isValid = isIP(address) !== 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
  return isValid ? text : expected("IP addresses or CIDRs, separated by commas");
}

/** A host name, normalised by the URL class; null for any other text. */
function hostName(text: string): string | null {
  if (!/^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?$/u.test(text) || !URL.canParse(`http://${text}`)) return null;
  const { hostname } = new URL(`http://${text}`);
  // `10.1` is another spelling of 10.0.0.1.
  return isIP(hostname) === 0 && text !== "none" ? hostname.replace(/\.$/, "") : null;
}

const STORAGE_LIMIT_NAMES = Object.keys(STORAGE_LIMITS) as StorageLimitName[];

export const DEFAULT_STORAGE_LIMITS = STORAGE_LIMIT_NAMES.map((name) => `${name}=${STORAGE_LIMITS[name].most}`).join();

/** `secrets=5000,teams=10`; the rest has its default. */
export function storageLimits(text: string): StorageLimits {
  const limits = Object.fromEntries(
    STORAGE_LIMIT_NAMES.map((name): [string, number] => [name, STORAGE_LIMITS[name].most]),
  );
  const given = new Set<string>();
  for (const part of text.split(",")) {
    const [name = "", number = "", ...rest] = part.trim().split("=");
    if (!Object.hasOwn(limits, name) || rest.length > 0) {
      expected(`name=number with one of ${STORAGE_LIMIT_NAMES.join(", ")}`);
    }
    if (given.has(name)) expected(`each name once, and ${name} is there twice`);
    given.add(name);
    limits[name] = integer(number, 1, 100_000_000);
  }
  return limits as StorageLimits;
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether nobody can listen in on requests to a URL: https, or http that does not leave the machine. */
export function isProtectedUrl({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
}

/** The domain of e-mail addresses, in the form in which those have it. */
export function domainName(text: string): string {
  const domain = canonicalDomain(text) ?? "";
  return domain.includes(".") ? domain : expected("domains such as acme.com");
}

/** Who may make an account for themselves: nobody, owners of addresses in some domains, or anybody. */
export type SignUpRule =
  | { readonly kind: "invitation" | "open" }
  | { readonly kind: "domains"; readonly domains: readonly string[] };

/** `invitation`, `open` or `domains:acme.com,acme.org` */
export function signUpRule(text: string): SignUpRule {
  if (text === "invitation" || text === "open") return { kind: text };
  const [, domains] = /^domains:(.+)$/.exec(text) ?? [];
  if (domains === undefined) expected("invitation, open, or domains: and a list such as domains:acme.com,acme.org");
  return { kind: "domains", domains: domains.split(",").map((part) => domainName(part.trim())) };
}

export function networkOrHost(text: string): string {
  const parsed = parseNetwork(text);
  const name = parsed === null ? hostName(text) : null;
  if (name !== null) return name;
  return parsed && isNetworkAddress(parsed)
    ? formatNetwork(parsed)
    : expected("none, or IP addresses, CIDRs such as 10.0.0.0/8 and host names, separated by commas");
}

function isPort(value: number): boolean {
  return value >= 1 && value <= 65_535;
}

type PortRange = readonly [first: number, last: number];

function portRange(text: string): PortRange {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = [Number(first), Number(last)] as const;
  const isValid = range.every(isPort) && range[1] >= range[0];
  return isValid ? range : expected("ports and ranges of ports such as 80,443,8000-9000, or +3000 to add some");
}

/** `80,443,8000-9000`, or `+3000,+5000-5010`: added to the usual ones. */
export function portRanges(text: string, usual: readonly PortRange[]): readonly PortRange[] {
  const isAdded = text.startsWith("+");
  const parts = text.split(",").map((part) => part.trim());
  const ranges = parts.map((part) => portRange(isAdded ? part.replace(/^\+/, "") : part));
  return isAdded ? [...usual, ...ranges] : ranges;
}

/** `9.9.9.9`, `9.9.9.9:5353`, `2620:fe::fe` or `[2620:fe::fe]:5353` */
export function nameServer(text: string): string {
  const [, bracketed, plain, port = "53"] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  const family = isIP(address);
  const isValid = family !== 0 && (bracketed === undefined || family === 6) && isPort(Number(port));
  return isValid ? text : expected("IP addresses, each with :port or without, separated by commas");
}
