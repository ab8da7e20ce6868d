// Teams as credentials of one team see them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { Body, TestUser } from "../../../test/harness/test-app.ts";

const { app, clock, request, createUser, createTeam } = await startTestApp();

const slugsOf = (body: Body): string[] => body.teams.map((team: Body) => team.slug);

async function createLimitedToken(user: TestUser, teamId: string): Promise<string> {
  const order = { userId: user.id, name: "limited", teamId };
  return (await app.runner.changes.issueToken(order, clock.now)).value;
}

test("a token of one team sees the user's other teams in their limited form", async () => {
  const owner = await createUser();
  const [own, other] = [await createTeam(owner), await createTeam(owner)];
  const token = await createLimitedToken(owner, own.id);
  const limited = await request("GET", `/v2/teams/${other.id}`, { token });
  assert.equal(limited.status, 200);
  const { id, slug, name, avatar, createdAt, membership, ...rest } = limited.body;
  assert.deepEqual(
    { id, slug, name, avatar, createdAt },
    { ...other, name: other.slug, avatar: null, createdAt: clock.now },
  );
  assert.equal(membership.confirmed, true);
  assert.deepEqual(rest, { limited: true, limitedBy: ["scope"] });
  const full = await request("GET", `/v2/teams/${own.id}`, { token });
  assert.match(full.body.inviteCode, /^[0-9a-f]{40}$/);
  const { body } = await request("GET", "/v2/teams", { token });
  assert.deepEqual(body.teams, [limited.body, full.body]);
});

test("a token of one team creates none", async () => {
  const owner = await createUser();
  const token = await createLimitedToken(owner, (await createTeam(owner)).id);
  const refused = await request("POST", "/v1/teams", { token, body: { slug: uniqueName("more") } });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error.code, "forbidden");
});

test("a key of a team lists its team alone, and sees no membership", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  await createTeam(owner);
  const key = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
    token: owner.token,
    body: { name: "reader", role: "VIEWER" },
  });
  assert.equal(key.status, 200, key.text);
  const token = key.body.value;
  const { body } = await request("GET", "/v2/teams", { token });
  assert.deepEqual(slugsOf(body), [team.slug]);
  assert.equal(body.pagination.next, null);
  assert.deepEqual(body.teams[0], (await request("GET", `/v2/teams/${team.slug}`, { token })).body);
  assert.equal("membership" in body.teams[0] || "inviteCode" in body.teams[0], false);
  const older = await request("GET", `/v2/teams?until=${body.pagination.prev}`, { token });
  assert.deepEqual(older.body.teams, []);
});
