// PATCH: every action, on the active configuration and on a draft: its result, and what it rejects.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANGE_ACTIONS } from "./change-schema.ts";
import {
  CRS_OFF,
  denyPath,
  errorsOf,
  firewallEvents,
  openFirewall,
  outcome,
  saidBy,
} from "../../../test/resources/firewalls.ts";
import type { Firewall } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { clock, createUser } = client;

async function ownFirewall() {
  const user = await createUser();
  return { user, firewall: openFirewall(client, user.token) };
}

const entry = (id: string, more: object = {}) => ({ id, hostname: "*", ip: "192.0.2.1", action: "deny", ...more });
const START = {
  rules: [denyPath("a", { id: "a" }), denyPath("b", { id: "b" }), denyPath("c", { id: "c" })],
  ips: [entry("x"), entry("y")],
  conditions: [{ id: "shared", name: "s", active: true, conditionGroup: [] }],
  crs: { xss: { active: true, action: "deny" } },
  managedRules: { ai_bots: { active: false, action: "deny", ruleGroups: { gptbot: { active: false } } } },
  logHeaders: ["x-one"],
};
const on = { active: true, action: "log" };
const sharing = (value: string) =>
  denyPath("s", { id: "s", conditionGroup: [{ conditions: [{ type: "shared_condition", op: "eq", value }] }] });
const ruleIds = ({ rules }: Body) => rules.map(({ id }: Body) => id).join(" ");
const stampless = ({ updatedAt: _updatedAt, userId: _userId, username: _username, ...rest }: Body) => rest;

/** An accepted change, and the part of the result that it affects. */
const TAKEN: readonly (readonly [change: Body, part: (said: Body) => unknown, expected: unknown])[] = [
  [{ action: "firewallEnabled", value: false }, (said) => said.firewallEnabled, false],
  [{ action: "firewallEnabled", id: null, value: false }, (said) => said.firewallEnabled, false],
  [{ action: "rules.insert", value: denyPath("d", { id: "d" }) }, ruleIds, "a b c d"],
  [
    { action: "rules.insert", id: "whatever", value: denyPath("d", { id: "d" }) },
    (said) => said.rules[3],
    denyPath("d", { id: "d" }),
  ],
  [{ action: "rules.insert", value: sharing("shared") }, ruleIds, "a b c s"],
  [{ action: "rules.update", id: "b", value: denyPath("d") }, (said) => said.rules[1], denyPath("d", { id: "b" })],
  [{ action: "rules.update", id: "b", value: denyPath("d", { id: "other", valid: true }) }, ruleIds, "a b c"],
  [{ action: "rules.remove", id: "b" }, ruleIds, "a c"],
  [{ action: "rules.remove", id: "a", value: null }, ruleIds, "b c"],
  [{ action: "rules.priority", id: "c", value: 0 }, ruleIds, "c a b"],
  [{ action: "rules.priority", id: "a", value: 1 }, ruleIds, "b a c"],
  [{ action: "rules.priority", id: "a", value: 2 }, ruleIds, "b c a"],
  [{ action: "rules.priority", id: "a", value: 999 }, ruleIds, "b c a"],
  [{ action: "crs.update", id: "sd", value: on }, (said) => said.crs, { ...CRS_OFF, ...START.crs, sd: on }],
  [{ action: "crs.disable" }, (said) => said.crs, CRS_OFF],
  [{ action: "crs.disable", id: null, value: null }, (said) => said.crs, CRS_OFF],
  [
    { action: "ip.insert", id: null, value: entry("z", { notes: "n" }) },
    (said) => said.ips[2],
    entry("z", { notes: "n" }),
  ],
  [
    { action: "ip.update", id: "x", value: entry("other", { action: "log" }) },
    (said) => said.ips[0],
    entry("x", { action: "log" }),
  ],
  [{ action: "ip.remove", id: "x" }, (said) => said.ips, [entry("y")]],
  [
    { action: "managedRules.update", id: "owasp", value: { active: true } },
    (said) => stampless(said.managedRules.owasp),
    { active: true },
  ],
  // The rule groups of a set stay unless the change has others.
  [
    { action: "managedRules.update", id: "ai_bots", value: { active: true } },
    (said) => stampless(said.managedRules.ai_bots),
    { active: true, ruleGroups: { gptbot: { active: false } } },
  ],
  [
    { action: "managedRules.update", id: "ai_bots", value: { active: true, action: "log", ruleGroups: {} } },
    (said) => stampless(said.managedRules.ai_bots),
    { active: true, action: "log", ruleGroups: {} },
  ],
  [
    { action: "managedRuleGroup.update", id: "ai_bots", value: { ccbot: { active: true, action: "challenge" } } },
    (said) => stampless(said.managedRules.ai_bots),
    {
      active: false,
      action: "deny",
      ruleGroups: { gptbot: { active: false }, ccbot: { active: true, action: "challenge" } },
    },
  ],
  [
    { action: "managedRuleGroup.update", id: "bot_filter", value: { one: { active: true } } },
    (said) => stampless(said.managedRules.bot_filter),
    { active: false, ruleGroups: { one: { active: true } } },
  ],
  // The rule groups of this set are the categories.
  [
    {
      action: "managedRuleGroup.update",
      id: "owasp",
      value: { sd: { active: true, action: "deny" }, xss: { active: false } },
    },
    (said) => [said.crs.sd, said.crs.xss, said.managedRules.owasp],
    [{ active: true, action: "deny" }, { active: false, action: "log" }, undefined],
  ],
  [{ action: "botId.toggle", value: true }, (said) => said.botIdEnabled, true],
  [{ action: "botId.toggle", value: false }, (said) => said.botIdEnabled, false],
  [{ action: "logHeaders.update", value: "*" }, (said) => said.logHeaders, "*"],
  [{ action: "logHeaders.update", value: "X-Two" }, (said) => said.logHeaders, ["X-Two"]],
  [{ action: "logHeaders.update", value: [] }, (said) => said.logHeaders, []],
  [{ action: "ja3Enabled", value: true }, (said) => said.ja3Enabled, true],
  [{ action: "ja4Enabled", value: false }, (said) => said.ja4Enabled, false],
];

/** Rejected changes: the errors below `body`, or the error code. */
const REFUSED: readonly (readonly [change: unknown, ...errors: string[]])[] = [
  [undefined, ""],
  ["[]", ""],
  [{}, ".action"],
  [{ action: "rules.add", value: 1 }, ".action"],
  [{ action: "toString", value: true }, ".action"],
  [{ action: 5 }, ".action"],
  [{ action: "firewallEnabled", value: true, values: [] }, ".values"],
  [{ action: "rules.add", note: 5, expectedVersion: "1" }, ".action", ".note", ".expectedVersion"],
  ...["firewallEnabled", "botId.toggle", "ja3Enabled", "ja4Enabled"].flatMap((action): [unknown, string][] =>
    [undefined, null, "true", 1, {}].map((value) => [{ action, value }, ".value"]),
  ),
  [{ action: "rules.insert" }, ".value"],
  [{ action: "rules.insert", value: [denyPath("d")] }, ".value"],
  [{ action: "rules.insert", value: denyPath("d", { id: "a" }) }, ".value.id"],
  [{ action: "rules.insert", value: denyPath("d", { active: 1, name: "" }) }, ".value.name", ".value.active"],
  [{ action: "rules.insert", value: sharing("none") }, ".value.conditionGroup[0].conditions[0].value"],
  [{ action: "rules.update", value: denyPath("d") }, ".id"],
  [{ action: "rules.update", id: null, value: denyPath("d") }, ".id"],
  [{ action: "rules.update", id: 5, value: null }, ".id", ".value"],
  [
    { action: "rules.update", id: "a", value: { name: "only" } },
    ".value.active",
    ".value.conditionGroup",
    ".value.action",
  ],
  [{ action: "rules.update", id: "a", value: sharing("none") }, ".value.conditionGroup[0].conditions[0].value"],
  [{ action: "rules.update", id: "none", value: denyPath("d") }, "not_found"],
  [{ action: "rules.remove" }, ".id"],
  [{ action: "rules.remove", id: "" }, ".id"],
  [{ action: "rules.remove", id: "none" }, "not_found"],
  [{ action: "rules.remove", id: "x" }, "not_found"],
  [{ action: "rules.priority", id: "a" }, ".value"],
  [{ action: "rules.priority", id: "a", value: -1 }, ".value"],
  [{ action: "rules.priority", id: "a", value: 1.5 }, ".value"],
  [{ action: "rules.priority", id: "a", value: "1" }, ".value"],
  [{ action: "rules.priority", id: "a", value: 1_000 }, ".value"],
  [{ action: "rules.priority", id: "none", value: 0 }, "not_found"],
  [{ action: "crs.update", id: "owasp", value: on }, ".id"],
  [{ action: "crs.update", value: on }, ".id"],
  [{ action: "crs.update", id: "xss", value: { active: true } }, ".value.action"],
  [{ action: "crs.update", id: "xss", value: { active: true, action: "challenge" } }, ".value.action"],
  // One client drops these two members when the response says that they are not found.
  [{ action: "ip.insert", id: null, value: { action: "deny" } }, ".value.hostname", ".value.ip"],
  [{ action: "ip.insert", value: entry("x") }, ".value.id"],
  [{ action: "ip.update", id: "a", value: entry("a") }, "not_found"],
  [{ action: "ip.update", id: "x", value: entry("x", { ip: "::/0" }) }, ".value.ip"],
  [{ action: "ip.remove", id: "none" }, "not_found"],
  [{ action: "ip.remove" }, ".id"],
  [{ action: "managedRules.update", id: "xss", value: { active: true } }, ".id"],
  [{ action: "managedRules.update", id: "owasp", value: { action: "log" } }, ".value.active"],
  [{ action: "managedRules.update", id: "owasp", value: { active: true, action: "bypass" } }, ".value.action"],
  [{ action: "managedRuleGroup.update", id: "ai_bots", value: true }, ".value"],
  [{ action: "managedRuleGroup.update", id: "ai_bots", value: { "a b": { active: true } } }, ".value.a b"],
  [{ action: "managedRuleGroup.update", id: "ai_bots", value: { one: { active: 1 } } }, ".value.one.active"],
  [{ action: "managedRuleGroup.update", id: "owasp", value: { one: { active: true } } }, ".value.one"],
  [
    { action: "managedRuleGroup.update", id: "owasp", value: { sd: { active: true, action: "challenge" } } },
    ".value.sd.action",
  ],
  [{ action: "logHeaders.update", value: null }, ".value"],
  [{ action: "logHeaders.update", value: ["x", "a b"] }, ".value[1]"],
];

const WAYS = [
  ["the active configuration", "active", (firewall: Firewall) => firewall.patch],
  ["the draft", "draft", (firewall: Firewall) => firewall.stage],
] as const;

for (const [what, name, wayOf] of WAYS) {
  test(`every action changes ${what} as specified and nothing else`, async () => {
    for (const [change, part, expected] of TAKEN) {
      const { firewall } = await ownFirewall();
      const before = await firewall.set(START);
      const { status, body, text } = await wayOf(firewall)(change);
      assert.equal(status, 200, `${JSON.stringify(change)}: ${text}`);
      assert.deepEqual(part(saidBy(body)), expected, JSON.stringify(change));
      assert.deepEqual(await firewall.read(name), body);
      const { differences } = await firewall.diff(1, name);
      assert.equal(differences.length, body.changeCount);
      const changed = new Set(differences.map((difference: Body) => difference.part));
      assert.equal(changed.size, 1, JSON.stringify(differences));
      assert.deepEqual(await firewall.read(1), before);
    }
    assert.deepEqual(new Set(TAKEN.map(([{ action }]) => action)), new Set(CHANGE_ACTIONS));
  });

  test(`an invalid change of ${what} is rejected with the paths of its errors, and changes nothing`, async () => {
    const { user, firewall } = await ownFirewall();
    const before = await firewall.set(START);
    const events = await firewallEvents(client, user.id);
    for (const [change, ...errors] of REFUSED) {
      const response = await wayOf(firewall)(change);
      if (errors[0] === "not_found") assert.equal(outcome(response), "not_found", JSON.stringify(change));
      else
        assert.deepEqual(
          errorsOf(response),
          errors.map((error) => `body${error}`),
          JSON.stringify(change),
        );
    }
    const { active, draft, versions } = await firewall.list();
    assert.deepEqual([active, draft, versions], [before, null, [before]]);
    assert.deepEqual(await firewallEvents(client, user.id), events);
  });
}

test("an inserted item without an id gets one, and an updated item keeps its position and its id", async () => {
  const { firewall } = await ownFirewall();
  const inserted = (await firewall.patch({ action: "rules.insert", value: denyPath("a") })).body.rules[0];
  assert.match(inserted.id, /^rule_\w{10,}$/);
  const twin = (await firewall.patch({ action: "rules.insert", value: denyPath("a") })).body.rules[1];
  assert.notEqual(twin.id, inserted.id);
  const { rules } = (await firewall.patch({ action: "rules.update", id: inserted.id, value: inserted })).body;
  assert.deepEqual(rules, [inserted, twin]);
  assert.match(
    (await firewall.patch({ action: "ip.insert", value: { hostname: "*", ip: "::1", action: "log" } })).body.ips[0].id,
    /^ip_/,
  );
});

test("the first change of a project starts from an enabled, empty configuration", async () => {
  const { firewall } = await ownFirewall();
  const { status, body } = await firewall.patch({ action: "firewallEnabled", value: true, note: "on" });
  assert.equal(status, 200);
  assert.deepEqual(saidBy(body), { firewallEnabled: true, crs: CRS_OFF, rules: [], ips: [] });
  assert.deepEqual([body.version, body.note, body.basedOn, body.changeCount], [1, "on", null, 0]);
});

test("a change without effect creates no version, and an update with equal content is one", async () => {
  const { user, firewall } = await ownFirewall();
  const before = await firewall.set(START);
  const events = await firewallEvents(client, user.id);
  clock.advance(1_000);
  for (const change of [
    { action: "firewallEnabled", value: true },
    { action: "rules.update", id: "a", value: before.rules[0] },
    { action: "rules.priority", id: "b", value: 1 },
    { action: "rules.priority", id: "c", value: 500 },
    { action: "ip.update", id: "x", value: before.ips[0] },
    { action: "crs.update", id: "xss", value: START.crs.xss },
    { action: "managedRules.update", id: "ai_bots", value: { active: false, action: "deny" } },
    { action: "managedRules.update", id: "ai_bots", value: before.managedRules.ai_bots },
    { action: "managedRuleGroup.update", id: "ai_bots", value: { gptbot: { active: false } } },
    { action: "managedRuleGroup.update", id: "ai_bots", value: {} },
    { action: "logHeaders.update", value: ["x-one"] },
  ]) {
    assert.deepEqual((await firewall.patch({ ...change, note: "nothing" })).body, before, JSON.stringify(change));
    const staged = (await firewall.stage(change)).body;
    assert.deepEqual([staged.changes, staged.version, staged.updatedAt], [[], 2, new Date(clock.now).toISOString()]);
    assert.equal((await firewall.get("draft")).status, 404);
  }
  assert.deepEqual(await firewallEvents(client, user.id), events);
});
