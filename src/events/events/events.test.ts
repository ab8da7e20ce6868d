// The feed through HTTP: the form of an event, who may read it, and the list of event types.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openFeed, typesOf } from "../../../test/resources/event-feed.ts";

const app = await startTestApp();
const { request, createUser, createTeam, clock, query } = app;
const { plant, list, find } = openFeed(app);

describe("an event", () => {
  it("names actor and action, in the form that clients require", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    const [event] = await find(user, team, "");
    const person = { uid: user.id, username: user.username, email: user.email, slug: user.username, avatar: "" };
    assert.deepEqual(event, {
      id: event.id,
      sequence: 1,
      type: "team",
      text: `${user.username} created team ${team.slug}`,
      entities: [{ type: "author", start: 0, end: user.username.length }],
      categories: ["team"],
      createdAt: clock.now,
      principalId: user.id,
      principal: { type: "user", ...person },
      userId: user.id,
      user: person,
      tokenId: event.tokenId,
      channel: "http",
      requestId: event.requestId,
      entityId: team.id,
      hash: event.hash,
    });
    assert.match(event.id, /^uev_[0-9A-Za-z]{24}$/);
    assert.match(event.tokenId, /^[0-9a-f]{64}$/);
    assert.match(event.hash, /^[0-9a-f]{64}$/);
  });

  it("has Reeve's id of its request, and the client's own", async () => {
    const user = await createUser();
    const headers = { "x-request-id": "audit-me-1" };
    await request("PATCH", "/v2/user", { token: user.token, body: { name: "Jane" }, headers });
    await request("PATCH", "/v2/user", { token: user.token, body: { name: "Joan" } });
    const { events } = (await request("GET", "/v3/events?limit=2", { token: user.token })).body;
    for (const { requestId } of events) assert.match(requestId, /^req_[0-9A-Za-z]{24}$/);
    assert.notEqual(events[0].requestId, events[1].requestId);
    assert.deepEqual(
      events.map(({ clientRequestId }: Body) => clientRequestId),
      [undefined, "audit-me-1"],
    );
  });

  it("has payload and states with withPayload", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    const change = { payload: { name: "B" }, previous: { name: "A" }, next: { name: "B" } };
    await plant(team, [{ by: user, ...change }]);
    const [event] = await find(user, team, "&withPayload=true&limit=1");
    const { payload, previous, next, ip, userAgent } = event;
    assert.deepEqual({ payload, previous, next, ip, userAgent }, { ...change, ip: "192.0.2.1", userAgent: "test/1" });
    const [creation] = await find(user, team, "&withPayload=true&before=2");
    assert.deepEqual([creation.payload, creation.previous, creation.next], [{ slug: team.slug }, null, null]);
    const [bare] = await find(user, team, "&withPayload=false&limit=1");
    for (const member of ["payload", "previous", "next", "ip", "userAgent"]) assert.equal(member in bare, false);
  });

  it("distinguishes users, API keys and Reeve itself", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    const key = { keyId: "key_1", keyName: "deploy" };
    await plant(team, [{}, { by: key }, { by: { ...key, of: user } }]);
    const [ofUser, ofTeam, bySystem] = await find(user, team, "&limit=3");
    assert.deepEqual(bySystem.principal, { type: "system" });
    assert.deepEqual([bySystem.principalId, bySystem.userId, "user" in bySystem], ["system", "", false]);
    const principal = { type: "app", id: "key_1", clientId: "key_1", name: "deploy" };
    assert.deepEqual([ofTeam.principal, ofTeam.userId, "user" in ofTeam], [principal, "", false]);
    assert.deepEqual([ofUser.principal, ofUser.userId, ofUser.user.uid], [principal, user.id, user.id]);
    assert.equal(ofTeam.text, "API key deploy did something");
    assert.equal(ofTeam.text.slice(ofTeam.entities[0].start, ofTeam.entities[0].end), "API key deploy");
  });
});

describe("the right to read", () => {
  it("covers one's own account and one's teams only", async () => {
    const [user, other] = [await createUser(), await createUser()];
    const team = await createTeam(user);
    const own = (await request("GET", "/v3/events", { token: user.token })).body.events;
    assert.ok(own.length > 0 && own.every(({ entityId }: Body) => entityId !== team.id));
    const absent = await request("GET", "/v3/events?teamId=team_absent", { token: other.token });
    const foreign = await list(other, team);
    assert.equal(foreign.status, 404);
    assert.deepEqual(foreign.body, absent.body);
    assert.equal((await request("GET", "/v3/events", { token: null })).status, 401);
  });

  it("depends on the role", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    for (const [role, status] of [
      ["VIEWER", 200],
      ["CONTRIBUTOR", 403],
      ["BILLING", 403],
    ] as const) {
      await query(`update memberships set role = '${role}' where team_id = '${team.id}'`);
      for (const url of ["/v3/events", "/v1/events/types"]) {
        assert.equal((await request("GET", `${url}?teamId=${team.id}`, { token: user.token })).status, status);
      }
    }
  });

  it("is limited to the team of a limited token", async () => {
    const user = await createUser();
    const [team, other] = [await createTeam(user), await createTeam(user)];
    await query(`update access_tokens set team_id = '${team.id}' where user_id = '${user.id}'`);
    assert.deepEqual(typesOf(await find(user, team, "")), ["team"]);
    const implied = await request("GET", "/v3/events", { token: user.token });
    assert.equal(implied.body.events[0].entityId, team.id);
    assert.equal((await list(user, other)).status, 403);
  });

  it("holds on every alias of the path", async () => {
    for (const path of ["/v3/events", "/v2/events", "/v1/events", "/events", "/v1/events/types", "/events/types"]) {
      assert.equal((await request("GET", path)).status, 200, path);
    }
    assert.equal((await request("GET", "/v4/events")).status, 404);
  });
});

describe("event types", () => {
  it("have a description, and categories with a label", async () => {
    const { types, categories } = (await request("GET", "/v1/events/types")).body;
    const labelled = categories.map(({ name }: Body) => name);
    assert.equal(new Set(types.map(({ name }: Body) => name)).size, types.length);
    for (const type of types) {
      assert.match(type.description, /^[A-Z].*\.$/);
      assert.ok(type.categories.length > 0 && type.categories.every((name: string) => labelled.includes(name)));
    }
    for (const { label } of categories) assert.notEqual(label, "");
  });
});
