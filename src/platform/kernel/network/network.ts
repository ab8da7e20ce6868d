// Parses IP addresses and networks strictly. The library by itself also accepts octal, hexadecimal and short forms of IPv4, which
// people read as other addresses, and parses `::1.2.3.4` as `::ffff:1.2.3.4`.
import ipaddr from "ipaddr.js";
import type { IPv4, IPv6 } from "ipaddr.js";

export interface Network {
  readonly kind: "ipv4" | "ipv6";
  /** 4 or 16 bytes; bits beyond the prefix may be set. */
  readonly bytes: readonly number[];
  /** Length of the prefix in bits. */
  readonly bits: number;
}

export type Address = Omit<Network, "bits">;

// The library's own check throws and catches for invalid text, which takes ten times as long.
const PART = "(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
const IPV4 = new RegExp(`^${PART}(?:\\.${PART}){3}$`);

/** `::1.2.3.4` as `::102:304`; null when the last part is no IPv4 address. */
function withoutDots(text: string): string | null {
  const tail = text.slice(text.lastIndexOf(":") + 1);
  if (!tail.includes(".")) return text;
  if (!IPV4.test(tail)) return null;
  const [a = 0, b = 0, c = 0, d = 0] = tail.split(".").map(Number);
  return `${text.slice(0, -tail.length)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function read(text: string): IPv4 | IPv6 | null {
  if (!text.includes(":")) return IPV4.test(text) ? ipaddr.IPv4.parse(text) : null;
  const groups = text.includes("%") ? null : withoutDots(text);
  return groups !== null && ipaddr.IPv6.isValid(groups) ? ipaddr.IPv6.parse(groups) : null;
}

/** An address; null for anything else. An IPv4-mapped IPv6 address becomes the IPv4 address. */
export function parseAddress(text: string): Address | null {
  const ip = read(text);
  if (!ip) return null;
  const address = ip.kind() === "ipv6" && (ip as IPv6).isIPv4MappedAddress() ? (ip as IPv6).toIPv4Address() : ip;
  return { kind: address.kind(), bytes: address.toByteArray() };
}

/** A network such as `10.0.0.0/8`, or one address; null for anything else, IPv4-mapped IPv6 networks included. */
export function parseNetwork(text: string): Network | null {
  const [address = "", prefix, ...rest] = text.split("/");
  if (rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  const ip = read(address);
  if (!ip || (ip.kind() === "ipv6" && (ip as IPv6).isIPv4MappedAddress())) return null;
  const bytes = ip.toByteArray();
  const bits = prefix === undefined ? bytes.length * 8 : Number(prefix);
  return bits > bytes.length * 8 ? null : { kind: ip.kind(), bytes, bits };
}

/** True when no bit is set beyond the prefix. */
export function isNetworkAddress({ bytes, bits }: Network): boolean {
  return bytes.every((byte, at) => (byte & (0xff >> Math.min(8, Math.max(0, bits - at * 8)))) === 0);
}

/** The same network with no bit set beyond the prefix. */
export function networkAddress({ kind, bytes, bits }: Network): Network {
  return { kind, bits, bytes: bytes.map((byte, at) => byte & ~(0xff >> Math.min(8, Math.max(0, bits - at * 8)))) };
}

/** The shortest form of an address. */
export function formatAddress({ bytes }: Address): string {
  return ipaddr.fromByteArray([...bytes]).toString();
}

/** `10.0.0.0/8` */
export function formatNetwork(network: Network): string {
  return `${formatAddress(network)}/${network.bits}`;
}

/** Whether an address belongs to a network. */
export function containsAddress({ kind, bytes, bits }: Network, address: Address): boolean {
  if (kind !== address.kind) return false;
  for (let at = 0, left = bits; left > 0; at++, left -= 8) {
    const mask = left >= 8 ? 0xff : 0xff & (0xff << (8 - left));
    if ((((bytes[at] as number) ^ (address.bytes[at] as number)) & mask) !== 0) return false;
  }
  return true;
}

/** Bits of an IPv6 address that one customer usually has. */
const SUBSCRIBER_BITS = 64;

/** Bits of what one organisation usually has. */
const SITE_BITS = { ipv4: 24, ipv6: 48 } as const;

/** What one organisation can hardly leave: the network around an address. */
export function siteOf(ip: string): string {
  const network = parseNetwork(ip);
  return network ? formatNetwork(networkAddress({ ...network, bits: SITE_BITS[network.kind] })) : ip;
}

/** What one client can hardly change: its IPv4 address, or the first half of its IPv6 address. */
export function subscriberOf(ip: string): string {
  const network = parseNetwork(ip);
  if (network?.kind !== "ipv6") return ip;
  return formatNetwork(networkAddress({ ...network, bits: SUBSCRIBER_BITS }));
}
