// A response equals what any client sent, and a PUT of it changes nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CRS_OFF, denyPath, firewallEvents, openFirewall, ruleOf, saidBy } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { ENFORCED_BY } from "../evaluator/config.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { clock, createUser } = client;

async function ownFirewall() {
  const user = await createUser();
  return { user, firewall: openFirewall(client, user.token) };
}

/** As Terraform sends it: conditions have every member, and actions leave out unset ones. */
const TERRAFORM = {
  firewallEnabled: true,
  managedRules: { owasp: { active: true }, bot_protection: { active: false, action: "challenge" } },
  crs: { ...CRS_OFF, xss: { active: true, action: "deny" } },
  rules: [
    {
      id: "rule_one",
      name: "limit",
      description: "",
      active: true,
      conditionGroup: [
        {
          conditions: [
            { type: "path", op: "pre", neg: false, key: "", value: "/api" },
            { type: "header", op: "ex", neg: true, key: "x-key", value: "" },
            { type: "geo_country", op: "ninc", neg: false, key: "", value: ["DE", "FR"] },
          ],
        },
        { conditions: [{ type: "geo_as_number", op: "eq", neg: false, key: "", value: "64500" }] },
      ],
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: { algo: "fixed_window", window: 60, limit: 100, keys: ["ip", "ja4"], action: null },
        },
      },
    },
  ],
  ips: [{ id: "ip_one", hostname: "*", ip: "192.0.2.0/24", notes: "", action: "deny" }],
};

/** As the command line sends it: with nulls for unset members. */
const COMMAND_LINE = {
  firewallEnabled: true,
  rules: [
    denyPath("admin", {
      id: "rule_cli",
      description: null,
      action: {
        mitigate: { action: "deny", rateLimit: null, redirect: null, actionDuration: null, bypassSystem: null },
      },
    }),
  ],
  ips: [{ id: "ip_cli", hostname: "example.com", ip: "2001:DB8::/48", notes: null, action: "bypass" }],
};

const EVERYTHING = {
  ...TERRAFORM,
  conditions: [
    {
      id: "shared",
      name: "s",
      description: null,
      active: false,
      conditionGroup: ruleOf({ type: "path", op: "ex" }).conditionGroup,
    },
    { id: "empty", name: "e", active: true, conditionGroup: [] },
  ],
  rules: [
    ...TERRAFORM.rules,
    { ...ruleOf({ type: "shared_condition", op: "inc", value: ["shared", "empty"] }), id: "last", action: {} },
    { ...ruleOf({ type: "header", op: "inc", key: "X-N", value: [1, "1", -0.5, "Ünï"] }), id: "first" },
  ],
  botIdEnabled: false,
  logHeaders: ["X-One", "x-one"],
  ja3Enabled: true,
  ja4Enabled: false,
  rulesets: { b: [1, null, { z: "", a: [] }], a: 1.5 },
};

const CONFIGURATIONS: Readonly<Record<string, Body>> = {
  "one of Terraform": TERRAFORM,
  "one of the command line": COMMAND_LINE,
  "one with everything": EVERYTHING,
  "an empty one": { firewallEnabled: false },
  "one with empty parts": { firewallEnabled: true, conditions: [], rulesets: [], logHeaders: [] },
  "one that logs all headers": { firewallEnabled: true, logHeaders: "*" },
};

/** The expected response: members that clients require are present, and switches have stamps. */
function answered(sent: Body, stamp: Body): Body {
  const stamped = Object.entries(sent.managedRules ?? {}).map(([set, value]) => [
    set,
    { ...(value as object), ...stamp },
  ]);
  return {
    crs: CRS_OFF,
    rules: [],
    ips: [],
    ...sent,
    ...(sent.managedRules && { managedRules: Object.fromEntries(stamped) }),
  };
}

for (const [name, sent] of Object.entries(CONFIGURATIONS)) {
  test(`${name} is returned as it was sent, and changes nothing when it is put again`, async () => {
    const { user, firewall } = await ownFirewall();
    const stamp = { updatedAt: new Date(clock.now).toISOString(), userId: user.id, username: user.username };
    // Another version in between.
    await firewall.set({ rules: [denyPath("other")], managedRules: { ai_bots: { active: true } }, rulesets: { x: 1 } });
    const active = (await firewall.put(sent)).body.active;
    assert.deepEqual(saidBy(active), answered(sent, stamp));
    // Members that are stored unchanged keep even the order of their own members.
    assert.equal(JSON.stringify(active.rulesets), JSON.stringify(sent.rulesets));

    const events = (await firewallEvents(client, user.id)).length;
    clock.advance(60_000);
    for (const again of [active, await firewall.read("2"), sent, { ...active, note: "said anew" }]) {
      const put = await firewall.put(again);
      assert.equal(put.status, 200, put.text);
      assert.deepEqual(put.body.active, active);
      assert.equal(put.headers["etag"], '"2"');
    }
    assert.equal((await firewall.list()).versions.length, 2);
    assert.equal((await firewallEvents(client, user.id)).length, events);
  });
}

test("a PUT of an earlier version creates an equal new one", async () => {
  const { firewall } = await ownFirewall();
  const first = (await firewall.put(EVERYTHING)).body.active;
  await firewall.set();
  clock.advance(1_000);
  const { managedRules, ...third } = saidBy(await firewall.set(await firewall.read(1)));
  const { managedRules: before, ...said } = saidBy(first);
  assert.deepEqual(third, said);
  // The switches changed, so their stamps are new.
  for (const [set, { updatedAt }] of Object.entries<Body>(managedRules)) {
    assert.equal(Date.parse(updatedAt) - Date.parse(before[set].updatedAt), 1_000);
  }
  assert.equal((await firewall.read()).version, 3);
});

test("a PUT of a draft activates its content, and leaves the draft without effect", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set({ rules: [denyPath("a")] });
  await firewall.stage({ action: "crs.update", id: "xss", value: { active: true, action: "deny" } });
  const draft = await firewall.read("draft");
  assert.deepEqual(saidBy(await firewall.set(draft)), saidBy(draft));
  assert.equal((await firewall.read("draft")).changeCount, 0);
});

test("a PUT removes absent parts, and empty managed rules change nothing", async () => {
  const { firewall } = await ownFirewall();
  const { managedRules } = (await firewall.put(EVERYTHING)).body.active;
  const kept = await firewall.set({ managedRules: {} });
  assert.deepEqual(saidBy(kept), { firewallEnabled: true, crs: CRS_OFF, rules: [], ips: [], managedRules });
  assert.deepEqual(saidBy(await firewall.set()), { firewallEnabled: true, crs: CRS_OFF, rules: [], ips: [] });
  assert.equal("managedRules" in (await firewall.set({ managedRules: {} })), false);
  assert.equal((await firewall.read()).version, 3);
});

test("every response with a configuration has enforcedBy, and in a body it is ignored", async () => {
  const { firewall } = await ownFirewall();
  const managedRules = { ai_bots: { active: true } };
  const first = await firewall.set({ managedRules });
  const changed = (await firewall.patch({ action: "ja3Enabled", value: true })).body;
  const staged = (await firewall.stage({ action: "ja4Enabled", value: true })).body;
  const unchanged = (await firewall.stage({ action: "ja4Enabled", value: true })).body;
  const { active, draft, versions } = await firewall.list();
  const read = [await firewall.read(), await firewall.read(1), await firewall.read("draft")];
  const activated = [(await firewall.activate("draft")).body, (await firewall.activate(1)).body];
  for (const enforcedBy of [{ crs: { sqli: "coraza" } }, "coraza", null]) {
    const again = await firewall.set({ ...first, enforcedBy });
    assert.equal(again.version, 1);
    activated.push(again);
  }
  const all = [first, changed, staged, unchanged, active, draft, ...versions, ...read, ...activated];
  assert.equal(all.length, 16);
  for (const { enforcedBy } of all) assert.deepEqual(enforcedBy, ENFORCED_BY);
});

test("an empty list of shared conditions differs from none", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set();
  assert.deepEqual((await firewall.set({ conditions: [] })).conditions, []);
  assert.deepEqual((await firewall.diff(1, 2)).differences, [{ kind: "added", part: "conditions", after: [] }]);
  assert.equal("conditions" in (await firewall.set()), false);
  assert.equal((await firewall.read()).version, 3);
});

test("categories that are not sent are off", async () => {
  const { firewall } = await ownFirewall();
  const xss = { active: true, action: "deny" };
  assert.deepEqual((await firewall.set({ crs: { xss } })).crs, { ...CRS_OFF, xss });
  assert.deepEqual((await firewall.set({ crs: null })).crs, CRS_OFF);
  for (const crs of [{}, undefined, CRS_OFF]) assert.equal((await firewall.set({ crs })).version, 2);
});

test("a switch that changes is stamped with author and time, and the others keep their stamps", async () => {
  const owner = await createUser();
  const other = await createUser();
  const team = await client.createTeam(owner);
  await client.request("POST", `/v1/teams/${team.id}/members`, {
    token: owner.token,
    body: { uid: other.id, role: "SECURITY" },
  });
  await client.request("POST", "/v1/teams/join", { token: other.token, body: { teamId: team.id } });
  const mine = openFirewall(client, owner.token, "site", team.id);
  const theirs = openFirewall(client, other.token, "site", team.id);
  const first = (
    await mine.set({ managedRules: { ai_bots: { active: true, action: "deny" }, owasp: { active: true } } })
  ).managedRules;
  clock.advance(1_000);
  const stamp = { updatedAt: new Date(clock.now).toISOString(), userId: other.id, username: other.username };
  const second = await theirs.set({
    managedRules: {
      owasp: { active: false, updatedAt: "1999-01-01T00:00:00.000Z", userId: "forged", username: "forged" },
      ai_bots: { action: "deny", active: true },
      bot_filter: { active: false },
    },
  });
  assert.deepEqual(second.managedRules, {
    ai_bots: first.ai_bots,
    owasp: { active: false, ...stamp },
    bot_filter: { active: false, ...stamp },
  });
  assert.deepEqual(
    (await mine.diff(1, 2)).differences.map(({ kind, part, id }: Body) => [kind, part, id]),
    [
      ["changed", "managedRules", "owasp"],
      ["added", "managedRules", "bot_filter"],
    ],
  );
});

test("values that only one client writes are returned in the form that every client reads", async () => {
  const { firewall } = await ownFirewall();
  const rateLimit = { algo: "fixed_window", window: 60, limit: 1, keys: ["ip"], action: "" };
  const mitigate = { action: "rate_limit", rateLimit, logHeaders: "X-One" };
  const requested = { firewallEnabled: true, logHeaders: "X-One", rules: [denyPath("a", { action: { mitigate } })] };
  const { status, body } = await firewall.put(requested);
  assert.equal(status, 200);
  const { logHeaders, rules, version } = body.active;
  assert.deepEqual(logHeaders, ["X-One"]);
  assert.deepEqual(rules[0].action.mitigate, {
    ...mitigate,
    rateLimit: { ...rateLimit, action: null },
    logHeaders: ["X-One"],
  });
  assert.equal((await firewall.put(requested)).body.active.version, version);
});
