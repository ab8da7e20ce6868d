import assert from "node:assert/strict";
import { test } from "node:test";
import { threadMs } from "../../../test/harness/thread-time.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { parseConfig } from "./config-rules.ts";
import { parseBody } from "./parse-rules.ts";

/** The longest allowed delay of other writers: on SQLite the writer thread parses a body. */
const MAX_MS = 50;

/** The CPU time of the work; the least of three times, because what else runs on the core makes it longer. */
function leastMs(work: () => void): number {
  return Math.min(...[1, 2, 3].map(() => threadMs(work)));
}

function wantedOf(makeExpression: (index: number) => string, count: number) {
  const conditions = Array.from({ length: count }, (_, index) => [
    { type: "path", op: "re", value: makeExpression(index) },
  ]);
  const groups = conditions.map((each) => ({ conditions: each }));
  const rules = groups.map((group, index) => ({
    name: `Rule ${index}`,
    active: true,
    conditionGroup: [group],
    action: { mitigate: { action: "deny" } },
  }));
  return { firewallEnabled: true, rules };
}

test("validating expressions is fast, including rejected ones", () => {
  const read = (requested: unknown) => parseBody(parseConfig, requested, "body", 100_000);
  // The first expression loads the engine.
  read(wantedOf(() => "a", 1));
  // Expressions that are too large, or invalid.
  for (const makeExpression of [
    (index: number) => `x{1000}y{1000}z{900}${index}`,
    (index: number) => `\\pL{30}\\pN{30}\\PL[^\\pL]{20}${index})`,
  ]) {
    const requested = wantedOf(makeExpression, 1_000);
    const ms = leastMs(() => assert.throws(() => read(requested), ApiError));
    assert.ok(ms < MAX_MS, `${makeExpression(0)}: ${Math.round(ms)} ms`);
  }
  // As many as a configuration may have.
  const most = wantedOf((index) => `[a-f]{160}${index}`, 20);
  const ms = leastMs(() => void read(most));
  assert.ok(ms < MAX_MS, `all that may be stored: ${Math.round(ms)} ms`);
});
