import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";

const { request, createUser, query } = await startTestApp();
const PATH = "/v1/security/firewall/config/generate-rule";

test("a request to generate a rule gets a response that says it is not available, for every client", async () => {
  const { id, token } = await createUser();
  const currentRule = { name: "Old", active: true, conditionGroup: [], action: {} };
  for (const body of [undefined, {}, { prompt: "block path /admin" }, { prompt: "challenge path /a", currentRule }]) {
    const response = await request("POST", `${PATH}?projectId=prj_1`, { token, ...(body && { body }) });
    assert.equal(response.status, 200);
    assert.deepEqual(Object.keys(response.body), ["error"]);
    assert.match(response.body.error, /^This server writes no rules from words\. .*: \/docs\/firewall\.$/);
  }
  assert.deepEqual(await query(`select 1 from projects where owner_id = '${id}'`), [], "nothing is stored");
  const refused = await request("POST", PATH, { token, body: { prompt: "a".repeat(1_001) } });
  assert.deepEqual([refused.status, refused.body.error.field], [400, "body.prompt"]);
});
