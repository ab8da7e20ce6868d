import assert from "node:assert/strict";
import { BlockList, isIPv6 } from "node:net";
import { describe, test } from "node:test";
import fc from "fast-check";
import { addressRefusal, checkDestination } from "./egress.ts";
import type { EgressRules } from "./egress.ts";

// IANA's registries, globally reachable or not, and further networks that a webhook must not reach.
const REGISTRIES = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29 192.0.0.8/32
  192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
  192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 255.255.255.255/32
  ::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128
  2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16
  2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10
  224.0.0.0/4 ff00::/8 168.63.129.16/32 ::/96 fec0::/10 3ffe::/16`
  .trim()
  .split(/\s+/);
const TRANSLATION = "64:ff9b::/96";
const MAPPED = "::ffff:0:0/96";

const V4_MAX = 2n ** 32n - 1n;
const V6_MAX = 2n ** 128n - 1n;

const dotted = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
const groupsOf = (value: bigint) =>
  Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 65_535n).toString(16));
const written = (value: bigint, bits: number) => (bits === 32 ? dotted(value) : groupsOf(value).join(":"));

function valueOf(address: string): bigint {
  if (!isIPv6(address)) return address.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n);
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function rangeOf(network: string) {
  const [address = "", prefix] = network.split("/");
  const bits = isIPv6(address) ? 128 : 32;
  const first = valueOf(address);
  return { network, bits, first, last: first + 2n ** BigInt(bits - Number(prefix)) - 1n };
}

const ranges = REGISTRIES.map(rangeOf);

/** By other code: that of Node. */
const special = new BlockList();
for (const network of REGISTRIES) {
  const [address = "", prefix] = network.split("/");
  special.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
}

function isPublic(value: bigint, bits: number): boolean {
  const embedded = [TRANSLATION, MAPPED].map(rangeOf).some(({ first, last }) => value >= first && value <= last);
  if (bits === 128 && embedded) return isPublic(value & V4_MAX, 32);
  if (bits === 128 && value >> 125n !== 1n) return false;
  return !special.check(written(value, bits), bits === 32 ? "ipv4" : "ipv6");
}

function rulesOf(...allow: string[]): EgressRules {
  const ports = [80, 443, 8_000].map((first) => [first, first === 8_000 ? 9_000 : first] as const);
  return { allow, ports };
}

const rules = rulesOf();

function isRefused(url: string): boolean {
  return "problems" in checkDestination(url, rules);
}

const inRanges = (bits: number) =>
  fc
    .constantFrom(...ranges.filter((range) => range.bits === bits))
    .chain(({ first, last }) => fc.bigInt({ min: first, max: last }));
const anyIpv4 = fc.oneof(fc.bigInt({ min: 0n, max: V4_MAX }), inRanges(32));
const anyIpv6 = fc.oneof(
  fc.bigInt({ min: 0n, max: V6_MAX }),
  fc.bigInt({ min: 1n << 125n, max: (1n << 126n) - 1n }),
  inRanges(128),
);

/** An IPv6 address as people and programs write it: padded, shortened, with the end as IPv4, in capitals. */
const spelling = fc.record({ pads: fc.boolean(), shortens: fc.boolean(), dots: fc.boolean(), shouts: fc.boolean() });
type Spelling = typeof spelling extends fc.Arbitrary<infer Value> ? Value : never;

function shorten(groups: readonly string[]): string {
  for (let length = groups.length; length > 0; length--) {
    for (let at = 0; at + length <= groups.length; at++) {
      if (groups.slice(at, at + length).some((group) => !/^0+$/.test(group))) continue;
      return `${groups.slice(0, at).join(":")}::${groups.slice(at + length).join(":")}`;
    }
  }
  return groups.join(":");
}

function spell(value: bigint, { pads, shortens, dots, shouts }: Spelling): string {
  const groups = groupsOf(value).map((group) => (pads ? group.padStart(4, "0") : group));
  const parts = dots ? [...groups.slice(0, 6), dotted(value & V4_MAX)] : groups;
  const text = shortens ? shorten(parts) : parts.join(":");
  return shouts ? text.toUpperCase() : text;
}

/** An IPv4 address as the URL class takes it: one to four parts, each decimal, octal or hexadecimal. */
const oddIpv4 = fc.record({
  parts: fc.integer({ min: 1, max: 4 }),
  radixes: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
  dot: fc.constantFrom("", "."),
  isWide: fc.boolean(),
  isEscaped: fc.boolean(),
});
type OddIpv4 = typeof oddIpv4 extends fc.Arbitrary<infer Value> ? Value : never;

function misspell(value: bigint, { parts, radixes, dot, isWide, isEscaped }: OddIpv4): string {
  const bytes = dotted(value).split(".");
  const tail = value & (2n ** BigInt(8 * (5 - parts)) - 1n);
  const numbers = [...bytes.slice(0, parts - 1).map(BigInt), tail];
  const prefixes: Readonly<Record<number, string>> = { 8: "0", 10: "", 16: "0x" };
  const text = numbers.map((number, at) => `${prefixes[radixes[at] ?? 10]}${number.toString(radixes[at])}`).join(".");
  // The URL class accepts full-width and percent-encoded digits as digits.
  const digits = isWide ? text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))) : text;
  return `${isEscaped && !isWide ? digits.replaceAll(/\d/g, (digit) => `%3${digit}`) : digits}${dot}`;
}

describe("addresses", () => {
  test("addresses that are not public are refused and all others allowed, up to the edges of each range", () => {
    for (const { network, bits, first, last } of [
      ...ranges,
      rangeOf("2000::/3"),
      rangeOf(TRANSLATION),
      rangeOf(MAPPED),
    ]) {
      for (const value of [first - 1n, first, (first + last) / 2n, last, last + 1n]) {
        if (value < 0n || value > (bits === 32 ? V4_MAX : V6_MAX)) continue;
        const address = written(value, bits);
        assert.equal(addressRefusal(address, rules) === null, isPublic(value, bits), `${address} by ${network}`);
      }
    }
    fc.assert(
      fc.property(anyIpv4, (value) => (addressRefusal(dotted(value), rules) === null) === isPublic(value, 32)),
      { numRuns: 2_000 },
    );
  });

  test("every spelling of an IPv6 address is judged the same, in a URL as well", () => {
    const property = fc.property(anyIpv6, spelling, (value, style) => {
      const address = spell(value, style);
      const isAllowed = isPublic(value, 128);
      assert.equal(addressRefusal(address, rules) === null, isAllowed, address);
      assert.equal(!isRefused(`https://[${address}]/hook`), isAllowed, address);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test("an embedded IPv4 address is judged where a translator forwards to it, and other embeddings are refused", () => {
    const property = fc.property(
      anyIpv4,
      fc.bigInt({ min: 0n, max: 2n ** 80n - 1n }),
      spelling,
      (value, rest, style) => {
        const judge = (embedding: bigint) => addressRefusal(spell(embedding, style), rules) === null;
        assert.equal(judge(rangeOf(MAPPED).first + value), isPublic(value, 32));
        assert.equal(judge(rangeOf(TRANSLATION).first + value), isPublic(value, 32));
        assert.equal(judge(value), false, "compatible");
        assert.equal(judge((0xffffn << 48n) + value), false, "translated");
        assert.equal(judge((0x2002n << 112n) + (value << 80n) + rest), false, "6to4");
        assert.equal(judge((0x20010000n << 96n) + ((rest << 32n) % 2n ** 96n) + (value ^ V4_MAX)), false, "Teredo");
        assert.equal(
          judge((0x64_ff9b_0001n << 80n) + ((rest << 32n) % 2n ** 80n) + value),
          false,
          "translated locally",
        );
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });

  test("every spelling of an IPv4 address in a URL is judged as that address", () => {
    const property = fc.property(anyIpv4, oddIpv4, (value, style) => {
      const url = `http://${misspell(value, style)}:8080/hook`;
      assert.equal(!isRefused(url), isPublic(value, 32), `${url} is ${dotted(value)}`);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test("an allowed network allows its own addresses and no others", () => {
    const property = fc.property(
      fc.constantFrom(...ranges),
      fc.oneof(
        anyIpv4.map((value) => [value, 32] as const),
        anyIpv6.map((value) => [value, 128] as const),
      ),
      ({ network, bits: opened, first, last }, [value, bits]) => {
        const isOpened = bits === opened && value >= first && value <= last;
        const isAllowed = addressRefusal(written(value, bits), rulesOf(network)) === null;
        assert.equal(isAllowed, isOpened || isPublic(value, bits), `${written(value, bits)} with ${network}`);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
    // The same host in the form that IPv6 sockets report; behind a translator it is another host.
    assert.equal(addressRefusal("::ffff:10.0.0.1", rulesOf("10.0.0.0/8")), null);
    assert.notEqual(addressRefusal("64:ff9b::10.0.0.1", rulesOf("10.0.0.0/8")), null);
  });

  test("a refusal names the kind of address", () => {
    for (const [address, expected] of [
      ["127.0.0.1", "loopback (127.0.0.0/8)"],
      ["169.254.169.254", "metadata of a cloud (169.254.169.254/32)"],
      ["fd00:ec2::254", "metadata of a cloud (fd00:ec2::254/128)"],
      ["169.254.1.1", "link-local (169.254.0.0/16)"],
      ["::ffff:192.168.1.1", "a private network (192.168.0.0/16)"],
      ["64:ff9b::7f00:1", "translation to IPv4, to loopback (64:ff9b::/96)"],
      ["2002:7f00:1::", "6to4 (2002::/16)"],
      ["4000::1", "not global unicast (::/0)"],
      ["fe80::1%eth0", "no IP address"],
      ["example.com", "no IP address"],
    ] as const) {
      assert.equal(addressRefusal(address, rules), expected);
    }
  });
});
