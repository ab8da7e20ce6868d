// What happened, through one release of the SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import { START_TIME } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import type { Session } from "./session.ts";

export function testEvents({ release, as, request, createUser, createOwnerAndTeam, invite }: Session): void {
  test("listUserEvents tells what happened in a team, newest first, with payloads", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const guest = await createUser();
    await as(owner).teams.patchTeam({ teamId: team.id, requestBody: { name: "New Name" } });
    await invite(owner, team.id, { email: guest.email, role: "MEMBER" });
    await as(guest).teams.joinTeam({ teamId: team.id, requestBody: {} });
    const { events } = await as(owner).user.listUserEvents({ teamId: team.id, withPayload: "true" });
    assert.equal(events.length, 4);
    if (!release.readsEvents) {
      assert.deepEqual(
        events.map((event: Body) => ({ ...event })),
        [{}, {}, {}, {}],
      );
      return;
    }
    for (const event of events) {
      assert.match(event.id, /^uev_\w{24}$/);
      assert.ok(event.text.length > 0);
      assert.ok(Array.isArray(event.entities));
    }
    assert.deepEqual(
      events.map((event: Body) => event.userId),
      [guest.id, owner.id, owner.id, owner.id],
    );
    // Events of one owner have moments of their own, so that clients can page by them.
    assert.deepEqual(
      events.map((event: Body) => event.createdAt - START_TIME),
      [3, 2, 1, 0],
    );
    assert.equal(events[0].user.username, guest.username);
    if (!release.hasEventTypes) return;
    assert.deepEqual(
      events.map((event: Body) => event.type),
      ["team-member-join", "team-member-add", "team-name-update", "team"],
    );
    const [joined, added, renamed, created] = events.map((event: Body) => ({ ...event.payload }));
    assert.deepEqual([joined.uid, joined.role, joined.teamSlug], [guest.id, "MEMBER", team.slug]);
    assert.deepEqual([added.invitedEmail, added.invitationRole], [guest.email, "MEMBER"]);
    assert.deepEqual(renamed, { name: "New Name" });
    assert.deepEqual(created, { slug: team.slug });

    const { events: renames } = await as(owner).user.listUserEvents({ teamId: team.id, types: "team-name-update" });
    assert.deepEqual(
      renames.map((event: Body) => [event.id, event.payload]),
      [[events[2].id, undefined]],
    );
  });

  test("listUserEvents tells what happened to a team's secrets, without the types that the client does not know", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const { token } = owner;
    async function call(method: string, path: string, body?: unknown): Promise<Body> {
      const answer = await request(method, path, { token, ...(body === undefined ? {} : { body }) });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    }
    const made = { name: "before", value: "first", decryptable: true };
    const { uid } = await call("POST", `/v2/secrets?teamId=${team.id}`, made);
    await call("PATCH", `/v2/secrets/before?teamId=${team.id}`, { name: "after" });
    await call("PUT", `/v2/secrets/after?teamId=${team.id}`, { value: "second" });
    await call("GET", `/v3/secrets/after?teamId=${team.id}&decrypt=true`);
    await call("DELETE", `/v2/secrets/after?teamId=${team.id}`);

    const { events } = await as(owner).user.listUserEvents({ teamId: team.id, withPayload: "true" });
    assert.equal(events.length, 6);
    if (!release.readsEvents) return;
    assert.deepEqual(
      events.map((event: Body) => event.text.replace(`${owner.username} `, "")),
      [
        "deleted secret after",
        "revealed secret after",
        "changed the value of secret after",
        "renamed secret before to after",
        "created secret before",
        `created team ${team.slug}`,
      ],
    );
    if (!release.hasEventTypes) return;
    assert.deepEqual(
      events.map((event: Body) => [event.type, { ...event.payload }]),
      [
        ["secret-delete", { name: "after", uid }],
        [undefined, { name: "after", uid }],
        [undefined, { name: "after", uid }],
        ["secret-rename", { oldName: "before", newName: "after", uid }],
        ["secret-add", { name: "before", uid }],
        ["team", { slug: team.slug }],
      ],
    );
  });

  test("listUserEvents shows an event whose type the client does not know, without the type", async () => {
    const user = await createUser();
    const { status } = await request("PATCH", "/v2/user", { token: user.token, body: { name: "New Name" } });
    assert.equal(status, 200);
    const { body } = await request("GET", "/v3/events?types=user-updated", { token: user.token });
    assert.deepEqual(
      body.events.map((event: Body) => event.type),
      ["user-updated"],
    );
    const { events } = await as(user).user.listUserEvents({ types: "user-updated" });
    assert.deepEqual(
      events.map((event: Body) => [event.id, event.type]),
      [[release.readsEvents ? body.events[0].id : undefined, undefined]],
    );
  });

  test("listUserEvents shows what was published, with the types that are types of its feed", async () => {
    const { owner, team } = await createOwnerAndTeam();
    for (const [type, payload] of [
      ["deployment.created", { deployment: { id: "dpl_1", meta: {} }, links: [null, 1.5] }],
      ["project-created", { name: 7, projectId: { nested: [[]] } }],
      ["flag.segment.updated", {}],
      ["deployment", { slug: "a", name: "b", teamId: null }],
    ] as const) {
      const options = { token: owner.token, body: { type, payload, projectId: "shop" } };
      const { status, text } = await request("POST", `/v1/events?teamId=${team.id}`, options);
      assert.equal(status, 200, text);
    }
    const { events } = await as(owner).user.listUserEvents({
      teamId: team.id,
      projectIds: "shop",
      types: "deployment,deployment.created,flag.*,project-created",
      withPayload: "true",
    });
    assert.equal(events.length, 4);
    if (!release.readsEvents) return;
    const types = ["deployment", "flag.segment.updated", "project-created", "deployment.created"];
    assert.deepEqual(
      events.map((event: Body) => event.text),
      types.map((type) => `${owner.username} published ${type}`),
    );
    if (!release.hasEventTypes) return;
    assert.deepEqual(
      events.map((event: Body) => [event.type, event.categories]),
      [
        ["deployment", ["deployment"]],
        [undefined, ["feature-flags"]],
        ["project-created", ["project"]],
        [undefined, ["deployment"]],
      ],
    );
  });

  if (release.hasEventTypes) {
    test("listEventTypes lists the types and their categories", async () => {
      const user = await createUser();
      const { types, categories } = await as(user).user.listEventTypes({});
      const join = types.find((type: Body) => type.name === "team-member-join");
      assert.ok(join.description.length > 0);
      assert.ok(join.categories.includes("team"));
      const { label } = categories.find((category: Body) => category.name === "team");
      assert.ok(label.length > 0);
      // Public webhook events are no types of its feed, but for the few that are both.
      const names = types.map(({ name }: Body) => name);
      assert.deepEqual(
        ["deployment", "project-created", "deployment.created", "user-updated"].map((name) => names.includes(name)),
        [true, true, false, false],
      );
    });
  }
}
