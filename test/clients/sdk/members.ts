// Members, invitations and access requests, through one release of the SDK.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { START_TIME, uniqueName } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import { refusedWith } from "./refusal.ts";
import type { Session } from "./session.ts";

export function testMembers({ release, as, createUser, createOwnerAndTeam, invite, listMembers }: Session): void {
  test("inviteUserToTeam invites an account, which joinTeam makes a member", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const guest = await createUser();
    const invited = await invite(owner, team.id, { email: guest.email, role: "DEVELOPER" });
    assert.equal(typeof invited.uid, "string");
    assert.deepEqual(
      [invited.email, invited.username, invited.role],
      [release.givesInvitedEmail ? guest.email : undefined, guest.email, "DEVELOPER"],
    );
    const joined = await as(guest).teams.joinTeam({ teamId: team.id, requestBody: {} });
    assert.deepEqual([joined.teamId, joined.slug, joined.name], [team.id, team.slug, team.slug]);
    assert.equal(typeof joined.from, "string");
    const { membership } = await as(guest).teams.getTeam({ teamId: team.id });
    assert.equal(membership.role, "DEVELOPER");
  });

  test("inviteUserToTeam keeps an invitation by e-mail, which deleteTeamInviteCode withdraws", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const email = `${uniqueName("stranger")}@example.com`;
    const invited = await invite(owner, team.id, { email, role: "VIEWER" });
    assert.deepEqual([invited.email, invited.role], [release.givesInvitedEmail ? email : undefined, "VIEWER"]);
    const { emailInviteCodes } = await listMembers(owner, team.id);
    assert.deepEqual(
      emailInviteCodes.map((kept: Body) => [kept.email, kept.role, kept.isDSyncUser, kept.createdAt]),
      [[email, "VIEWER", false, START_TIME]],
    );
    const [{ id: inviteId }] = emailInviteCodes;
    const withdrawn = await as(owner).teams.deleteTeamInviteCode({ teamId: team.id, inviteId });
    assert.equal(withdrawn.id, team.id);
    assert.deepEqual((await listMembers(owner, team.id)).emailInviteCodes ?? [], []);
  });

  test("joinTeam takes the code of the team's link", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const { inviteCode } = await as(owner).teams.getTeam({ teamId: team.id });
    const guest = await createUser();
    const joined = await as(guest).teams.joinTeam({ teamId: team.id, requestBody: { inviteCode } });
    assert.deepEqual([joined.teamId, joined.slug, joined.from], [team.id, team.slug, "link"]);
    await assert.rejects(
      as(await createUser()).teams.joinTeam({ teamId: team.id, requestBody: { inviteCode: "0".repeat(40) } }),
      refusedWith(400),
    );
  });

  if (release.canListMembers) {
    test("getTeamMembers gives members, invited people and open requests", async () => {
      const { owner, team } = await createOwnerAndTeam();
      const [invited, asking] = [await createUser(), await createUser()];
      const { uid } = await invite(owner, team.id, { email: invited.email, role: "BILLING" });
      const joinedFrom = { origin: "github", gitUserId: "123", gitUserLogin: "octo" };
      await as(asking).teams.requestAccessToTeam({ teamId: team.id, requestBody: { joinedFrom } });
      const { members, pagination } = await as(owner).teams.getTeamMembers({ teamId: team.id });
      assert.deepEqual(
        members.map((member: Body) => [member.uid, member.email, member.username, member.role, member.confirmed]),
        [
          [asking.id, asking.email, asking.username, members[0].role, false],
          [uid, invited.email, invited.email, "BILLING", false],
          [owner.id, owner.email, owner.username, "OWNER", true],
        ],
      );
      assert.equal(members[0].accessRequestedAt, START_TIME);
      assert.equal(members[0].joinedFrom.gitUserLogin, "octo");
      assert.equal(members[1].accessRequestedAt, undefined);
      assert.equal(members[2].createdAt, START_TIME);
      assert.deepEqual([pagination.count, pagination.hasNext, pagination.next], [3, false, null]);

      const page = await as(owner).teams.getTeamMembers({ teamId: team.id, limit: 2 });
      assert.equal(page.pagination.hasNext, true);
      const rest = await as(owner).teams.getTeamMembers({ teamId: team.id, limit: 2, until: page.pagination.next });
      assert.deepEqual(
        rest.members.map((member: Body) => member.uid),
        [owner.id],
      );
      const found = await as(owner).teams.getTeamMembers({ teamId: team.id, search: invited.email });
      assert.deepEqual(
        found.members.map((member: Body) => member.uid),
        [uid],
      );
    });
  } else {
    test("getTeamMembers of this release fails before it sends a request", () => {
      // In a process of its own: this release also leaves a rejection to nobody, which ends the process.
      const program = `
        const { Vercel } = await import(${JSON.stringify(release.packageName)});
        const sdk = new Vercel({ bearerToken: "token", serverURL: "http://127.0.0.1:9" });
        await sdk.teams.getTeamMembers({ teamId: "team_1" });`;
      const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
        cwd: import.meta.dirname,
        encoding: "utf8",
      });
      assert.match(stderr, /Parameter 'teamId' is required/);
      assert.equal(status, 1);
    });
  }

  test("requestAccessToTeam asks, getTeamAccessRequest shows it, updateTeamMember confirms it", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const asking = await createUser();
    const joinedFrom = { origin: "teams" };
    const asked = await as(asking).teams.requestAccessToTeam({ teamId: team.id, requestBody: { joinedFrom } });
    const shown = await as(owner).teams.getTeamAccessRequest({ teamId: team.id, userId: asking.id });
    for (const accessRequest of [asked, shown]) {
      assert.deepEqual([accessRequest.teamSlug, accessRequest.teamName], [team.slug, team.slug]);
      assert.equal(accessRequest.confirmed, false);
      assert.equal(accessRequest.accessRequestedAt, START_TIME);
      assert.equal(accessRequest.joinedFrom.origin, "teams");
      assert.equal(accessRequest.github, null);
    }
    const confirmed = await as(owner).teams.updateTeamMember({
      teamId: team.id,
      uid: asking.id,
      requestBody: { confirmed: true, role: "SECURITY" },
    });
    assert.equal(confirmed.id, team.id);
    assert.equal((await as(asking).teams.getTeam({ teamId: team.id })).membership.role, "SECURITY");
    await assert.rejects(
      as(owner).teams.getTeamAccessRequest({ teamId: team.id, userId: asking.id }),
      refusedWith(400),
    );
  });

  test("removeTeamMember declines a request, removes a member, and lets one leave", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const [asking, removed, leaving] = [await createUser(), await createUser(), await createUser()];
    await as(asking).teams.requestAccessToTeam({
      teamId: team.id,
      requestBody: { joinedFrom: { origin: "teams" } },
    });
    for (const guest of [removed, leaving]) {
      await invite(owner, team.id, { email: guest.email, role: "MEMBER" });
      await as(guest).teams.joinTeam({ teamId: team.id, requestBody: {} });
    }
    for (const [actor, uid] of [
      [owner, asking.id],
      [owner, removed.id],
      [leaving, leaving.id],
    ] as const) {
      assert.equal((await as(actor).teams.removeTeamMember({ teamId: team.id, uid })).id, team.id);
    }
    const { members } = await listMembers(owner, team.id);
    assert.deepEqual(
      members.map((member: Body) => member.uid),
      [owner.id],
    );
    await assert.rejects(as(owner).teams.removeTeamMember({ teamId: team.id, uid: owner.id }), refusedWith(400));
  });

  test("updateTeamMember changes a role, and the MEMBER that the client adds by itself demotes no owner", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const other = await createUser();
    await invite(owner, team.id, { email: other.email, role: "VIEWER" });
    await as(other).teams.joinTeam({ teamId: team.id, requestBody: {} });
    const roleOf = async ({ id }: { readonly id: string }): Promise<string | undefined> => {
      const { members } = await listMembers(owner, team.id);
      return members.find((member: Body) => member.uid === id)?.role;
    };
    const update = async (uid: string, requestBody: object) =>
      await as(owner).teams.updateTeamMember({ teamId: team.id, uid, requestBody });
    assert.equal((await update(other.id, { role: "OWNER" })).id, team.id);
    assert.equal(await roleOf(other), "OWNER");
    await update(other.id, { projects: [{ projectId: "prj_1", role: "ADMIN" }] });
    assert.equal(await roleOf(other), "OWNER");
  });
}
