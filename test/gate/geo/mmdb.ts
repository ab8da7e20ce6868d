// Writes small databases in the format MMDB: https://maxmind.github.io/MaxMind-DB
import { networkAddress, parseNetwork } from "../../../src/platform/kernel/network/network.ts";
import type { Network } from "../../../src/platform/kernel/network/network.ts";

type Value = string | number | boolean | { readonly [name: string]: Value } | readonly Value[];

const STRING = 2;
const UINT32 = 6;
const MAP = 7;
const UINT64 = 9;
const ARRAY = 11;
const BOOLEAN = 14;
const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
const RECORD_BITS = 24;

function control(type: number, size: number): Buffer {
  if (size > 284) throw new Error("this writer knows short values only");
  const [shown, ...rest] = size < 29 ? [size] : [29, size - 29];
  return type <= MAP ? Buffer.from([(type << 5) | shown, ...rest]) : Buffer.from([shown, type - MAP, ...rest]);
}

function encodeNumber(type: number, value: number): Buffer {
  const hex = value === 0 ? "" : value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([control(type, bytes.length), bytes]);
}

function encode(value: Value): Buffer {
  if (typeof value === "string") return Buffer.concat([control(STRING, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") return encodeNumber(UINT32, value);
  if (typeof value === "boolean") return control(BOOLEAN, value ? 1 : 0);
  if (Array.isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(encode)]);
  const members = Object.entries(value as Readonly<Record<string, Value>>);
  return Buffer.concat([
    control(MAP, members.length),
    ...members.flatMap(([name, one]) => [encode(name), encode(one)]),
  ]);
}

/** The bits of a network in the tree of IPv6, where IPv4 is below 96 zeros. */
function bitsOf(network: Network): readonly number[] {
  const { bytes, bits, kind } = networkAddress(network);
  const own = bytes.flatMap((byte) => byte.toString(2).padStart(8, "0").split("").map(Number)).slice(0, bits);
  return kind === "ipv4" ? [...Array.from({ length: 96 }, () => 0), ...own] : own;
}

/** A node's sides: the number of a node, the offset of a record, or nothing. */
type Side = { readonly node: number } | { readonly record: number } | null;

/** `records` are by network; no network contains another one. */
export function makeMmdb(
  type: string,
  records: Readonly<Record<string, Value>>,
  builtAt = Date.UTC(2026, 10, 1),
): Buffer {
  const nodes: [Side, Side][] = [[null, null]];
  const data: Buffer[] = [];
  let bytes = 0;
  for (const [text, value] of Object.entries(records)) {
    const bits = bitsOf(parseNetwork(text) as Network);
    let node = 0;
    for (const bit of bits.slice(0, -1)) {
      const side = nodes[node]?.[bit as 0 | 1];
      if (side && "node" in side) node = side.node;
      else {
        nodes.push([null, null]);
        (nodes[node] as [Side, Side])[bit as 0 | 1] = { node: nodes.length - 1 };
        node = nodes.length - 1;
      }
    }
    (nodes[node] as [Side, Side])[bits.at(-1) as 0 | 1] = { record: bytes };
    const encoded = encode(value);
    data.push(encoded);
    bytes += encoded.length;
  }
  const tree = Buffer.alloc((nodes.length * RECORD_BITS) / 4);
  for (const [at, sides] of nodes.entries()) {
    for (const [which, side] of sides.entries()) {
      const value = side === null ? nodes.length : "node" in side ? side.node : nodes.length + 16 + side.record;
      tree.writeUIntBE(value, at * 6 + which * 3, 3);
    }
  }
  const metadata = Buffer.concat([
    control(MAP, 9),
    ...Object.entries({
      binary_format_major_version: 2,
      binary_format_minor_version: 0,
      database_type: type,
      description: { en: "of a test" },
      ip_version: 6,
      languages: ["en"],
      node_count: nodes.length,
      record_size: RECORD_BITS,
    }).flatMap(([name, value]) => [encode(name), encode(value)]),
    encode("build_epoch"),
    encodeNumber(UINT64, builtAt / 1_000),
  ]);
  return Buffer.concat([tree, Buffer.alloc(16), ...data, MARKER, metadata]);
}

const country = (continent: string, code: string) => ({
  continent: { code: continent, geoname_id: 1, names: { en: continent } },
  country: { iso_code: code, is_in_european_union: false, names: { en: code, de: code } },
});

/** As DB-IP makes them. The first addresses are those that every real database knows. */
export const COUNTRIES = makeMmdb("DBIP-Country-Lite", {
  "1.1.1.0/24": country("OC", "AU"),
  "203.0.113.0/25": country("EU", "DE"),
  "203.0.113.128/25": country("NA", "US"),
  "2001:db8::/32": country("AS", "JP"),
});
export const NETWORKS = makeMmdb("DBIP-ASN-Lite", {
  "1.1.1.0/24": { autonomous_system_number: 13_335, autonomous_system_organization: "Example DNS" },
  "203.0.113.0/26": { autonomous_system_number: 64_500, autonomous_system_organization: "Example Net" },
});
