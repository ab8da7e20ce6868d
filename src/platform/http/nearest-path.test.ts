// An unknown path leads to the one that was meant: the same in another version, or with a slip in a word.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";

const { request } = await startTestApp();
const UNKNOWN = "There is no such path";

const MEANT = {
  "GET /v3/teams": "/v2/teams",
  "GET /v1/secret": "/v2/secrets",
  "GET /v2/webhooks/?limit=1": "/v1/webhooks",
  "GET /v1/teams/acme/member": "/v2/teams/{teamId}/members",
  "GET /teams/acme/invite": "/v1/teams/{teamId}/invites",
  "GET /v5/events": "/v3/events",
  "GET /V2/Team": "/v2/teams",
  "POST /v2/team": "/v1/teams",
  "GET /api/v2/teams": "/v2/teams",
  "GET /v1/tokens": "/v6/user/tokens",
  "GET /v1/teams/acme/secrets": "/v2/secrets",
  "GET /v1/projects/shop/firewall": "/v1/firewalls",
  "GET /health": "/health/live",
  "GET /v1/user/session": "/v1/sessions",
};

for (const [given, path] of Object.entries(MEANT)) {
  test(`${given} is taken for ${path}`, async () => {
    const [method = "", url = ""] = given.split(" ");
    const { status, body } = await request(method, url, { token: null });
    assert.deepEqual([status, body.error.message], [404, `${UNKNOWN}; did you mean ${path}?`]);
  });
}

test("what is near to nothing leads to the list of paths", async () => {
  for (const path of ["/absent", "/v2/secrets/A/value/x", `/${"teams/".repeat(40)}`, `/v2/${"t".repeat(5_000)}`]) {
    const { status, body } = await request("GET", path, { token: null });
    assert.deepEqual([status, body.error.message], [404, `${UNKNOWN}; GET /openapi.json lists those that there are`]);
  }
});
