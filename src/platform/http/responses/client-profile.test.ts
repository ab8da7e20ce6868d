// Clients with closed lists of names get only the names of their release.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { openFeed, typesOf } from "../../../../test/resources/event-feed.ts";
import { PUBLIC_WEBHOOK_NAMES } from "../../kernel/clients/public-webhook-names.ts";
import { adaptForClient } from "./client-profile.ts";

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

  it("get events without unknown names", async () => {
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

  it("get firewall configurations without rules on bodies, which a condition less would make match more", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    const rule = (name: string, ...conditions: object[]) => ({
      name,
      active: true,
      conditionGroup: [{ conditions }],
      action: { mitigate: { action: "deny" } },
    });
    const onPath = { type: "path", op: "pre", value: "/a" };
    const onBody = { type: "body", key: "role", op: "eq", value: "admin" };
    const url = `teamId=${team.id}&projectId=shop`;
    const body = { firewallEnabled: true, rules: [rule("plain", onPath), rule("body", onPath, onBody)] };
    const put = await request("PUT", `/v1/firewalls?${url}`, { token: user.token, body });
    assert.equal(put.status, 200, put.text);
    const namesFor = async (agent: string) => {
      const headers = { "user-agent": agent };
      const { body: read } = await request("GET", `/v1/firewalls/active?${url}`, { token: user.token, headers });
      return read.rules.map(({ name }: Body) => name);
    };
    assert.deepEqual(await namesFor(agents.newest), ["plain"]);
    assert.deepEqual(await namesFor(agents.other), ["plain", "body"]);
    const headers = { "user-agent": agents.newest };
    const list = await request("GET", `/v1/firewalls?${url}`, { token: user.token, headers });
    assert.doesNotMatch(list.text, /"body"/);
  });

  it("get published events without types that their feed does not know", async () => {
    const user = await createUser();
    for (const type of ["deployment.created", "project-created", "deployment"]) {
      const body = { type, payload: { any: [{ thing: 1 }] } };
      assert.equal((await request("POST", "/v1/events", { token: user.token, body })).status, 200);
    }
    const read = async (agent: keyof typeof agents) => {
      const headers = { "user-agent": agents[agent] };
      const { body } = await request("GET", "/v3/events?limit=3&withPayload=true", { token: user.token, headers });
      return body.events.map(({ type, categories, payload }: Body) => [type, categories, payload]);
    };
    const payload = { any: [{ thing: 1 }] };
    const known = [
      ["deployment", ["deployment"], payload],
      ["project-created", ["project"], payload],
    ];
    assert.deepEqual(await read("other"), [...known, ["deployment.created", ["deployment"], payload]]);
    for (const agent of ["newest", "older"] as const) {
      assert.deepEqual(await read(agent), [...known, [undefined, ["deployment"], payload]], agent);
    }
  });

  it("get the known events of a webhook, in their spelling and without duplicates", () => {
    const events = ["team-*", "*", "domain.certificate-add", "secret-add", "test-webhook", "domain.certificate.add"];
    const result = { id: "hook_1", events: [...events, "deployment.blocked", "flag.created"], revision: 1 };
    const read = (agent: keyof typeof agents, operation: string) => {
      const adapted = adaptForClient(agents[agent], operation, result) as typeof result;
      assert.deepEqual({ ...adapted, events: [] }, { ...result, events: [] });
      return adapted.events;
    };
    const known = ["domain.certificate.add", "test-webhook"];
    for (const operation of ["createWebhook", "getWebhook", "updateWebhook"]) {
      assert.deepEqual(read("newest", operation), [...known, "deployment.blocked", "flag.created"]);
      assert.deepEqual(read("unnumbered", operation), [...known, "deployment.blocked", "flag.created"]);
      assert.deepEqual(read("oldest", operation), known);
      assert.deepEqual(read("other", operation), result.events);
    }
    const list = adaptForClient(agents.oldest, "listWebhooks", [result, { ...result, events: ["*"] }]);
    assert.deepEqual(list, [
      { ...result, events: known },
      { ...result, events: [] },
    ]);
    const releases = ["1.1.0", "1.8.1", "1.8.2", "1.14.0", "1.19.11", "1.19.40", "1.21.9", "1.28.35", "2.0.0"];
    const every = PUBLIC_WEBHOOK_NAMES.flatMap(({ names }) => names as readonly string[]);
    const counts = releases.map((release) => {
      const agent = `speakeasy-sdk/typescript ${release} 2.0.0 0.0.1 @vercel/sdk`;
      return (adaptForClient(agent, "getWebhook", { events: every }) as typeof result).events.length;
    });
    assert.deepEqual(counts, [40, 47, 64, 73, 94, 111, 112, 112, 112]);
  });

  it("get the event types that they know", async () => {
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
