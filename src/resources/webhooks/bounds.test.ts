// A webhook has no end and no networks: a credential with these makes none, and sends nothing more by one that is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { boundedKeys } from "../../../test/resources/bounded-credentials.ts";

const api = await startTestApp();
const { createUser, createTeam, request } = api;

test("a credential with an end or with networks leads data nowhere that it did not go before", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const path = "/v1/webhooks";
  const body = { url: "https://hooks.example.com/a", events: ["team-member-add"] };
  const query = `?teamId=${team.id}`;
  const { id } = (await request("POST", path + query, { token: owner.token, body })).body;
  const change = (token: string, more: object) => request("PATCH", `${path}/${id}${query}`, { token, body: more });
  for (const { bound, key } of await boundedKeys(api, owner, team)) {
    const made = await request("POST", path, { token: key, body });
    assert.deepEqual([made.status, made.body.error?.code], [403, "forbidden"], `a key ${bound}: ${made.text}`);
    for (const more of [{ url: "https://hooks.example.com/b" }, { events: ["*"] }, { projectIds: ["shop"] }]) {
      const changed = await change(key, more);
      assert.deepEqual([changed.status, changed.body.error?.code], [403, "forbidden"], JSON.stringify(more));
    }
    assert.equal((await change(key, { description: "quiet" })).status, 200);
    assert.equal((await change(key, { active: false })).status, 200);
    assert.equal((await change(key, { active: true })).status, 403, "and none goes on");
    assert.equal((await change(owner.token, { active: true, description: null })).status, 200);
  }
});
