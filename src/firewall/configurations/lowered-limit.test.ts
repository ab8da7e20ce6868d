// After the operator has lowered the limit on what a configuration may cost: what costs less is accepted, also above the new limit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { send, startOwnApp } from "../../../test/harness/test-app.ts";
import { denyPath, openFirewall, outcome } from "../../../test/resources/firewalls.ts";

const api = await startOwnApp();
const lowered = await api.startAnother({ firewallCostLimit: "1000" });

const costly = (name: string) =>
  denyPath(name, {
    conditionGroup: [
      { conditions: Array.from({ length: 60 }, (_, at) => ({ type: "path", op: "eq", value: `/${at}` })) },
    ],
  });

test("a configuration above a lowered limit can be made smaller, and not larger", async () => {
  const { token } = await api.createUser();
  await openFirewall(api, token).set({ rules: Array.from({ length: 20 }, (_, at) => costly(`r${at}`)) });
  const firewall = openFirewall(
    { request: (method, url, options) => send(lowered, method, url, { ...options, token }) },
    token,
  );
  const { rules, cost } = await firewall.read();
  assert.ok(cost > 1_100, `it costs ${cost}`);
  assert.equal(
    outcome(await firewall.patch({ action: "rules.insert", value: denyPath("one") })),
    "firewall_too_costly",
  );
  const remove = (at: number) => ({ action: "rules.remove", id: rules[at].id });
  assert.equal(outcome(await firewall.stage(remove(0))), "ok");
  assert.equal(outcome(await firewall.stage({ action: "botId.toggle", value: true })), "firewall_too_costly");
  assert.equal(outcome(await firewall.activate("draft")), "ok");
  assert.equal(outcome(await firewall.patch(remove(1))), "ok");
  assert.ok((await firewall.read()).cost < cost);
});
