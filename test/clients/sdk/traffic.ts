// What came of requests, attacks, and the refusal to write rules from words, through one release of the SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openFirewall } from "../../resources/firewalls.ts";
import { START_TIME } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import { plain } from "./stored-config.ts";
import { refusedWith } from "./refusal.ts";
import type { Session } from "./session.ts";

const PROJECT = "prj_2WjyKQmM8ZnGcJsPWMrHRHrE";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START = new Date(START_TIME).toISOString();

export function testTraffic({ release, as, request, createOwnerAndTeam }: Session): void {
  const { listsTraffic, mayListTraffic, generatesRules } = release.firewall;

  async function openProject() {
    const { owner, team } = await createOwnerAndTeam();
    const query = { projectId: PROJECT, teamId: team.id };
    await openFirewall({ request }, owner.token, PROJECT, team.id).set();
    async function report(counts: readonly object[]): Promise<void> {
      const path = `/v1/firewalls/traffic?${new URLSearchParams(query).toString()}`;
      const answer = await request("POST", path, { token: owner.token, body: { counts } });
      assert.equal(answer.status, 200, answer.text);
    }
    return { team, query, report, sdk: as(owner).security };
  }

  if (listsTraffic !== null && !mayListTraffic) {
    test("getSecurityFirewallEvents, which sends no credential, is refused", async () => {
      const { query, sdk } = await openProject();
      await assert.rejects(sdk[listsTraffic](query), refusedWith(401, "not_authorized"));
    });
  }

  if (listsTraffic !== null && mayListTraffic) {
    test("getSecurityFirewallEvents lists what came of requests", async () => {
      const { query, report, sdk } = await openProject();
      await report([
        { at: START_TIME, host: "example.com", action: "deny", ip: "1.2.3.4", count: 42 },
        { at: START_TIME, host: "other.example", action: "challenge", ruleId: "rule_1", count: 1 },
      ]);
      const list = async (filter: object): Promise<Body> => {
        const { actions } = await sdk[listsTraffic]({ ...query, ...filter });
        return actions.map((action: Body) => plain(action));
      };
      const times = { startTimestamp: START_TIME - HOUR_MS, endTimestamp: START_TIME + HOUR_MS };
      const [first, ...others] = await list({ ...times, hosts: "example.com,absent.example" });
      assert.deepEqual(others, []);
      assert.deepEqual(first, {
        startTime: START,
        endTime: new Date(START_TIME + MINUTE_MS).toISOString(),
        isActive: true,
        actionType: "deny",
        host: "example.com",
        publicIp: "1.2.3.4",
        count: 42,
        action: "deny",
        ruleId: null,
        ruleName: null,
      });
      assert.deepEqual(
        (await list({})).map(({ host, publicIp, ruleId }: Body) => [host, publicIp, ruleId]),
        [
          ["example.com", "1.2.3.4", null],
          ["other.example", "", "rule_1"],
        ],
      );
    });
  }

  if (listsTraffic !== null) {
    test("getActiveAttackStatus tells of attacks, and of none", async () => {
      const { team, query, report, sdk } = await openProject();
      assert.deepEqual(plain(await sdk.getActiveAttackStatus(query)), { anomalies: [] });
      const host = "example.com";
      await report(
        Array.from({ length: 24 }, (_, hour) => ({
          at: START_TIME - (hour + 1) * HOUR_MS,
          host,
          action: "allow",
          count: 60,
        })),
      );
      await report([{ at: START_TIME, host, action: "deny", count: 120_000 }]);
      const { anomalies } = plain(await sdk.getActiveAttackStatus({ ...query, since: 1 }));
      assert.equal(anomalies.length, 1);
      const [{ affectedHostMap, ...anomaly }] = anomalies;
      assert.deepEqual(anomaly, {
        projectId: PROJECT,
        ownerId: team.id,
        startTime: START_TIME,
        endTime: null,
        atMinute: START_TIME,
        state: "active",
      });
      const { anomalyAlerts, ddosAlerts } = affectedHostMap[host];
      assert.deepEqual(ddosAlerts, { "sys_dos_mitigation:deny": { atMinute: START, totalReqs: 120_000 } });
      const { zscore, ...alert } = anomalyAlerts[START];
      assert.ok(zscore > 3);
      assert.deepEqual(alert, {
        atMinute: START,
        avgRequests: 1,
        stddevRequests: 7.68,
        totalRequestsMinute: 120_000,
      });
    });
  }

  if (generatesRules) {
    test("generateFirewallRule is told that this server writes no rules from words", async () => {
      const { query, sdk } = await openProject();
      const { rule, error } = await sdk.generateFirewallRule(query);
      assert.equal(rule, undefined);
      assert.match(error, /^This server writes no rules from words\. .*\/docs\/firewall\b/);
    });
  }
}
