// A member stores one large version of a firewall after the other, as fast as the rate limit allows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startFairServer } from "./quiet-tenant.ts";

/** A rule of about 80 kB. */
const ruleOf = (version: number, number: number) => ({
  name: `rule ${number} of ${version}`,
  active: true,
  conditionGroup: Array.from({ length: 20 }, (_group, at) => ({
    conditions: Array.from({ length: 2 }, (_condition, other) => ({
      type: "path",
      op: "eq",
      value: `/${version}-${number}-${at}-${other}-`.padEnd(2_000, "x"),
    })),
  })),
  action: { mitigate: { action: "deny" } },
});

const fair = await startFairServer({ storageLimits: "history-mib=8", firewallCostLimit: "100000000" });

test("large versions of a firewall", async () => {
  const { teamId, key } = await fair.createMember();
  let stored = 0;
  await fair.holds(async () => {
    const over = new AbortController();
    const send = async () => {
      while (!over.signal.aborted) {
        const body = { firewallEnabled: true, rules: Array.from({ length: 10 }, (_rule, at) => ruleOf(stored, at)) };
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const response = await fair.request(
          "PUT",
          `/v1/security/firewall/config?projectId=shop&teamId=${teamId}`,
          body,
          key,
        );
        if (response.status === 200) stored++;
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        else assert.equal(response.status, 429, await response.text());
      }
    };
    const sending = send();
    return async () => {
      over.abort();
      await sending;
    };
  });
  const list = await fair.request(
    "GET",
    `/v1/security/firewall/config?projectId=shop&teamId=${teamId}`,
    undefined,
    key,
  );
  assert.ok(stored > 20, `${stored} versions`);
  assert.ok(list.status === 200 || list.status === 429);
});
