import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { PERMISSIONS } from "../../platform/kernel/roles.ts";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openTeam } from "../../../test/resources/teams.ts";

const api = await startTestApp();
const { createUser, request } = api;
const SDK = { "user-agent": "speakeasy-sdk/typescript 1.28.35" };

async function teamWithMember(role = "MEMBER") {
  const [owner, member] = [await createUser(), await createUser()];
  const team = await openTeam(api, owner);
  await team.add(member, role);
  return { team, owner, member };
}

test("changing a role records the previous one, and the same change again has no effect", async () => {
  const { team, owner, member } = await teamWithMember();
  const changed = await team.change(member, { role: "DEVELOPER" });
  assert.deepEqual(changed.body, { id: team.id });
  assert.equal(changed.headers["etag"], '"3"');
  assert.equal((await team.find(member)).role, "DEVELOPER");
  const { username, email, id } = member;
  assert.deepEqual(await team.lastEvent(), {
    type: "team-member-role-update",
    payload: { previousRole: "MEMBER", role: "DEVELOPER", updatedUid: id, updatedUser: { username, email } },
    previous: { state: "member", role: "MEMBER", teamPermissions: [], projects: [] },
    next: { state: "member", role: "DEVELOPER", teamPermissions: [], projects: [] },
  });
  const same = await team.change(member, { role: "DEVELOPER" });
  assert.equal(same.headers["etag"], '"3"');
  const stale = await team.change(member, { role: "VIEWER" }, owner, { "if-match": '"2"' });
  assert.deepEqual([stale.status, stale.body.error.code], [412, "revision_mismatch"]);
  assert.equal((await team.change(member, { role: "VIEWER" }, owner, { "if-match": '"3"' })).status, 200);
});

test("permissions and projects are stored, returned, merged and removed", async () => {
  const { team, owner, member } = await teamWithMember();
  const grant = (projectId: string, role: string | null) => ({ projectId, role });
  await team.change(member, {
    teamPermissions: ["CreateProject", "CreateProject"],
    projects: [grant("p1", "ADMIN"), grant("p2", "PROJECT_VIEWER")],
    accessGroupsToAdd: ["ag_1"],
    accessGroupsToRemove: [],
  });
  await team.change(member, { projects: [grant("p1", null), grant("p3", "PROJECT_DEVELOPER")] });
  const { teamPermissions, projects } = await team.find(member);
  assert.deepEqual(teamPermissions, ["CreateProject"]);
  assert.deepEqual(projects, [
    { id: "p2", name: "p2", role: "PROJECT_VIEWER" },
    { id: "p3", name: "p3", role: "PROJECT_DEVELOPER" },
  ]);
  const url = `/v1/teams/${team.id}/members/${member.id}/projects`;
  const first = await request("GET", `${url}?limit=1`, { token: owner.token });
  assert.deepEqual(first.body.projects, [grant("p3", "PROJECT_DEVELOPER")]);
  const second = await request("GET", `${url}?limit=1&until=${first.body.pagination.next}`, { token: owner.token });
  assert.deepEqual(second.body.projects, [grant("p2", "PROJECT_VIEWER")]);
  assert.equal(second.body.pagination.next, null);
  for (let batch = 0; batch < 5; batch++) {
    const many = Array.from({ length: 100 }, (_, index) => grant(`${batch}-${index}`, "ADMIN"));
    const response = await team.change(member, { projects: many });
    assert.equal(response.body.error?.code, batch < 4 ? undefined : "too_many_projects");
  }
});

test("the event says which role a member has now, or that something else changed", async () => {
  const { team, owner, member } = await teamWithMember("MEMBER");
  const textAfter = async (change: object) => {
    assert.equal((await team.change(member, change)).status, 200);
    return (await api.readEvents(team.id)).at(-1)?.text;
  };
  const grant = { projects: [{ projectId: "p1", role: "ADMIN" }] };
  assert.equal(await textAfter({ role: "VIEWER" }), `${owner.username} changed ${member.username}'s role to VIEWER`);
  assert.equal(await textAfter(grant), `${owner.username} changed what ${member.username} may do`);
});

test("MEMBER that the generated SDK fills in demotes no OWNER and promotes no VIEWER", async () => {
  const { team, owner, member } = await teamWithMember("OWNER");
  const viewer = await createUser();
  await team.add(viewer, "VIEWER");
  const projects = [{ projectId: "p1", role: "ADMIN" }];
  for (const headers of [SDK, { "user-agent": "curl/8" }]) {
    assert.equal((await team.change(member, { role: "MEMBER", projects }, owner, headers)).status, 200);
    assert.equal((await team.find(member)).role, "OWNER");
    assert.equal((await team.find(member)).projects.length, 1);
    const confirmed = await team.change(member, { role: "MEMBER", confirmed: true }, owner, headers);
    assert.equal(confirmed.body.error.code, "already_confirmed");
    assert.equal((await team.find(member)).role, "OWNER");
  }
  for (const nothing of [{ projects: [] }, { accessGroupsToAdd: ["ag_1"] }]) {
    assert.equal((await team.change(member, { role: "MEMBER", ...nothing }, owner, SDK)).status, 200);
    assert.equal((await team.find(member)).role, "OWNER", "an empty edit is an edit");
  }
  await team.change(viewer, { role: "MEMBER", projects }, owner, SDK);
  assert.equal((await team.find(viewer)).role, "VIEWER");
  await team.change(viewer, { role: "MEMBER", projects }, owner, { "user-agent": "terraform" });
  assert.equal((await team.find(viewer)).role, "MEMBER");
  await team.change(member, { role: "MEMBER" }, owner, SDK);
  assert.equal((await team.find(member)).role, "MEMBER");
});

test("an access request is confirmed with the role that is named, and only once", async () => {
  const [owner, asking, other, invited] = await Promise.all([createUser(), createUser(), createUser(), createUser()]);
  const team = await openTeam(api, owner);
  await team.ask(asking);
  await team.ask(other);
  await team.invite({ uid: invited.id, role: "OWNER" });
  assert.equal((await team.change(asking, { role: "VIEWER" })).body.error.code, "already_requested");
  const teamName = await team.rename();
  const confirmed = await team.change(asking, { confirmed: true, role: "DEVELOPER" });
  assert.equal(confirmed.status, 200, confirmed.text);
  const event = await team.lastEvent();
  assert.equal(event.type, "team-member-confirm-request");
  assert.deepEqual(event.payload, {
    teamName,
    teamId: team.id,
    username: asking.username,
    updatedUid: asking.id,
  });
  const found = await team.find(asking);
  assert.deepEqual([found.role, found.confirmed, found.confirmedAt], ["DEVELOPER", true, api.clock.now]);
  api.clock.advance(1_000);
  assert.equal((await team.change(asking, { role: "MEMBER" })).status, 200);
  assert.equal((await team.find(asking)).confirmedAt, found.confirmedAt, "a change confirms nobody again");
  assert.equal((await team.change(asking, { confirmed: true })).body.error.code, "already_confirmed");
  await team.change(other, { confirmed: true });
  assert.equal((await team.find(other)).role, "MEMBER");
  assert.equal((await team.change(invited, { confirmed: true })).body.error.code, "not_requested");
  assert.equal((await team.change(invited, { role: "VIEWER" })).status, 200, "the terms of an invitation may change");
  assert.equal((await team.find(invited)).role, "VIEWER");
  assert.equal((await team.lastEvent()).type, "team-member-role-update", "an invited person never saw the join link");
});

test("wrong, unknown and forbidden input is refused", async () => {
  const { team, owner, member } = await teamWithMember();
  const stranger = await createUser();
  const code = async (body: unknown, target = member, as = owner) =>
    (await team.change(target, body, as)).body.error?.code;
  assert.equal(await code({ role: "KING" }), "bad_request");
  assert.equal(await code({ confirmed: false }), "bad_request");
  assert.equal(await code({ teamPermissions: ["Fly"] }), "bad_request");
  assert.equal(await code({ joinedFrom: { ssoUserId: null } }), "no_sso_link");
  assert.equal(await code({ role: "VIEWER" }, stranger), "member_not_found");
  assert.equal(await code({ role: "OWNER" }, member, member), "forbidden");
  assert.equal(await code({ role: "OWNER" }, member, stranger), "not_found");
  assert.equal(await code({ role: "VIEWER" }, owner), "last_owner");
  assert.equal(await code({ teamPermissions: ["CreateProject"] }, owner), undefined);
  await team.change(member, { role: "OWNER" });
  assert.equal(await code({ role: "MEMBER" }, owner, member), undefined);
  assert.equal((await api.request("GET", `/v1/teams/${team.id}/members/${owner.id}`, member)).body.role, "MEMBER");
});

test("a credential confirms an access request only if it may decide on those", async () => {
  const team = await openTeam(api, await createUser());
  const asking = await createUser();
  await team.ask(asking);
  const keyWithout = async (...left: readonly string[]) => {
    const permissions = PERMISSIONS.filter((permission) => !left.includes(permission));
    return (await createKey(api, team.owner.token, `?teamId=${team.id}`, { permissions })).body.value as string;
  };
  const confirm = (token: string) =>
    request("PATCH", `/v1/teams/${team.id}/members/${asking.id}`, { token, body: { confirmed: true } });
  const refused = await confirm(await keyWithout("access-request:manage"));
  assert.deepEqual([refused.status, refused.body.error.code], [403, "forbidden"], refused.text);
  const confirmed = await confirm(await keyWithout());
  assert.equal(confirmed.status, 200, confirmed.text);
});

test("a credential sets no role that may do more than itself, not even in place of a higher one", async () => {
  const { team, member } = await teamWithMember("OWNER");
  const permissions = ["member:read", "member:manage"];
  const { value } = (await createKey(api, team.owner.token, `?teamId=${team.id}`, { permissions })).body;
  const lower = { token: value, body: { role: "DEVELOPER" } };
  const refused = await request("PATCH", `/v1/teams/${team.id}/members/${member.id}`, lower);
  assert.deepEqual([refused.status, refused.body.error.field], [403, "body.role"], refused.text);
  assert.equal((await team.find(member)).role, "OWNER");
});
