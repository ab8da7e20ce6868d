// Client addresses as 32-bit words: one word for IPv4, four for IPv6.
import { networkAddress, parseAddress } from "../../../platform/kernel/network/network.ts";
import type { Network } from "../../../platform/kernel/network/network.ts";

export type AddressWords = readonly number[];

/** No address is written with more characters. */
const MAX_LENGTH = 64;
const V4_PARTS = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

function toWords(bytes: readonly number[]): AddressWords {
  const words: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const [a, b, c, d] = bytes.slice(at, at + 4) as [number, number, number, number];
    words.push(((a << 24) | (b << 16) | (c << 8) | d) >>> 0);
  }
  return words;
}

/** Undefined when the text is not an address. */
export function readAddress(text: string): AddressWords | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parts = V4_PARTS.exec(text);
  if (parts) {
    const [a, b, c, d] = [Number(parts[1]), Number(parts[2]), Number(parts[3]), Number(parts[4])] as const;
    return a > 255 || b > 255 || c > 255 || d > 255 ? undefined : [((a << 24) | (b << 16) | (c << 8) | d) >>> 0];
  }
  const address = parseAddress(text);
  return address ? toWords(address.bytes) : undefined;
}

/** The mask of the word that begins at bit `at`, for a prefix of `bits` bits. */
function maskOf(bits: number, at: number): number {
  const left = Math.min(32, Math.max(0, bits - at));
  return left === 0 ? 0 : (0xffffffff << (32 - left)) >>> 0;
}

/** The first address of a network. */
export function networkWords(network: Network): AddressWords {
  return toWords(networkAddress(network).bytes);
}

export function isInNetwork(address: AddressWords, starts: Uint32Array, from: number, bits: number): boolean {
  for (let at = 0; at < address.length; at++) {
    const difference = (starts[from + at] as number) ^ (address[at] as number);
    if ((difference & maskOf(bits, at * 32)) !== 0) return false;
  }
  return true;
}
