import assert from "node:assert/strict";
import { test } from "node:test";
import { GATE_SETTINGS } from "../../serve/config/gate-settings.ts";
import { REASONS } from "../../gate/decision.ts";
import { POLICY_TEXTS } from "./decision-text.ts";

test("every policy of a gate has a text, and the settings that it names exist", () => {
  assert.deepEqual(Object.keys(POLICY_TEXTS), Object.keys(REASONS));
  const settings = new Set(Object.values(GATE_SETTINGS).map(({ env }) => env));
  for (const name of Object.values(POLICY_TEXTS).flatMap((text) => text.match(/REEVE_\w+/g) ?? [])) {
    assert.ok(settings.has(name), name);
  }
});
