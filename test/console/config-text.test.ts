// What a file changes in a configuration of the firewall, as it is shown before it is published.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configText, diffConfig, readConfigText } from "../../console/pages/firewall/file/config-text.ts";
import type { Config } from "../../console/pages/firewall/config-types.ts";

const rule = (id: string, name = id) => ({ id, name, active: true, conditionGroup: [], action: {} });
const config = (rules: object[], more: object = {}) =>
  ({ firewallEnabled: true, rules, ips: [], version: 3, ownerId: "o", ...more }) as unknown as Config;
const kinds = (active: Config | null, file: object) =>
  diffConfig(active, file as never).map(({ kind, part, before, after }) => [kind, part, after ?? before]);

test("a text has what a configuration says, and nothing of where it is stored", () => {
  const text = configText(config([rule("a")]));
  assert.deepEqual(readConfigText(text), { firewallEnabled: true, rules: [rule("a")], ips: [] });
  assert.deepEqual(diffConfig(config([rule("a")]), readConfigText(text)), []);
  assert.deepEqual(readConfigText(configText(null)), { firewallEnabled: true, rules: [], ips: [] });
  for (const wrong of ["", "[]", "null", "{"]) assert.throws(() => readConfigText(wrong));
});

test("rules are added, removed, changed and moved", () => {
  const [a, b, c] = [rule("a"), rule("b"), rule("c")];
  const active = config([a, b, c]);
  const { id: _id, ...anonymous } = rule("x", "new");
  assert.deepEqual(kinds(active, { firewallEnabled: true, rules: [a, b, c, anonymous], ips: [] }), [
    ["added", "rules", anonymous],
  ]);
  assert.deepEqual(kinds(active, { firewallEnabled: true, rules: [a, c], ips: [] }), [["removed", "rules", b]]);
  assert.deepEqual(kinds(active, { firewallEnabled: false, rules: [a, rule("b", "B"), c], ips: [] }), [
    ["changed", "firewallEnabled", false],
    ["changed", "rules", rule("b", "B")],
  ]);
  assert.deepEqual(kinds(active, { firewallEnabled: true, rules: [b, c, a], ips: [] }), [["moved", "rules", a]]);
});

test("a rule without an id is the equal stored one, whatever the order of its members", () => {
  const a = rule("a");
  assert.deepEqual(
    kinds(config([a]), {
      firewallEnabled: true,
      rules: [{ action: {}, conditionGroup: [], active: true, name: "a" }],
      ips: [],
    }),
    [],
  );
});
