// What an operator is told to do about a failure of the store is the same where it fails and in readiness.
import assert from "node:assert/strict";
import { test } from "node:test";
import { STORE_ADVICE } from "../../platform/store/failure.ts";
import { HEALTH_CHECKS } from "./health-checks.ts";
import { CODES } from "./run-checks.ts";

test("readiness gives the advice of the failure", () => {
  const reasons = Object.keys(STORE_ADVICE) as (keyof typeof STORE_ADVICE)[];
  assert.ok(reasons.length > 5);
  for (const reason of reasons) {
    const { advice } = HEALTH_CHECKS[CODES[reason]];
    assert.ok(advice.includes(STORE_ADVICE[reason]), `${reason}: ${advice}`);
  }
});
