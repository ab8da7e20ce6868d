// What a 404 says to do: where the object is listed, or that the request names no team. It says the same of what does not exist and of what
// the caller may not see.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTeam } from "../resources/teams.ts";
import { startTestApp } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";

const api = await startTestApp();
const { createUser, request } = api;

async function messageOf(path: string, { token }: TestUser, method = "GET"): Promise<string> {
  const { status, body } = await request(method, path, { token });
  assert.equal(status, 404);
  return body.error.message;
}

test("without a team, it says that none is named", async () => {
  const user = await createUser();
  const own = "the request names no team by teamId or slug, so this looked in your own account";
  assert.equal(
    await messageOf("/v2/secrets/NOPE", user),
    `Secret not found: ${own}; GET /v2/secrets lists those that there are`,
  );
  assert.equal(
    await messageOf("/v1/webhooks/hook_x", user, "DELETE"),
    `Webhook not found: ${own}; GET /v1/webhooks lists those that there are`,
  );
});

test("in a team, it says which list has the object, alike for one of another team", async () => {
  const [team, other] = [await openTeam(api, await createUser()), await openTeam(api, await createUser())];
  const path = (id: string) => `/v1/webhooks/${id}?teamId=${team.id}`;
  const made = await request("POST", `/v1/webhooks?teamId=${other.id}`, {
    token: other.owner.token,
    body: { url: "https://example.com/hook", events: ["secret.*"] },
  });
  const said = await messageOf(path("hook_x"), team.owner);
  assert.equal(said, "Webhook not found: GET /v1/webhooks lists those that there are");
  assert.equal(await messageOf(path(made.body.id), team.owner), said);
});

test("a project without a team, and an environment of a project, are told the same", async () => {
  const team = await openTeam(api, await createUser());
  assert.match(
    await messageOf("/v1/environments/shop/production/values", await createUser()),
    /^Project not found: .*; the request names no team by teamId or slug, so this looked in your own account$/,
  );
  await request("POST", `/v11/projects?teamId=${team.id}`, { token: team.owner.token, body: { name: "shop" } });
  assert.equal(
    await messageOf(`/v1/environments/shop/prod?teamId=${team.id}`, team.owner),
    "Environment not found: GET /v1/environments/{project} lists those that there are",
  );
});

test("what its path does not name leads to its list too, and to what creates it", async () => {
  const { owner, ...team } = await openTeam(api, await createUser());
  const at = `?teamId=${team.id}`;
  const change = { environments: { production: { set: { LEVEL: { value: "info" } } } } };
  await request("PATCH", `/v1/environments/shop${at}`, { token: owner.token, body: change });
  await request("PUT", `/v1/firewalls${at}&projectId=shop`, {
    token: owner.token,
    body: { firewallEnabled: true, rules: [{ name: "a", active: true, conditionGroup: [], action: {} }] },
  });
  const lists = (what: string, path: string) => `${what} not found: GET ${path} lists those that there are`;
  const send = async (method: string, path: string, body: object) => {
    const response = await request(method, `${path}${path.includes("?") ? "&" : "?"}teamId=${team.id}`, {
      token: owner.token,
      body,
    });
    assert.equal(response.status, 404, response.text);
    return response.body.error.message;
  };
  const remove = { action: "rules.remove", id: "none" };
  assert.equal(await send("PATCH", "/v1/firewalls?projectId=shop", remove), lists("Rule", "/v1/firewalls/active"));
  assert.equal(
    await send("PATCH", "/v1/firewalls?projectId=shopp", remove),
    "Rule not found: there is none here; check projectId",
  );
  const rollback = "/v1/environments/shop/production/rollback";
  const versions = lists("Version 99", "/v1/environments/{project}/{environment}/versions");
  assert.equal(await send("POST", rollback, { version: 99 }), versions);
  assert.equal(
    await messageOf(`/v1/webhook-deliveries${at}&webhookId=hook_x`, owner),
    lists("Webhook", "/v1/webhooks"),
  );
  assert.equal(
    await messageOf(`/v3/env/pull/shop/prod${at}`, owner),
    lists("Environment", "/v1/environments/{project}"),
  );
  assert.equal(
    await send("PUT", "/v2/secrets/NOPE", { value: "x" }),
    `${lists("Secret", "/v2/secrets")}; POST /v2/secrets creates one`,
  );
});

test("what has no list has none named: the same path without an id is the caller's own", async () => {
  const team = await openTeam(api, await createUser());
  const said = await messageOf(`/v1/teams/${team.id}/request/nobody`, team.owner);
  assert.equal(said, "Access request not found: check its id");
});

test("a team that somebody has asked to join says to them alone that they wait", async () => {
  const team = await openTeam(api, await createUser());
  const [asking, stranger] = [await createUser(), await createUser()];
  await team.ask(asking);
  const waits = /^Team not found: your request to join it waits for an OWNER; /;
  const paths = [`/v2/secrets?teamId=${team.id}`, `/v2/teams/${team.id}/members`, `/v2/secrets/NOPE?slug=${team.slug}`];
  for (const path of paths) {
    assert.match(await messageOf(path, asking), waits);
    const said = await messageOf(path, stranger);
    assert.doesNotMatch(said, waits);
    assert.equal(
      await messageOf(path.replace(team.id, "team_none").replace(team.slug, "no-such-team"), stranger),
      said,
    );
  }
  const key = await request("POST", "/v3/user/tokens", { token: asking.token, body: { name: "whole" } });
  assert.match(await messageOf(paths[0] as string, { ...asking, token: key.body.bearerToken }), waits);
});
