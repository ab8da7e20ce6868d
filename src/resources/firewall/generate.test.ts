import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness.ts";

const { request, createUser, query } = await startTestApp();

const PATH = "/v1/security/firewall/config/generate-rule";

test("a generated rule can be stored as it is", async () => {
  const { token } = await createUser();
  const prompts = [
    "block path /admin and not country DE for 5 minutes",
    "Rate limit /api to 100 requests per minute by IP",
    "redirect /old to /new",
    "log requests without cookie session",
  ];
  const rules = [];
  for (const prompt of prompts) {
    const { status, body } = await request("POST", `${PATH}?projectId=prj_1`, { token, body: { prompt } });
    assert.deepEqual([status, Object.keys(body)], [200, ["rule"]], JSON.stringify(body));
    rules.push(body.rule);
  }
  const stored = await request("PUT", "/v1/firewalls", { token, body: { firewallEnabled: true, rules } });
  assert.equal(stored.status, 200, stored.text);
  for (const [at, rule] of rules.entries()) {
    const { id: _id, valid: _valid, validationErrors: _errors, ...found } = stored.body.active.rules[at];
    assert.deepEqual(found, rule);
  }
});

test("without a body, as one client calls it, it says what it understands", async () => {
  const { id, token } = await createUser();
  for (const options of [{}, { body: {} }, { body: { prompt: "" } }]) {
    const { status, body } = await request("POST", PATH, { token, ...options });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["error"]);
    assert.match(body.error, /^Not understood: what to do with the requests\. Say what to do/);
  }
  assert.deepEqual(await query(`select 1 from projects where owner_id = '${id}'`), [], "nothing is stored");
});

test("a rule that is to be changed may come along, as another client sends it", async () => {
  const { token } = await createUser();
  const currentRule = { name: "Old", active: true, conditionGroup: [], action: {} };
  const { body } = await request("POST", PATH, { token, body: { prompt: "challenge path /a", currentRule } });
  assert.equal(body.rule.action.mitigate.action, "challenge");
  const refused = await request("POST", PATH, { token, body: { prompt: "a".repeat(1_001) } });
  assert.deepEqual([refused.status, refused.body.error.field], [400, "body.prompt"]);
});
