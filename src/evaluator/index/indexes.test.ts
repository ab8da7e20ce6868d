import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { containsAddress, parseAddress, parseNetwork } from "../../kernel/network/network.ts";
import { readAddress } from "../request/address.ts";
import { GramIndex } from "./gram-index.ts";
import { indexNetworks } from "./network-index.ts";
import { PrefixIndex } from "./prefix-index.ts";

const byte = fc.constantFrom(0, 1, 2, 127, 128, 255);
const v4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join("."));
const group = fc.constantFrom("0", "1", "7fff", "8000", "ffff", "db8");
const v6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":"));
const network = fc.oneof(
  fc.tuple(v4, fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`),
  fc.tuple(v6, fc.integer({ min: 0, max: 128 })).map(([ip, bits]) => `${ip}/${bits}`),
  v4,
  fc.constantFrom("nonsense", "::ffff:1.2.3.4", "1.2.3.4/33", ""),
);

describe("the index of networks", () => {
  it("finds the networks that contain an address, the smallest first, and the items of a network in order", () => {
    fc.assert(
      fc.property(fc.array(network, { maxLength: 30 }), fc.oneof(v4, v6), (networks, ip) => {
        const index = indexNetworks(
          networks.entries().map(([at, text]) => [text, at] as const),
          (items) => items,
        );
        const found: number[] = [];
        const words = readAddress(ip) ?? [];
        index.visit(words, (items) => {
          found.push(...items);
          return false;
        });
        const address = parseAddress(ip);
        const expected = networks
          .entries()
          .flatMap(([at, text]) => {
            const parsed = parseNetwork(text);
            return parsed && address && containsAddress(parsed, address) ? [{ at, bits: parsed.bits }] : [];
          })
          .toArray()
          .toSorted((one, other) => other.bits - one.bits || one.at - other.at);
        assert.deepEqual(
          found,
          expected.map(({ at }) => at),
        );
        assert.equal(index.contains(words), expected.length > 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it("stops when the callback says so", () => {
    const index = indexNetworks(
      [
        ["10.0.0.0/8", 1],
        ["10.1.0.0/16", 2],
      ] as const,
      (items) => items,
    );
    let calls = 0;
    index.visit(readAddress("10.1.1.1") ?? [], () => {
      calls++;
      return true;
    });
    assert.equal(calls, 1);
  });
});

describe("the index of prefixes", () => {
  it("finds every prefix of a text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\u00e4", "\ud800", "\udc00", "\uffff"), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), text, (prefixes, whole) => {
        const index = new PrefixIndex(prefixes.entries().map(([at, prefix]) => [prefix, at] as const));
        const found: number[] = [];
        index.visit(whole, (items) => found.push(...items));
        const expected = [...prefixes.keys()].filter((at) => whole.startsWith(prefixes[at] as string));
        assert.deepEqual(
          found.toSorted((one, other) => one - other),
          expected,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the index of substrings", () => {
  it("finds every substring of a text, each once", () => {
    const unit = fc.constantFrom("a", "b", "\u00e4", "\ud800", "\uffff");
    const substring = fc.string({ unit, minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(substring, { maxLength: 30 }),
        fc.array(fc.string({ unit, maxLength: 20 })),
        (substrings, texts) => {
          const index = new GramIndex(substrings.map((text, at) => [text, at] as const));
          for (const text of texts) {
            const found: number[] = [];
            index.visit(text, (items) => found.push(...items));
            assert.equal(new Set(found).size, found.length);
            for (const [at, one] of substrings.entries())
              assert.ok(!text.includes(one) || found.includes(at), `${one} in ${text}`);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
