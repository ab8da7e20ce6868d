// Teams, through one release of the SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import { START_TIME, uniqueName } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import { refusedWith } from "./refusal.ts";
import type { Session } from "./session.ts";

export function testTeams({ as, connect, createUser, createTeam, createOwnerAndTeam }: Session): void {
  test("createTeam, getTeam and getTeams give the team with the caller's membership", async () => {
    const owner = await createUser();
    const sdk = as(owner);
    const slug = uniqueName("made");
    const created = await sdk.teams.createTeam({ slug, name: "Made by SDK" });
    assert.equal(created.slug, slug);

    for (const teamId of [created.id, slug]) {
      const team = await sdk.teams.getTeam({ teamId });
      assert.equal(team.id, created.id);
      assert.equal(team.name, "Made by SDK");
      assert.equal(team.creatorId, owner.id);
      assert.equal(team.createdAt, START_TIME);
      assert.equal(team.membership.role, "OWNER");
      assert.equal(team.membership.confirmed, true);
      assert.equal(team.membership.uid, owner.id);
      assert.equal(team.membership.joinedFrom.origin, "teams");
    }
    const { teams, pagination } = await sdk.teams.getTeams({});
    assert.deepEqual(
      teams.map((team: Body) => [team.id, team.slug, team.name]),
      [[created.id, slug, "Made by SDK"]],
    );
    assert.equal(pagination.count, 1);
    assert.equal(pagination.next, null);
  });

  test("getTeams pages newest first, although all teams are of one millisecond", async () => {
    const owner = await createUser();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift((await createTeam(owner)).id);
    const listed: string[] = [];
    let until: number | undefined;
    do {
      const { teams, pagination } = await as(owner).teams.getTeams({ limit: 2, ...(until ? { until } : {}) });
      listed.push(...teams.map((team: Body) => team.id));
      assert.equal(pagination.count, teams.length);
      until = pagination.next;
    } while (until);
    assert.deepEqual(listed, ids);
  });

  test("patchTeam changes settings and gives the changed team", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const slug = uniqueName("renamed");
    const avatar = "0123456789abcdef0123456789abcdef01234567";
    const patched = await as(owner).teams.patchTeam({
      teamId: team.id,
      requestBody: {
        name: "Renamed",
        slug,
        description: "What we do",
        avatar,
        emailDomain: "example.com",
        sensitiveEnvironmentVariablePolicy: "on",
        remoteCaching: { enabled: false },
        hideIpAddresses: true,
      },
    });
    assert.deepEqual(
      {
        id: patched.id,
        name: patched.name,
        slug: patched.slug,
        description: patched.description,
        avatar: patched.avatar,
        emailDomain: patched.emailDomain,
        sensitiveEnvironmentVariablePolicy: patched.sensitiveEnvironmentVariablePolicy,
        remoteCaching: { ...patched.remoteCaching },
        hideIpAddresses: patched.hideIpAddresses,
      },
      {
        id: team.id,
        name: "Renamed",
        slug,
        description: "What we do",
        avatar,
        emailDomain: "example.com",
        sensitiveEnvironmentVariablePolicy: "on",
        remoteCaching: { enabled: false },
        hideIpAddresses: true,
      },
    );
    const { inviteCode } = await as(owner).teams.getTeam({ teamId: team.id });
    const regenerated = await as(owner).teams.patchTeam({
      teamId: team.id,
      requestBody: { regenerateInviteCode: true },
    });
    assert.match(regenerated.inviteCode, /^\w{32,40}$/);
    assert.notEqual(regenerated.inviteCode, inviteCode);
  });

  test("deleteTeam deletes the team", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const deleted = await as(owner).teams.deleteTeam({
      teamId: team.id,
      requestBody: { reasons: [{ slug: "merged", description: "Merged with another" }] },
    });
    assert.equal(deleted.id, team.id);
    await assert.rejects(as(owner).teams.getTeam({ teamId: team.id }), refusedWith(404));
  });

  test("a refusal reaches the caller with its status and Reeve's words", async () => {
    const { team } = await createOwnerAndTeam();
    const stranger = await createUser();
    await assert.rejects(as(stranger).teams.getTeam({ teamId: team.id }), refusedWith(404, "not_found"));
    await assert.rejects(connect("rvt_unknown").user.getAuthUser(), refusedWith(401, "not_authorized"));
    await assert.rejects(as(stranger).teams.createTeam({ slug: team.slug }), refusedWith(409, "slug_taken"));
  });
}
