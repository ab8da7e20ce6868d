// Limits of credentials: which names match, what is within what, and what the words say.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { threadMs } from "../../../test/harness/thread-time.ts";
import { describeLimits } from "./limit-words.ts";
import { areLimitsWithin, isWithin } from "./limits.ts";
import type { Limits } from "./limits.ts";

const NONE: Limits = { permissions: null, projects: null, environments: null, names: null };
const named = (...names: string[]) => ({ limits: { ...NONE, names } });

/** Names and patterns of few characters, so that they often match. */
const texts = fc.string({ unit: fc.constantFrom("a", "A", "b", "_", "."), minLength: 1, maxLength: 8 });
const patterns = fc.string({ unit: fc.constantFrom("a", "b", "_", ".", "*"), minLength: 1, maxLength: 8 });

/** The naive second matcher. */
function fits(pattern: string, name: string): boolean {
  const source = pattern.replace(/[.]/g, "\\.").replace(/\*+/g, "[^]*");
  return new RegExp(`^${source}$`, "i").test(name);
}

test("a pattern matches the names that a regular expression says, without regard to case", () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, name) => {
      assert.equal(isWithin(named(pattern), "name", name), fits(pattern, name), `${pattern} ${name}`);
    }),
    { numRuns: 3_000 },
  );
});

test("limits that are within others allow no name that the others do not", () => {
  let within = 0;
  fc.assert(
    fc.property(fc.array(patterns, { minLength: 1, maxLength: 3 }), patterns, texts, (outer, inner, name) => {
      if (!areLimitsWithin(named(inner).limits, named(...outer).limits)) return;
      within++;
      if (fits(inner, name))
        assert.ok(
          outer.some((one) => fits(one, name)),
          `${inner} in ${outer.join(" ")}: ${name}`,
        );
    }),
    { numRuns: 5_000 },
  );
  assert.ok(within > 100, `${within} pairs were within each other`);
});

test("many stars do not take long", () => {
  const pattern = `${"*a".repeat(50)}*b`;
  assert.equal(isWithin(named(pattern), "name", "a".repeat(10_000)), false);
  const ms = threadMs(() => {
    // A matcher that backtracks compares this start at each place of the text: 2.5 billion times, in about a minute.
    assert.equal(isWithin(named(`*${"a".repeat(50_000)}b*`), "name", "a".repeat(100_000)), false);
  });
  assert.ok(ms < 5_000, `${ms} ms`);
});

test("what is not limited is not within what is", () => {
  const shop = { ...NONE, projects: ["shop"] };
  for (const [inner, outer, expected] of [
    [null, null, true],
    [shop, null, true],
    [null, shop, false],
    [shop, shop, true],
    [shop, { ...shop, projects: ["shop", "site"] }, true],
    [{ ...shop, projects: ["shop", "site"] }, shop, false],
    [shop, { ...shop, names: ["*"] }, false],
    [{ ...shop, names: ["A", "B_*"] }, { ...NONE, names: ["a", "b*"] }, true],
    [{ ...NONE, projects: ["Shop"] }, shop, false],
    [{ ...NONE, environments: ["production"] }, { ...NONE, environments: ["preview"] }, false],
  ] as const) {
    assert.equal(areLimitsWithin(inner, outer), expected, JSON.stringify([inner, outer]));
  }
});

test("the words say what a credential may do, and name what is of no use", () => {
  const all = { role: null, limits: null, allowedCidrs: [], expiresAt: null };
  const reads = { ...NONE, permissions: ["secret:read", "secret:reveal"] } as const;
  const cases = [
    [all, "It may do everything that its user may. It works from any address. It has no end."],
    [
      { ...all, role: "DEVELOPER", expiresAt: Date.UTC(2030, 0, 2, 3, 4) },
      "It may do everything that the role DEVELOPER may. It works from any address. It ends on 2030-01-02 at 03:04 UTC.",
    ],
    [
      { ...all, limits: { ...reads, names: ["DB_*", "API_KEY"] }, allowedCidrs: ["10.0.0.0/8"] },
      "It may see names of secrets and reveal values, and nothing else. Of secrets and variables it knows only DB_* and API_KEY. It works only from 10.0.0.0/8. It has no end.",
    ],
    [
      { ...all, limits: { ...NONE, permissions: ["secret:reveal"] } },
      "It may do nothing. Of no use so: secret:reveal. It works from any address. It has no end.",
    ],
    [
      { ...all, limits: { ...NONE, permissions: ["gate:connect", "event:read"], projects: ["shop"] } },
      "It may connect a gate, and nothing else. Of no use so: event:read. Of projects it knows only shop. It works from any address. It has no end.",
    ],
    [
      { ...all, role: "VIEWER", limits: { ...NONE, projects: ["shop", "site", "web"] } },
      "It may see the firewall and see environments, and nothing else. Of projects it knows only shop, site and web. It works from any address. It has no end.",
    ],
    [
      { ...all, role: "VIEWER", lifetimeMs: 900_000 },
      "It may do everything that the role VIEWER may. It works from any address. It ends 15 minutes after it was issued.",
    ],
  ] as const;
  for (const [credential, words] of cases) assert.equal(describeLimits(credential), words);
});
