import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openShield } from "../../../test/resources/attack-mode.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startTestApp();
const { clock, createTeam, createUser, request } = client;

async function ownProjects() {
  const { id, token } = await createUser();
  return {
    id,
    token,
    /** Stores something under the project. */
    async use(projectId: string, body: object = { attackModeEnabled: true }) {
      const response = await openShield(client, token, projectId).set(body);
      assert.equal(response.status, 200, response.text);
    },
    get: (name: string) => request("GET", `/v9/projects/${encodeURIComponent(name)}`, { token }),
    list: (text = "") => request("GET", `/v9/projects?${text}`, { token }),
  };
}

const namesOf = ({ body }: Body): string[] => body.projects.map(({ name }: Body) => name);

test("every valid name is a project, and shows only what is stored under it", async () => {
  const own = await ownProjects();
  for (const name of ["shop", "prj_2WjyKQmM8ZnGcJsPWMrHRHrE", "a.b-c_d", "0", "x".repeat(100)]) {
    const { status, body } = await own.get(name);
    const security = { attackModeEnabled: false, attackModeActiveUntil: null, firewallEnabled: false };
    assert.deepEqual([status, body], [200, { id: name, name, accountId: own.id, security }]);
  }
  assert.deepEqual(namesOf(await own.list()), [], "asking makes no project");
});

test("an invalid name is not found", async () => {
  const own = await ownProjects();
  for (const name of ["my folder", ".hidden", "-", "a/b", "ä", "x".repeat(101), "a\n"]) {
    const { status, body } = await own.get(name);
    assert.deepEqual([status, body.error.code], [404, "not_found"], name);
  }
});

test("a project shows its attack challenge mode, which ends by the clock", async () => {
  const own = await ownProjects();
  const start = clock.now;
  const end = start + HOUR_MS;
  await own.use("shop", { attackModeEnabled: true, attackModeActiveUntil: end });
  const base = { id: "shop", name: "shop", accountId: own.id, createdAt: start };
  const on = { attackModeEnabled: true, attackModeUpdatedAt: start, attackModeActiveUntil: end };
  assert.deepEqual((await own.get("shop")).body, {
    ...base,
    updatedAt: start,
    security: { ...on, firewallEnabled: false },
  });
  clock.advance(HOUR_MS);
  const off = { attackModeEnabled: false, attackModeUpdatedAt: end, attackModeActiveUntil: null };
  const ended = { ...base, updatedAt: end, security: { ...off, firewallEnabled: false } };
  assert.deepEqual((await own.get("shop")).body, ended);
  assert.deepEqual((await own.list()).body.projects, [ended]);
});

test("a project shows its active firewall configuration", async () => {
  const own = await ownProjects();
  const put = async (firewallEnabled: boolean) => {
    const url = "/v1/firewalls?projectId=shop";
    const response = await request("PUT", url, { token: own.token, body: { firewallEnabled } });
    assert.equal(response.status, 200, response.text);
  };
  for (const [at, firewallEnabled] of [true, false, true].entries()) {
    clock.advance(1);
    await put(firewallEnabled);
    const { body } = await own.get("shop");
    assert.equal(body.updatedAt, clock.now);
    assert.deepEqual(body.security, {
      attackModeEnabled: false,
      attackModeActiveUntil: null,
      firewallEnabled,
      firewallUpdatedAt: clock.now,
      firewallConfigVersion: at + 1,
    });
    assert.deepEqual((await own.list()).body.projects, [body]);
  }
  const staged = { action: "firewallEnabled", value: false };
  clock.advance(1);
  const url = "/v1/firewalls/draft?projectId=shop";
  assert.equal((await request("PATCH", url, { token: own.token, body: staged })).status, 200);
  const { body } = await own.get("shop");
  assert.deepEqual([body.security.firewallEnabled, body.updatedAt], [true, clock.now], "a draft changes nothing yet");
  assert.equal(body.security.firewallDraftUpdatedAt, clock.now);
  assert.equal((await request("DELETE", url, { token: own.token })).status, 204);
  assert.equal("firewallDraftUpdatedAt" in (await own.get("shop")).body.security, false);
});

test("the list has the projects with something stored, newest first and by page", async () => {
  const own = await ownProjects();
  const names = ["alpha", "Beta", "gamma", "beta2"];
  for (const name of names) await own.use(name);
  for (const name of names) await own.use(name, { attackModeEnabled: false });
  assert.deepEqual(namesOf(await own.list()), names.toReversed());
  const first = await own.list("limit=3");
  assert.deepEqual(namesOf(first), ["beta2", "gamma", "Beta"]);
  assert.equal(first.body.pagination.count, 3);
  const second = await own.list(`limit=3&until=${first.body.pagination.next}`);
  assert.deepEqual([namesOf(second), second.body.pagination.next], [["alpha"], null]);
  assert.match(first.headers["link"] ?? "", /rel="next"/);
  assert.deepEqual(namesOf(await own.list("search=BETA&limit=20")), ["beta2", "Beta"]);
  assert.deepEqual(namesOf(await own.list("search=bet&limit=1")), ["beta2"]);
  assert.deepEqual(namesOf(await own.list("search=%25")), []);
  assert.deepEqual(namesOf(await own.list(`since=${first.body.pagination.next}&limit=2`)), ["beta2", "gamma"]);
});

test("a team's projects are its own, and require firewall:read", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  await openShield(client, owner.token, "shop", team.id).set({ attackModeEnabled: true });
  const see = async (token: string) => {
    const one = await request("GET", `/v10/projects/shop?teamId=${team.slug}`, { token });
    const all = await request("GET", `/v9/projects?teamId=${team.id}`, { token });
    return [one.status, one.body.accountId, all.status, all.body.projects?.length];
  };
  assert.deepEqual(await see(owner.token), [200, team.id, 200, 1]);
  const keyOf = async (role: string) =>
    (await createKey(client, owner.token, `?teamId=${team.id}`, { role })).body.value as string;
  assert.deepEqual(await see(await keyOf("VIEWER")), [200, team.id, 200, 1]);
  assert.deepEqual(await see(await keyOf("BILLING")), [403, undefined, 403, undefined]);
  assert.deepEqual(await see((await createUser()).token), [404, undefined, 404, undefined]);
  const own = await request("GET", "/v9/projects", { token: owner.token });
  assert.deepEqual(own.body.projects, []);
});

test("a project is created by its name once, with its event, and is listed", async () => {
  const owner = await createUser();
  const { id: teamId } = await createTeam(owner);
  const { token } = owner;
  const create = (body: object, as = token) => request("POST", `/v11/projects?teamId=${teamId}`, { token: as, body });
  const { status, body } = await create({ name: "shop" });
  const security = { attackModeEnabled: false, attackModeActiveUntil: null, firewallEnabled: false };
  const at = { createdAt: clock.now, updatedAt: clock.now };
  assert.deepEqual([status, body], [200, { id: "shop", name: "shop", accountId: teamId, ...at, security }]);
  assert.deepEqual(namesOf(await request("GET", `/v9/projects?teamId=${teamId}`, { token })), ["shop"]);
  const { events } = (await request("GET", `/v3/events?teamId=${teamId}&types=project&withPayload=true`, { token }))
    .body;
  assert.deepEqual(
    events.map(({ entityId, text, payload }: Body) => [entityId, text.includes("shop"), payload.projectId]),
    [["shop", true, "shop"]],
  );
  const again = await create({ name: "shop" });
  assert.deepEqual([again.status, again.body.error.code, again.body.error.field], [409, "project_exists", "body.name"]);
  const odd = await create({ name: "my shop" });
  assert.deepEqual([odd.status, odd.body.error.field], [400, "body.name"]);
  const { value } = (await createKey(client, token, `?teamId=${teamId}`, { permissions: ["firewall:read"] })).body;
  assert.equal((await create({ name: "site" }, value)).status, 403);
});
