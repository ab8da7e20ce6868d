// What an account or team may store: what is one too many is refused by name with the setting, and old versions make room for new ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { createKey } from "../resources/api-keys.ts";
import { newDecision } from "../resources/decisions.ts";

const world = await startOwnApp({
  storageLimits: "teams=2,projects=2,secrets=2,api-keys=2,versions=5,history-mib=1,secrets-mib=1,samples=150",
});
const { request, createUser, query } = world;

function assertReached({ status, body, text }: TestResponse, limit: string, most: number): void {
  assert.deepEqual(
    [status, body.error?.code, body.error?.limit, body.error?.most],
    [400, "limit_reached", limit, most],
    text,
  );
  assert.match(body.error.message, new RegExp(`REEVE_STORAGE_LIMITS raised \\(${limit}=${most}\\)`));
}

const put = (token: string, project: string, rules: readonly unknown[]) =>
  request("PUT", `/v1/security/firewall/config?projectId=${project}`, {
    token,
    body: { firewallEnabled: true, rules },
  });

interface Case {
  readonly limit: string;
  /** Adds one more; `at` is its number. */
  add(token: string, at: number): Promise<TestResponse>;
  /** Takes one away. */
  remove(token: string, added: TestResponse): Promise<TestResponse>;
}

const CASES: readonly Case[] = [
  {
    limit: "teams",
    add: (token, at) => request("POST", "/v1/teams", { token, body: { slug: `made-${at}` } }),
    remove: (token, { body }) => request("DELETE", `/v1/teams/${body.id}`, { token, body: {} }),
  },
  {
    limit: "api-keys",
    add: (token) => createKey(world, token),
    remove: (token, { body }) => request("DELETE", `/v1/api-keys/${body.apiKey.id}`, { token }),
  },
  {
    limit: "secrets",
    add: (token, at) => request("POST", "/v2/secrets", { token, body: { name: `secret_${at}`, value: "value" } }),
    remove: async (token, { body }) => {
      const removed = await request("DELETE", `/v2/secrets/${body.uid}`, { token });
      await query(`delete from secret_versions where secret_id = '${body.uid}'`);
      await query(`delete from secret_names where secret_id = '${body.uid}'`);
      await query(`delete from secrets where id = '${body.uid}'`);
      return removed;
    },
  },
];

for (const { limit, add, remove } of CASES) {
  test(`${limit}: one too many is refused, others may have as many, and one that is gone makes room`, async () => {
    const [{ token }, other] = [await createUser(), await createUser()];
    const added = [await add(token, 1), await add(token, 2)];
    for (const { status, text } of added) assert.equal(status, 200, text);
    assertReached(await add(token, 3), limit, 2);
    assert.equal((await add(other.token, 4)).status, 200);
    const removed = await remove(token, added[0] as TestResponse);
    assert.ok(removed.status < 300, removed.text);
    assert.equal((await add(token, 3)).status, 200);
  });
}

test("teams: an administrator has no limit, and neither do teams that one has joined count", async () => {
  for (let at = 0; at < 4; at++) {
    assert.equal((await request("POST", "/v1/teams", { body: { slug: `of-administrator-${at}` } })).status, 200);
  }
});

test("projects: whatever begins one is refused, and those that are there go on", async () => {
  const { token } = await createUser();
  for (const project of ["one", "two"]) assert.equal((await put(token, project, [])).status, 200);
  assertReached(await put(token, "three", []), "projects", 2);
  const environment = await request("PATCH", "/v1/environments/three", {
    token,
    body: { environments: { production: { set: { KEY: { value: "x" } } } } },
  });
  assertReached(environment, "projects", 2);
  assert.equal((await put(token, "one", [])).status, 200);
});

/** A rule of about 80 kB. */
const large = (name: string) => ({
  name,
  active: true,
  conditionGroup: Array.from({ length: 20 }, (_group, at) => ({
    conditions: [
      { type: "path", op: "inc", value: Array.from({ length: 2 }, () => `${at} ${name} `.padEnd(2_000, "x")) },
    ],
  })),
  action: { mitigate: { action: "log" } },
});
const numbersOf = async (token: string, project: string) => {
  const { body, text } = await request("GET", `/v1/security/firewall/config?projectId=${project}&limit=100`, { token });
  assert.ok(body.versions, text);
  return body.versions.map(({ version }: { version: number }) => version);
};

test("versions: the oldest make room, but neither the active one nor the one before it", async () => {
  const user = await createUser();
  const { token } = user;
  for (let at = 1; at <= 7; at++)
    assert.equal(
      (
        await put(token, "shop", [
          { ...large(`r${at}`), conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: `/${at}` }] }] },
        ])
      ).status,
      200,
    );
  assert.deepEqual(await numbersOf(token, "shop"), [7, 6, 5, 4, 3]);
  const activated = await request("POST", "/v1/security/firewall/config/3/activate?projectId=shop", {
    token,
    body: {},
  });
  assert.equal(activated.status, 200, activated.text);
});

test("history-mib: the oldest of all projects make room, in what is in use nothing is lost, and events tell", async () => {
  const user = await createUser();
  const { token } = user;
  assert.equal((await put(token, "kept", [large("kept")])).status, 200);
  for (let at = 1; at <= 40; at++) {
    const { status, text } = await put(token, "busy", [large(`r${at}`)]);
    assert.equal(status, 200, text);
    const [row] = await query(`select sum(size) as bytes from firewall_versions where owner_id = '${user.id}'`);
    assert.ok(Number(row?.["bytes"]) <= 1_048_576);
  }
  assert.deepEqual(await numbersOf(token, "kept"), [1]);
  const events = await world.readEvents(user.id);
  const removed = events.flatMap(({ payload }) => payload.removedVersions ?? []);
  assert.deepEqual(removed[0], { projectId: "busy", version: 1 });
  assert.equal((await numbersOf(token, "busy"))[0], 40);
});

test("history-mib: of environments as well, and what is in use is refused when it is too large by itself", async () => {
  const user = await createUser();
  const change = (environment: string, value: string) => {
    const set = Object.fromEntries(
      Array.from({ length: 8 }, (_entry, at) => [`KEY_${at}`, { value: value.repeat(50_000) }]),
    );
    const body = { environments: { [environment]: { set } } };
    return request("PATCH", "/v1/environments/shop", { token: user.token, body });
  };
  for (const value of ["a", "b", "c", "d"]) {
    const { status, text } = await change("production", value);
    assert.equal(status, 200, text);
  }
  const [row] = await query(`select sum(size) as bytes from environment_versions where owner_id = '${user.id}'`);
  assert.ok(Number(row?.["bytes"]) <= 1_048_576);
  assert.equal((await change("preview", "a")).status, 200);
  assertReached(await change("development", "a"), "history-mib", 1);
  const { body } = await request("GET", "/v1/environments/shop/production", { token: user.token });
  assert.equal(body.environment?.version ?? body.version, 4);
});

const MIB = 1_048_576;
const NUMBERS = Array.from({ length: 8 }, (_, at) => at);
const rulesOf = (numbers: readonly number[]) => numbers.map((at) => large(`r${at}`));

test("history-mib: a firewall of more than half of it can be changed, and the version before goes last", async () => {
  const user = await createUser();
  const { token } = user;
  assert.equal((await put(token, "small", [large("small")])).status, 200);
  assert.equal((await put(token, "small", [large("other")])).status, 200);
  assert.equal((await put(token, "shop", rulesOf(NUMBERS))).status, 200);
  const { status, text } = await put(token, "shop", rulesOf(NUMBERS.slice(1)));
  assert.equal(status, 200, text);
  const events = await world.readEvents(user.id);
  assert.deepEqual(events.at(-2)?.payload.removedVersions, [
    { projectId: "small", version: 1 },
    { projectId: "shop", version: 1 },
  ]);
  assertReached(await put(token, "small", rulesOf(NUMBERS.slice(1))), "history-mib", 1);
  assert.deepEqual([await numbersOf(token, "shop"), await numbersOf(token, "small")], [[2], [2]]);
});

test("history-mib: where more is in use than a lowered limit, changes that take no more are accepted", async () => {
  const before = await startOwnApp({ storageLimits: "history-mib=3" });
  const user = await before.createUser();
  const { token } = user;
  const at = "/v1/environments/shop";
  const set = Object.fromEntries(NUMBERS.map((key) => [`KEY_${key}`, { value: "x".repeat(50_000) }]));
  for (const environment of ["production", "preview", "development"]) {
    const body = { environments: { [environment]: { set } } };
    assert.equal((await before.request("PATCH", at, { token, body })).status, 200);
  }
  for (const project of ["one", "two"]) {
    const body = { firewallEnabled: true, rules: rulesOf(NUMBERS) };
    const path = `/v1/security/firewall/config?projectId=${project}`;
    assert.equal((await before.request("PUT", path, { token, body })).status, 200);
  }

  const app = await before.startAnother({ storageLimits: "history-mib=1" });
  const change = (body: object) => send(app, "PATCH", at, { token, body: { environments: body } });
  const accepted = await change({ production: { remove: ["KEY_0"] } });
  assert.equal(accepted.status, 200, accepted.text);
  assertReached(await change({ production: { set: { KEY_0: { value: "x" } } } }), "history-mib", 1);
  const moved = await change({
    development: { set: { MORE: { value: "x".repeat(10_000) } } },
    production: { remove: ["KEY_1"] },
  });
  assert.equal(moved.status, 200, moved.text);

  const replace = (project: string, rules: readonly unknown[]) =>
    send(app, "PUT", `/v1/security/firewall/config?projectId=${project}`, {
      token,
      body: { firewallEnabled: true, rules },
    });
  assertReached(await replace("one", rulesOf([...NUMBERS, 8])), "history-mib", 1);
  const smaller = await replace("one", rulesOf(NUMBERS.slice(1)));
  assert.equal(smaller.status, 200, smaller.text);
  const { rules } = (await send(app, "GET", "/v1/security/firewall/config/active?projectId=one", { token })).body;
  const removed = await send(app, "PATCH", "/v1/security/firewall/config?projectId=one", {
    token,
    body: { action: "rules.remove", id: rules[0].id },
  });
  assert.equal(removed.status, 200, removed.text);
  for (const project of ["one", "two"]) assert.equal((await replace(project, [])).status, 200);
  const [row] = await before.query(`select sum(size) as bytes from firewall_versions where owner_id = '${user.id}'`);
  assert.ok(Number(row?.["bytes"]) <= MIB);
});

test("secrets-mib: large values and their versions are refused beyond it, and fewer versions make room", async () => {
  const { token } = await createUser();
  const value = "x".repeat(60_000);
  const name = "large";
  const created = await request("POST", "/v2/secrets", { token, body: { name, value, maxVersions: 100 } });
  assert.equal(created.status, 200, created.text);
  const change = () => request("PUT", `/v2/secrets/${name}`, { token, body: { value } });
  let last = await change();
  for (let at = 0; at < 30 && last.status === 200; at++) last = await change();
  assertReached(last, "secrets-mib", 1);
  assert.equal((await request("PATCH", `/v2/secrets/${name}`, { token, body: { maxVersions: 2 } })).status, 200);
  assert.equal((await change()).status, 200);
});

test("samples: the oldest of all projects make room", async () => {
  const user = await createUser();
  const { token } = user;
  for (const project of ["first", "second"]) {
    assert.equal((await put(token, project, [])).status, 200);
    const decisions = Array.from({ length: 100 }, (_decision, at) => newDecision(world.clock.now - 1_000 + at));
    world.clock.advance(10_000);
    const reported = await request("POST", `/v1/gate/decisions?projectId=${project}`, { token, body: { decisions } });
    assert.equal(reported.status, 200, reported.text);
  }
  const rows = await query(
    `select project_id, count(*) as count from gate_decisions where owner_id = '${user.id}' group by project_id order by 1`,
  );
  assert.deepEqual(
    rows.map((row) => [row["project_id"], Number(row["count"])]),
    [
      ["first", 50],
      ["second", 100],
    ],
  );
});
