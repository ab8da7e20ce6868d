// Addresses and networks as big integers.
import { isIPv6 } from "node:net";

export interface NaiveAddress {
  /** 32 or 128. */
  readonly width: number;
  readonly number: bigint;
}

export interface NaiveNetwork extends NaiveAddress {
  readonly prefix: number;
}

function parseIPv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)) return;
  return parts.reduce((number, part) => number * 256n + BigInt(part), 0n);
}

function parseIPv6(text: string): bigint | undefined {
  if (!isIPv6(text) || text.includes("%")) return;
  const [left = "", right] = text.split("::");
  const read = (half: string): bigint[] =>
    half === ""
      ? []
      : half.split(":").flatMap((group) => {
          const tail = parseIPv4(group);
          return tail === undefined ? [BigInt(`0x${group}`)] : [tail >> 16n, tail & 0xffffn];
        });
  const before = read(left);
  const behind = read(right ?? "");
  const zeros = Array.from({ length: 8 - before.length - behind.length }, () => 0n);
  return [...before, ...zeros, ...behind].reduce((number, group) => number * 65_536n + group, 0n);
}

export function parseAddress(text: string): NaiveAddress | undefined {
  const short = parseIPv4(text);
  if (short !== undefined) return { width: 32, number: short };
  const long = parseIPv6(text);
  if (long === undefined) return;
  return long >> 32n === 0xffffn ? { width: 32, number: long & 0xffff_ffffn } : { width: 128, number: long };
}

const networks = new Map<string, NaiveNetwork | undefined>();

/** Cached: every request parses the same few networks. */
export function parseNetwork(text: string): NaiveNetwork | undefined {
  if (!networks.has(text)) networks.set(text, readNetwork(text));
  return networks.get(text);
}

function readNetwork(text: string): NaiveNetwork | undefined {
  const match = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(text);
  const address = parseAddress(match?.[1] ?? "");
  if (!address || (address.width === 32 && text.includes(":"))) return;
  const prefix = match?.[2] === undefined ? address.width : Number(match[2]);
  return prefix > address.width ? undefined : { ...address, prefix };
}

export function isInNetwork(address: NaiveAddress | undefined, network: NaiveNetwork | undefined): boolean {
  if (!address || !network || address.width !== network.width) return false;
  const behind = BigInt(network.width - network.prefix);
  return address.number >> behind === network.number >> behind;
}
