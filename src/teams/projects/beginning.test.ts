// What begins a project: a change with the permission firewall:write, and nothing else. A mistyped name stays unknown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { newDecision } from "../../../test/resources/decisions.ts";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { Permission } from "../../platform/kernel/roles.ts";

const client = await startTestApp();
const { clock, createTeam, createUser, request } = client;
const owner = await createUser();
const team = await createTeam(owner);

const keyWith = async (permissions: readonly Permission[], more: object = {}): Promise<string> =>
  (await createKey(client, owner.token, `?teamId=${team.id}`, { permissions, ...more })).body.value;
const namesOf = async (): Promise<string[]> =>
  (await request("GET", `/v9/projects?teamId=${team.id}&limit=100`, { token: owner.token })).body.projects.map(
    ({ name }: { name: string }) => name,
  );

interface Attempt {
  readonly permissions: readonly Permission[];
  readonly method: string;
  readonly path: (project: string) => string;
  readonly body?: (project: string) => object;
}
type Attempts = Readonly<Record<string, Attempt>>;

const inQuery = (path: string) => (project: string) => `${path}?projectId=${project}`;
const GATE: readonly Permission[] = ["gate:connect"];

const OF_A_GATE: Attempts = {
  "reads a bundle": { permissions: GATE, method: "GET", path: inQuery("/v1/gate/bundle") },
  "reports traffic": {
    permissions: GATE,
    method: "POST",
    path: inQuery("/v1/firewalls/traffic"),
    body: () => ({ counts: [{ at: clock.now, host: "shop.test", action: "deny", count: 1 }] }),
  },
  "reports decisions": {
    permissions: GATE,
    method: "POST",
    path: inQuery("/v1/gate/decisions"),
    body: () => ({ decisions: [newDecision(clock.now)] }),
  },
  "reports an engine": {
    permissions: GATE,
    method: "POST",
    path: inQuery("/v1/gate/engine"),
    body: () => ({ crs: "modsecurity" }),
  },
};

const WRITES: Attempts = {
  "publishes an event": {
    permissions: ["event:write"],
    method: "POST",
    path: () => "/v1/events",
    body: (projectId) => ({ type: "deployment.created", projectId }),
  },
  "changes an environment": {
    permissions: ["environment:write"],
    method: "PATCH",
    path: (project) => `/v1/environments/${project}`,
    body: () => ({ environments: { production: { set: { LOG_LEVEL: { value: "info" } } } } }),
  },
  "creates an environment": {
    permissions: ["environment:write"],
    method: "POST",
    path: (project) => `/v1/environments/${project}`,
    body: () => ({ name: "staging" }),
  },
  "creates a variable": {
    permissions: ["environment:read", "environment:write", "secret:write"],
    method: "POST",
    path: (project) => `/v10/projects/${project}/env`,
    body: () => ({ key: "LOG_LEVEL", value: "info", type: "plain", target: ["production"] }),
  },
  "creates a custom environment": {
    permissions: ["environment:read", "environment:write"],
    method: "POST",
    path: (project) => `/v9/projects/${project}/custom-environments`,
    body: () => ({ slug: "staging" }),
  },
};

const send = (token: string, { method, path, body }: Attempt, project: string) =>
  request(method, path(project), { token, ...(body && { body: body(project) }) });

const EXPECTED = (project: string) =>
  `Project not found: expected one that exists and that this credential may use, got "${project}". ` +
  "A project begins with a first change of somebody with the permission firewall:write";

for (const [what, attempt] of Object.entries({ ...OF_A_GATE, ...WRITES })) {
  test(`a key without firewall:write that ${what} begins no project, and is told which one is unknown`, async () => {
    const project = uniqueName("shpo");
    const { status, body } = await send(await keyWith(attempt.permissions), attempt, project);
    assert.deepEqual(
      [status, body.error?.code, body.error?.message, body.error?.projectId],
      [404, "not_found", EXPECTED(project), project],
    );
    assert.ok(!(await namesOf()).includes(project));
  });
}

for (const [what, attempt] of Object.entries(OF_A_GATE)) {
  test(`a key with firewall:write that ${what} begins no project either`, async () => {
    const project = uniqueName("shpo");
    const key = await keyWith([...attempt.permissions, "firewall:write"]);
    assert.equal((await send(key, attempt, project)).status, 404);
    assert.ok(!(await namesOf()).includes(project));
  });
}

for (const [what, attempt] of Object.entries(WRITES)) {
  test(`a key that ${what} begins a project with firewall:write, and needs it no more afterwards`, async () => {
    const project = uniqueName("shop");
    const begun = await send(await keyWith([...attempt.permissions, "firewall:write"]), attempt, project);
    assert.ok(begun.status < 300, begun.text);
    assert.ok((await namesOf()).includes(project));
    const other: Attempt = { ...WRITES["changes an environment"]! };
    assert.equal((await send(await keyWith(other.permissions), other, project)).status, 200);
  });
}

test("reads of a project that does not exist begin none", async () => {
  const project = uniqueName("shpo");
  const paths = [
    `/v9/projects/${project}`,
    `/v1/firewalls?projectId=${project}`,
    `/v1/attack-challenge-mode?projectId=${project}`,
    `/v1/attack-challenge-mode/automatic?projectId=${project}`,
    `/v1/security/firewall/bypass?projectId=${project}`,
    `/v1/security/firewall/events?projectId=${project}`,
  ];
  const and = (path: string) => `${path}${path.includes("?") ? "&" : "?"}teamId=${team.id}`;
  for (const path of paths) {
    assert.equal((await request("GET", and(path), { token: owner.token })).status, 200, path);
  }
  for (const path of [`/v1/environments/${project}`, `/v1/gate/decisions?projectId=${project}`]) {
    assert.equal((await request("GET", and(path), { token: owner.token })).status, 404, path);
  }
  const url = and(`/v1/firewalls/active/evaluate?projectId=${project}`);
  await request("POST", url, { token: owner.token, body: { requests: [{ url: "https://shop.test/" }] } });
  assert.ok(!(await namesOf()).includes(project));
});

test("a key that is limited to one project is told the same of another, whether that exists or not", async () => {
  const [shop, other] = [uniqueName("shop"), uniqueName("other")];
  for (const project of [shop, other]) {
    const url = `/v1/firewalls?teamId=${team.id}&projectId=${project}`;
    assert.equal((await request("PUT", url, { token: owner.token, body: { firewallEnabled: true } })).status, 200);
  }
  const limited = await keyWith(GATE, { projects: [shop] });
  for (const attempt of Object.values(OF_A_GATE)) {
    assert.equal((await send(limited, attempt, shop)).status, 200);
    for (const project of [other, uniqueName("shpo")]) {
      const { status, body } = await send(limited, attempt, project);
      assert.deepEqual([status, body.error?.message], [404, EXPECTED(project)]);
    }
  }
});

test("a project of another team is as unknown as one that nobody has", async () => {
  const stranger = await createUser();
  const theirs = await createTeam(stranger);
  const project = uniqueName("theirs");
  const url = `/v1/firewalls?teamId=${theirs.id}&projectId=${project}`;
  assert.equal((await request("PUT", url, { token: stranger.token, body: { firewallEnabled: true } })).status, 200);
  const key = await keyWith(GATE);
  for (const attempt of Object.values(OF_A_GATE)) {
    const { status, body } = await send(key, attempt, project);
    assert.deepEqual([status, body.error?.message], [404, EXPECTED(project)]);
  }
  const named = await request("GET", `/v1/gate/bundle?teamId=${theirs.id}&projectId=${project}`, { token: key });
  assert.deepEqual(
    [named.status, named.body.error?.message],
    [404, "Team not found; GET /v2/teams lists those that you may see"],
  );
});
