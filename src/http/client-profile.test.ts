// What clients with closed lists of names are spared, by their release.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startTestApp } from "../../test/harness.ts";
import type { Body } from "../../test/harness.ts";
import { openFeed, typesOf } from "../../test/event-feed.ts";

const app = await startTestApp();
const { request, createUser, createTeam } = app;
const { plant } = openFeed(app);

describe("clients with closed lists", () => {
  const agents = {
    newest: "speakeasy-sdk/typescript 1.28.35 2.937.18 0.0.1 @vercel/sdk",
    older: "speakeasy-sdk/typescript 1.21.9 2.886.1 0.0.1 @vercel/sdk",
    oldest: "speakeasy-sdk/typescript 1.8.2 2.628.0 0.0.1 @vercel/sdk",
    unnumbered: "speakeasy-sdk/python",
    other: "curl/8.0",
  };

  it("get events without the names that they do not know", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    await plant(team, [
      { type: "user-suspended" },
      { type: "team-collaboration-settings-updated", by: user },
      { type: "team-invite-link-created", by: user },
    ]);
    const read = async (agent: keyof typeof agents) => {
      const headers = { "user-agent": agents[agent] };
      const { body } = await request("GET", `/v3/events?teamId=${team.id}&limit=3`, { token: user.token, headers });
      return body.events as Body[];
    };
    const every = await read("other");
    const all = ["team-invite-link-created", "team-collaboration-settings-updated", "user-suspended"];
    assert.deepEqual(typesOf(every), all);
    assert.deepEqual(typesOf(await read("newest")), [all[0], all[1], undefined]);
    assert.deepEqual(typesOf(await read("unnumbered")), [all[0], all[1], undefined]);
    assert.deepEqual(typesOf(await read("older")), [all[0], undefined, undefined]);
    const oldest = await read("oldest");
    assert.deepEqual(typesOf(oldest), [undefined, undefined, undefined]);
    assert.deepEqual(
      oldest.map(({ categories }) => categories),
      [[], [], []],
    );
    assert.deepEqual(
      oldest.map(({ principal }) => principal?.type),
      ["user", "user", undefined],
    );
    assert.deepEqual(
      oldest.map(({ id, userId, entities }) => ({ id, userId, entities })),
      every.map(({ id, userId, entities }) => ({ id, userId, entities })),
    );
  });

  it("get the types that they know", async () => {
    const read = async (agent: keyof typeof agents) => {
      const { body } = await request("GET", "/v1/events/types", { headers: { "user-agent": agents[agent] } });
      return body.types.map(({ name }: Body) => name) as string[];
    };
    const all = await read("other");
    assert.ok(all.includes("user-suspended") && all.includes("team-member-join"));
    const known = await read("newest");
    const left = all.filter((name) => !known.includes(name));
    for (const name of ["user-created", "secret-reveal"]) assert.ok(left.includes(name), name);
    for (const name of ["secret-add", "secret-rename", "secret-delete"]) assert.ok(known.includes(name), name);
    assert.ok(!(await read("older")).includes("team-collaboration-settings-updated"));
    assert.deepEqual(await read("oldest"), []);
  });
});
