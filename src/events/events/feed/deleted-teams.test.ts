// The events of a deleted team stay readable to those who were its OWNERs.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { openCheckpoints } from "../../../../test/resources/checkpoints.ts";
import { typesOf } from "../../../../test/resources/event-feed.ts";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestResponse, TestTeam, TestUser } from "../../../../test/harness/test-app.ts";

const world = await startOwnApp();
const { app, clock, request, createUser, createTeam } = world;
const { tidy } = openCheckpoints(world);

const feed = (user: TestUser, name: string): Promise<TestResponse> => {
  const member = name.startsWith("team_") ? "teamId" : "slug";
  return request("GET", `/v3/events?${member}=${name}`, { token: user.token });
};

async function addMember(owner: TestUser, team: TestTeam, role: string): Promise<TestUser> {
  const user = await createUser();
  const path = `/v1/teams/${team.id}`;
  const invited = await request("POST", `${path}/members`, { token: owner.token, body: { uid: user.id, role } });
  assert.equal(invited.status, 200, invited.text);
  const joined = await request("POST", "/v1/teams/join", { token: user.token, body: { teamId: team.id } });
  assert.equal(joined.status, 200, joined.text);
  return user;
}

async function deleteTeam(owner: TestUser, team: TestTeam): Promise<void> {
  const { status, text } = await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token });
  assert.equal(status, 200, text);
}

async function readTypes(user: TestUser, name: string): Promise<string[]> {
  const { status, body, text } = await feed(user, name);
  assert.equal(status, 200, text);
  return typesOf(body.events);
}

describe("the events of a deleted team", () => {
  it("are readable by its last OWNERs, by id and slug, and by no other former member", async () => {
    const owner = await createUser();
    const team = await createTeam(owner);
    const second = await addMember(owner, team, "OWNER");
    const member = await addMember(owner, team, "MEMBER");
    assert.equal((await feed(member, team.id)).status, 200);
    await deleteTeam(owner, team);
    for (const user of [owner, second]) {
      for (const name of [team.id, team.slug]) assert.equal((await readTypes(user, name))[0], "team-delete");
    }
    const stranger = await createUser();
    const absent = await feed(stranger, "team_000000000000000000000000");
    for (const user of [member, stranger]) {
      for (const name of [team.id, team.slug]) {
        const refused = await feed(user, name);
        assert.equal(refused.status, 404);
        assert.equal(refused.body.error.message, absent.body.error.message);
      }
    }
  });

  it("are all that is left: every other endpoint returns 404, changes included", async () => {
    const owner = await createUser();
    const team = await createTeam(owner);
    await deleteTeam(owner, team);
    for (const path of [
      `/v2/teams/${team.id}`,
      `/v2/teams/${team.id}/members`,
      `/v3/secrets?teamId=${team.id}`,
      `/v1/webhooks?teamId=${team.id}`,
      `/v3/events/stream?teamId=${team.id}`,
    ]) {
      assert.equal((await request("GET", path, { token: owner.token })).status, 404, path);
    }
    const body = { type: "project-created", payload: {} };
    const published = await request("POST", `/v1/events?teamId=${team.id}`, { token: owner.token, body });
    assert.equal(published.status, 404);
  });

  it("can be exported, and their checkpoints can be listed", async () => {
    const owner = await createUser();
    const team = await createTeam(owner);
    await deleteTeam(owner, team);
    const options = { token: owner.token, headers: { accept: "application/x-ndjson" } };
    const { status, text } = await request("GET", `/v3/events/export?teamId=${team.id}`, options);
    assert.equal(status, 200);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(typesOf(lines), ["team", "team-delete"]);
    const checkpoints = await request("GET", `/v1/events/checkpoints?teamId=${team.id}`, { token: owner.token });
    assert.equal(checkpoints.status, 200, checkpoints.text);
  });

  it("are not mixed up with those of a team that has taken the slug", async () => {
    const owner = await createUser();
    const team = await createTeam(owner);
    await deleteTeam(owner, team);
    const successor = await createUser();
    const heir = await createTeam(successor, team.slug);
    assert.deepEqual(await readTypes(successor, team.slug), ["team"]);
    assert.equal((await readTypes(owner, team.slug))[0], "team-delete");
    await deleteTeam(successor, heir);
    for (const user of [owner, successor]) {
      const { body } = await feed(user, team.slug);
      assert.equal(body.events[0].entityId, user === owner ? team.id : heir.id);
    }
    const again = await createTeam(owner, team.slug);
    assert.equal((await feed(owner, again.slug)).body.events.length, 1);
  });

  it("are hidden from an OWNER who had left, and from a credential limited to another team", async () => {
    const owner = await createUser();
    const team = await createTeam(owner);
    const left = await addMember(owner, team, "OWNER");
    const path = `/v1/teams/${team.id}/members/${left.id}`;
    assert.equal((await request("DELETE", path, { token: left.token })).status, 200);
    const other = await createTeam(owner);
    const order = { userId: owner.id, name: "limited", teamId: other.id };
    const limited = await app.runner.changes.issueToken(order, clock.now);
    await deleteTeam(owner, team);
    assert.equal((await feed(left, team.id)).status, 404);
    assert.equal((await feed({ ...owner, token: limited.value }, team.id)).status, 404);
  });

  it("are readable by administrators, and by nobody after the retention time", async () => {
    const owner = await createUser();
    const team = await createTeam(owner);
    await deleteTeam(owner, team);
    const read = () => request("GET", `/v3/events?teamId=${team.id}`);
    assert.equal((await read()).status, 200);
    clock.advance(31 * DAY_MS);
    await tidy("pruneEvents", { retentionDays: 30 });
    assert.equal((await feed(owner, team.id)).status, 404);
    assert.equal((await read()).status, 404);
  });
});
