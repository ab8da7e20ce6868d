import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness.ts";

const { request, admin, createUser, createTeam } = await startTestApp();

test("the current user has every member that clients insist on", async () => {
  const { status, body, headers } = await request("GET", "/v2/user");
  assert.equal(status, 200);
  assert.equal(headers["etag"], '"1"');
  assert.equal(body.user.id, admin.id);
  assert.deepEqual(body.user.resourceConfig, {});
});

test("a created account can sign in and make a team", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  assert.match(team.id, /^team_[0-9A-Za-z]{24}$/);
  const { body } = await request("GET", "/v2/user", { token: user.token });
  assert.equal(body.user.username, user.username);
});
