// Firewall configurations, through one release of the SDK: what is stored is what was sent, and what comes back is what
// is stored, as far as the release knows it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Body } from "../../harness/test-app.ts";
import { CHANGES, FULL_CONFIG, IDLESS_CHANGES } from "./firewall-changes.ts";
import { contentOf, keptOf, plain, withoutNewIds } from "./stored-config.ts";
import { refusedWith } from "./refusal.ts";
import type { Session } from "./session.ts";

const PROJECT = "prj_2WjyKQmM8ZnGcJsPWMrHRHrE";

export function testFirewall({ release, as, connect, request, createOwnerAndTeam }: Session): void {
  const { firewall } = release;

  /** A team's project, and what Reeve says of it without the client. */
  async function openProject() {
    const { owner, team } = await createOwnerAndTeam();
    const query = { projectId: PROJECT, teamId: team.id };
    const path = `/v1/firewalls?projectId=${PROJECT}&teamId=${team.id}`;
    return {
      sdk: as(owner).security,
      query,
      async put(body: Body): Promise<void> {
        const { status, text } = await request("PUT", path, { token: owner.token, body });
        assert.equal(status, 200, text);
      },
      async stored(): Promise<Body> {
        const { status, body, text } = await request("GET", path.replace("?", "/active?"), { token: owner.token });
        assert.equal(status, 200, text);
        return body;
      },
    };
  }

  test("getFirewallConfig gives the active configuration and a version as they are stored", async () => {
    const { sdk, query, put, stored } = await openProject();
    for (const configVersion of ["active", "1", "draft"]) {
      await assert.rejects(sdk.getFirewallConfig({ ...query, configVersion }), refusedWith(404, "not_found"));
    }
    const { conditions, rulesets, ...config } = FULL_CONFIG;
    await put(firewall.hasSharedConditions ? FULL_CONFIG : config);
    const whole = await stored();
    assert.deepEqual([whole.rules.length, whole.ips.length, whole.version], [4, 2, 1]);
    const kept = keptOf(release, whole);
    for (const configVersion of ["active", "1"]) {
      assert.deepEqual(plain(await sdk.getFirewallConfig({ ...query, configVersion })), kept);
    }
    assert.equal(conditions.length, 1);
    assert.ok(rulesets);
  });

  test("getFirewallConfig gives a configuration that has nothing but its switch", async () => {
    const { sdk, query, put, stored } = await openProject();
    await put({ firewallEnabled: false });
    const config = plain(await sdk.getFirewallConfig({ ...query, configVersion: "active" }));
    assert.deepEqual(config, keptOf(release, await stored()));
    assert.deepEqual([config.firewallEnabled, config.rules, config.ips, config.changes], [false, [], [], []]);
  });

  test("getFirewallConfig of what the release has no name for", async () => {
    const { sdk, query, put } = await openProject();
    const conditionGroup = [{ conditions: [{ type: "path", op: "pre", value: "/a" }] }];
    const shared = { conditions: [{ type: "shared_condition", op: "eq", value: "sc_1" }] };
    const action = { mitigate: { action: "log" } };
    await put({
      firewallEnabled: true,
      conditions: [{ id: "sc_1", name: "Shared", active: true, conditionGroup }],
      rules: [{ id: "rule_1", name: "By a shared condition", active: true, conditionGroup: [shared], action }],
    });
    const got = sdk.getFirewallConfig({ ...query, configVersion: "active" });
    if (!firewall.hasSharedConditions) {
      // Without the rule the release would read it, and lose the rule with its next PUT.
      await assert.rejects(got, /shared_condition|[Vv]alidation/);
      return;
    }
    const { rules } = await got;
    assert.deepEqual(plain(rules[0].conditionGroup), [shared]);
  });

  test("getFirewallConfig gives what other clients write that this one would not", async () => {
    const { sdk, query, put } = await openProject();
    const [rule] = FULL_CONFIG.rules;
    const rateLimit = { algo: "fixed_window", window: 60, limit: 1, keys: ["ip"], action: "" };
    await put({
      firewallEnabled: true,
      rules: [{ ...rule, action: { mitigate: { action: "rate_limit", rateLimit, logHeaders: "x-one" } } }],
      logHeaders: "x-one",
    });
    const { rules, logHeaders } = await sdk.getFirewallConfig({ ...query, configVersion: "active" });
    assert.equal(rules[0].action.mitigate.rateLimit.action, null);
    assert.deepEqual(logHeaders, firewall.members.includes("logHeaders") ? ["x-one"] : undefined);
  });

  test("putFirewallConfig stores what it sends, and gives the active version in its wrapper", async () => {
    const { sdk, query, put, stored } = await openProject();
    const before = { bot_filter: { active: true, action: "deny" } };
    await put({ firewallEnabled: false, managedRules: before });
    const { conditions: _conditions, rulesets: _rulesets, ...requestBody } = FULL_CONFIG;
    const { active } = await sdk.putFirewallConfig({ ...query, requestBody });
    const whole = await stored();
    assert.deepEqual(plain(active), keptOf(release, whole));
    assert.equal(active.version, 2);

    const asSent = contentOf(keptOf(release, { ...whole, ...requestBody, crs: requestBody.crs, managedRules: {} }));
    assert.deepEqual({ ...contentOf(whole), managedRules: {} }, asSent);
    const sets = Object.keys(whole.managedRules);
    // `{}` is what the newest releases make of any, so it leaves alone what is there.
    assert.deepEqual(sets, firewall.sentSets.length === 0 ? ["bot_filter"] : firewall.sentSets.toSorted(bySet));
  });

  test("putFirewallConfig gives new rules ids, keeps those that are given, and makes no version of the same", async () => {
    const { sdk, query, stored } = await openProject();
    const [rule] = FULL_CONFIG.rules;
    const { id: _id, ...idless } = rule;
    const requestBody = { firewallEnabled: true, rules: [idless] };
    const { active } = await sdk.putFirewallConfig({ ...query, requestBody });
    assert.match(active.rules[0].id, /^rule_\w{24}$/);
    const again = await sdk.putFirewallConfig({ ...query, requestBody });
    assert.deepEqual(plain(again), plain({ active }));
    const { id } = active.rules[0];
    await sdk.putFirewallConfig({ ...query, requestBody: { firewallEnabled: true, rules: [{ id, ...idless }] } });
    assert.equal((await stored()).version, 1);
    await sdk.putFirewallConfig({
      ...query,
      requestBody: { firewallEnabled: true, rules: [{ id, ...idless, name: "Other" }] },
    });
    assert.deepEqual([(await stored()).version, (await stored()).rules[0].id], [2, id]);
  });

  test("putFirewallConfig {firewallEnabled: false} leaves nothing of the rest", async () => {
    const { sdk, query, put, stored } = await openProject();
    await put(FULL_CONFIG);
    const { active } = await sdk.putFirewallConfig({ ...query, requestBody: { firewallEnabled: false } });
    assert.deepEqual([active.firewallEnabled, active.rules, active.ips], [false, [], []]);
    assert.deepEqual(contentOf(await stored()), contentOf({ firewallEnabled: false, rules: [], ips: [] }));
  });

  test("updateFirewallConfig makes each change that the release can send", async () => {
    for (const { body, make, isSilent = false } of CHANGES) {
      const { sdk, query, put, stored } = await openProject();
      await put(FULL_CONFIG);
      const before = await stored();
      const sending = sdk.updateFirewallConfig({ ...query, requestBody: body });
      if (firewall.unsentActions.includes(body.action)) {
        await assert.rejects(sending, { name: "SDKValidationError" });
        continue;
      }
      assert.deepEqual(plain(await sending), {}, body.action);
      const expected = contentOf(before);
      make(expected);
      const now = await stored();
      assert.deepEqual(withoutNewIds(contentOf(now)), expected, JSON.stringify(body));
      assert.equal(now.version, isSilent ? 1 : 2);
    }
  });

  test("updateFirewallConfig with a null id where there is none", async () => {
    for (const { body, make, newest } of IDLESS_CHANGES) {
      const { sdk, query, put, stored } = await openProject();
      await put(FULL_CONFIG);
      const expected = contentOf(await stored());
      const sending = sdk.updateFirewallConfig({ ...query, requestBody: { ...body, id: null } });
      const outcome = firewall.mistakesNullIds ? newest : "made";
      if (outcome === "unsent") {
        await assert.rejects(sending, { name: "SDKValidationError" });
      } else if (outcome === "refused") {
        await assert.rejects(sending, (error: Body) => {
          const { error: told } = JSON.parse(error.body);
          assert.deepEqual(
            [error.statusCode, told.code, told.errors.map(({ field }: Body) => field)],
            [400, "invalid_firewall", ["body.value.hostname", "body.value.ip"]],
          );
          return true;
        });
      } else {
        await sending;
        make(expected);
      }
      assert.deepEqual(withoutNewIds(contentOf(await stored())), expected, JSON.stringify(body));
    }
  });

  test("what is wrong is refused with the path of each fault, and changes nothing", async () => {
    const { sdk, query, put, stored } = await openProject();
    await put(FULL_CONFIG);
    const before = await stored();
    const [rule] = FULL_CONFIG.rules;
    const conditions = [
      { type: "path", op: "re", value: "(" },
      { type: "header", op: "eq", value: "no key" },
    ];
    const wrong = { ...rule, conditionGroup: [{ conditions }] };
    const requestBody = { firewallEnabled: true, rules: [rule, wrong] };
    await assert.rejects(sdk.putFirewallConfig({ ...query, requestBody }), refusedWith(400));
    const change = { action: "rules.update", id: "rule_that_is_not_there", value: rule };
    await assert.rejects(sdk.updateFirewallConfig({ ...query, requestBody: change }), refusedWith(404));
    const moved = { action: "rules.priority", id: "rule_admin", value: -1 };
    await assert.rejects(sdk.updateFirewallConfig({ ...query, requestBody: moved }), refusedWith(400));
    assert.deepEqual(await stored(), before);
  });

  if (firewall.hasAnonymousCalls) {
    test("the functions that send no credential and no project are refused, and change nothing", async () => {
      const { sdk, query, put, stored } = await openProject();
      await put(FULL_CONFIG);
      const before = await stored();
      // Whatever a caller adds, the release sends none of it.
      const version = { ...query, configVersion: "1" };
      for (const call of [
        () => sdk.getSecurityFirewallConfig(),
        () => sdk.createSecurityFirewallConfigByConfigVersionActivate(version),
        () => sdk.deleteSecurityFirewallConfigByConfigVersion({ ...version, configVersion: "draft" }),
      ]) {
        await assert.rejects(call(), (error: Body) => {
          assert.equal(JSON.parse(error.body).error.missingToken, true);
          return refusedWith(401, "not_authorized")(error);
        });
      }
      assert.deepEqual(await stored(), before);
    });
  }

  test("firewalls of others are not there, and a credential that nobody has opens none", async () => {
    const { query, put } = await openProject();
    await put(FULL_CONFIG);
    const { owner: stranger } = await createOwnerAndTeam();
    const active = { ...query, configVersion: "active" };
    await assert.rejects(as(stranger).security.getFirewallConfig(active), refusedWith(404, "not_found"));
    await assert.rejects(connect("rvt_unknown").security.getFirewallConfig(active), refusedWith(401, "not_authorized"));
    const requestBody = { firewallEnabled: false };
    await assert.rejects(as(stranger).security.putFirewallConfig({ ...query, requestBody }), refusedWith(404));
  });
}

const SETS = ["bot_protection", "bot_filter", "ai_bots", "traffic_sources", "vercel_ruleset", "owasp"];
const bySet = (a: string, b: string) => SETS.indexOf(a) - SETS.indexOf(b);
