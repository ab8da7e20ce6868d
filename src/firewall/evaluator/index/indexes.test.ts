import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { containsAddress, parseAddress, parseNetwork } from "../../../platform/kernel/network/network.ts";
import { readAddress } from "../request/address.ts";
import { GramIndex } from "./gram-index.ts";
import { indexNetworks } from "./network-index.ts";
import type { Rule } from "../config.ts";
import { RequestView } from "../request/request.ts";
import { PrefixIndex } from "./prefix-index.ts";
import { indexRules } from "./rule-index.ts";
import type { MarkCandidates } from "./rule-index.ts";

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

describe("the index of rules", () => {
  it("finds the same rules for a user agent that comes again, also after many others", () => {
    for (const count of [3, 40]) {
      const rules = Array.from({ length: count }, (_, at): Rule => ({
        id: `rule_${at}`,
        name: `rule ${at}`,
        active: true,
        conditionGroup: [{ conditions: [{ type: "user_agent", op: "sub", value: `bot-${at}.` }] }],
        action: { mitigate: { action: "deny" } },
      }));
      const marked = (mark: MarkCandidates, userAgent: string) => {
        const bits = new Uint32Array(Math.ceil(count / 32));
        mark(new RequestView({ url: "https://shop.test/", headers: { "User-Agent": userAgent } }), bits);
        return [...bits];
      };
      const texts = Array.from({ length: 600 }, (_, at) => `${"x".repeat(at)} Bot-${at % 4}.`);
      // Each time by an index that has seen nothing.
      const expected = texts.map((text) => marked(indexRules(rules), text));
      assert.ok(expected.every(([bits = 0], at) => at % 4 >= count || (bits & (1 << (at % 4))) !== 0));
      const mark = indexRules(rules);
      for (let round = 0; round < 2; round++) {
        for (const [at, text] of texts.entries()) {
          assert.deepEqual(marked(mark, text), expected[at]);
          assert.deepEqual(marked(mark, text), expected[at]);
        }
      }
    }
  });
});
