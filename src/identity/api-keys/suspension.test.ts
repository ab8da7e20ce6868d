// A team's keys answer to a person of the team: what that person may no longer do, their keys may not do either.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { ENGINE, send, startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";

const client = await startOwnApp();
const { app, request, admin, createUser, readEvents, startAnother } = client;
// On the embedded store another server would be a second writer of the same file, which a command is too.
const nodes = [app, await startAnother()];

interface Made {
  readonly id: string;
  readonly value: string;
}

async function makeKey(token: string, team: TestTeam, role = "MEMBER", name = `${role} key`): Promise<Made> {
  const made = await createKey(client, token, `?teamId=${team.id}`, { role, name });
  assert.equal(made.status, 200, made.text);
  return { id: made.body.apiKey.id, value: made.body.value };
}

async function teamWith(role: string): Promise<{ owner: TestUser; team: OpenTeam; carol: TestUser }> {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const carol = await createUser();
  await team.add(carol, role);
  return { owner, team, carol };
}

const statusOf = async (value: string, node = app) =>
  (await send(node, "GET", "/v3/events?limit=1", { token: value })).status;

async function shownKey(owner: TestUser, team: TestTeam, id: string) {
  const scope = `?teamId=${team.id}`;
  const one = await request("GET", `/v1/api-keys/${id}${scope}`, { token: owner.token });
  const all = await request("GET", `/v1/api-keys${scope}&limit=100`, { token: owner.token });
  const listed = all.body.apiKeys.find((key: { id: string }) => key.id === id);
  assert.deepEqual(listed, one.body.apiKey);
  return listed;
}

const remove = (who: TestUser, { id }: TestTeam, uid: string) =>
  request("DELETE", `/v1/teams/${id}/members/${uid}`, { token: who.token });
const setRole = (who: TestUser, { id }: TestTeam, uid: string, role: string) =>
  request("PATCH", `/v1/teams/${id}/members/${uid}`, { token: who.token, body: { role } });
const adopt = (token: string, { id }: TestTeam, keyId: string) =>
  request("POST", `/v1/api-keys/${keyId}/adopt?teamId=${id}`, { token });

test("every node refuses the next request with a removed member's keys, or with keys that these created", async () => {
  const { owner, team, carol } = await teamWith("MEMBER");
  const first = await makeKey(carol.token, team, "MEMBER", "ci");
  const second = await makeKey(first.value, team, "MEMBER", "made by ci");
  const third = await makeKey(second.value, team, "VIEWER", "made by that");
  const owners = await makeKey(owner.token, team, "OWNER");
  // Its maker is gone, and the key that it made stays its maker's maker's.
  assert.equal(
    (await request("DELETE", `/v1/api-keys/${second.id}?teamId=${team.id}`, { token: owner.token })).status,
    200,
  );
  const secret = { name: "DB", value: "s3cret" };
  const stored = await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body: secret });
  assert.ok(stored.status < 300, stored.text);
  for (const node of nodes)
    for (const { value } of [first, third, owners]) assert.equal(await statusOf(value, node), 200);

  assert.equal((await remove(owner, team, carol.id)).status, 200);
  for (const node of nodes) {
    assert.equal(await statusOf(first.value, node), 401);
    assert.equal(await statusOf(third.value, node), 401);
    assert.equal(await statusOf(owners.value, node), 200);
    const revealed = await send(node, "GET", `/v3/secrets/DB?decrypt=true`, { token: first.value });
    assert.equal(revealed.status, 401);
    const made = await send(node, "POST", "/v1/api-keys", { token: first.value, body: { name: "x", role: "VIEWER" } });
    assert.equal(made.status, 401);
  }
  const event = (await readEvents(team.id)).find(({ type }) => type === "api-keys-suspended");
  assert.equal(event?.entityId, carol.id);
  assert.deepEqual(event?.payload, {
    teamId: team.id,
    uid: carol.id,
    username: carol.username,
    count: 2,
    keys: [
      { tokenId: first.id, tokenName: "ci", role: "MEMBER" },
      { tokenId: third.id, tokenName: "made by that", role: "VIEWER" },
    ],
  });
  assert.match(event?.text ?? "", / suspended 2 API keys of .*, who may no longer do what they may$/);
  const shown = await shownKey(owner, team, first.id);
  assert.equal(shown.responsibleId, carol.id);
  assert.equal(typeof shown.suspendedAt, "number");
  assert.equal((await shownKey(owner, team, owners.id)).suspendedAt, null);
});

test("demoting a member suspends the keys that may do more than the member, and promotion resumes none", async () => {
  const { owner, team, carol } = await teamWith("OWNER");
  const keys: Made[] = [];
  for (const role of ["OWNER", "MEMBER", "VIEWER"]) keys.push(await makeKey(carol.token, team, role));
  const statuses = () => Promise.all(keys.map(({ value }) => statusOf(value)));
  assert.equal((await setRole(owner, team, carol.id, "MEMBER")).status, 200);
  assert.deepEqual(await statuses(), [401, 200, 200]);
  assert.equal((await setRole(owner, team, carol.id, "DEVELOPER")).status, 200);
  assert.deepEqual(await statuses(), [401, 401, 200]);
  assert.equal((await setRole(owner, team, carol.id, "OWNER")).status, 200);
  assert.deepEqual(await statuses(), [401, 401, 200]);
  // Back again, they decide on their keys like any other OWNER.
  assert.equal((await adopt(carol.token, team, keys[0]?.id as string)).status, 200);
  assert.deepEqual(await statuses(), [200, 401, 200]);
  const events = (await readEvents(team.id)).filter(({ type }) => type === "api-keys-suspended");
  assert.deepEqual(
    events.map(({ payload }) => payload.keys.map(({ role }: { role: string }) => role)),
    [["OWNER"], ["MEMBER"]],
  );
  assert.match(events[0]?.text ?? "", / suspended 1 API key of /);
});

test("keys end when their user leaves, is suspended or is deleted, and resuming the account revives none", async () => {
  const endings: ((carol: TestUser, team: TestTeam) => Promise<{ status: number }>)[] = [
    (carol, team) => remove(carol, team, carol.id),
    (carol) => request("PATCH", `/v1/users/${carol.id}`, { body: { suspended: true } }),
    (carol) => request("DELETE", `/v1/users/${carol.id}`),
    (carol) => request("DELETE", "/v1/user", { token: carol.token }),
  ];
  for (const [at, end] of endings.entries()) {
    const { owner, team, carol } = await teamWith("MEMBER");
    const key = await makeKey(carol.token, team);
    assert.ok((await end(carol, team)).status < 300, `ending ${at}`);
    assert.equal(await statusOf(key.value), 401, `ending ${at}`);
    assert.equal((await readEvents(team.id)).filter(({ type }) => type === "api-keys-suspended").length, 1);
    await request("PATCH", `/v1/users/${carol.id}`, { body: { suspended: false } });
    assert.equal(await statusOf(key.value), 401, `ending ${at}`);
    assert.equal((await adopt(owner.token, team, key.id)).status, 200);
    assert.equal(await statusOf(key.value), 200);
  }
});

test("keys that an administrator created in others' teams end with that right, and not before", async () => {
  const { owner, team, carol } = await teamWith("MEMBER");
  const setAdmin = (isAdmin: boolean) => request("PATCH", `/v1/users/${carol.id}`, { body: { admin: isAdmin } });
  await setAdmin(true);
  const key = await makeKey(carol.token, team, "OWNER");
  assert.equal((await remove(owner, team, carol.id)).status, 200);
  assert.equal(await statusOf(key.value), 200);
  await setAdmin(false);
  assert.equal(await statusOf(key.value), 401);

  const outsider = await createUser();
  await request("PATCH", `/v1/users/${outsider.id}`, { body: { admin: true } });
  const foreign = await makeKey(outsider.token, team, "VIEWER");
  const replaced = await makeKey(outsider.token, team, "VIEWER");
  const rotate = (id: string) =>
    request("POST", `/v1/api-keys/${id}/rotate?teamId=${team.id}`, { token: owner.token, body: { overlapMs: 60_000 } });
  const renewed = await rotate(replaced.id);
  assert.equal(await statusOf(replaced.value), 200);
  assert.equal((await request("DELETE", `/v1/users/${outsider.id}`)).status, 200);
  assert.deepEqual([await statusOf(foreign.value), await statusOf(replaced.value)], [401, 401]);
  assert.equal(await statusOf(renewed.body.value), 200);

  const former = await createUser();
  await request("PATCH", `/v1/users/${former.id}`, { body: { admin: true } });
  const known = await makeKey(former.token, team, "VIEWER");
  // A request to join is no membership yet.
  const waiting = await makeKey(former.token, team, "VIEWER");
  assert.equal((await team.ask(former)).status, 200);
  await rotate(known.id);
  await request("PATCH", `/v1/users/${former.id}`, { body: { admin: false } });
  assert.deepEqual([await statusOf(known.value), await statusOf(waiting.value)], [401, 401]);
  assert.equal((await shownKey(owner, team, known.id)).previousExpiresAt, null);
});

test("an OWNER adopts a key before or after its creator leaves, and is responsible for it and for what it creates", async () => {
  const { owner, team, carol } = await teamWith("MEMBER");
  const kept = await makeKey(carol.token, team);
  const lost = await makeKey(carol.token, team);
  assert.equal((await adopt(owner.token, team, kept.id)).body.apiKey.responsibleId, owner.id);
  await remove(owner, team, carol.id);
  assert.equal(await statusOf(kept.value), 200);
  assert.equal(await statusOf(lost.value), 401);

  // A new value first: then the one who made it can't use it when it works again.
  const rotated = await request("POST", `/v1/api-keys/${lost.id}/rotate?teamId=${team.id}`, { token: owner.token });
  assert.equal(await statusOf(rotated.body.value), 401);
  const adopted = await adopt(owner.token, team, lost.id);
  assert.deepEqual(adopted.body.apiKey, { ...rotated.body.apiKey, responsibleId: owner.id, suspendedAt: null });
  assert.equal(adopted.headers["etag"], '"4"');
  assert.equal(await statusOf(rotated.body.value), 200);
  assert.equal(await statusOf(lost.value), 401);
  const event = (await readEvents(team.id)).at(-1);
  assert.equal(event?.type, "api-key-adopted");
  assert.equal(typeof event?.previous.suspendedAt, "number");
  assert.equal(event?.next.responsibleId, owner.id);

  const child = await makeKey(kept.value, team, "VIEWER");
  const successor = await createUser();
  await team.add(successor, "OWNER");
  await remove(successor, team, owner.id);
  for (const value of [kept.value, rotated.body.value, child.value]) assert.equal(await statusOf(value), 401);
});

test("the user who last saw a key's value is responsible for it", async () => {
  const { owner, team, carol } = await teamWith("MEMBER");
  const { id } = await makeKey(owner.token, team);
  const scope = `?teamId=${team.id}`;
  const rotated = await request("POST", `/v1/api-keys/${id}/rotate${scope}`, { token: carol.token });
  assert.equal(rotated.body.apiKey.responsibleId, carol.id);
  // A key that renews itself stays with who answers for it.
  const again = await request("POST", `/v1/api-keys/${id}/rotate`, { token: rotated.body.value });
  assert.equal(again.body.apiKey.responsibleId, carol.id);
  await remove(owner, team, carol.id);
  assert.equal(await statusOf(again.body.value), 401);
});

test("a replaced value ends with the user who saw it, also if another person is responsible for the key since", async () => {
  const endings: ((owner: TestUser, carol: TestUser, team: TestTeam) => Promise<{ status: number }>)[] = [
    (owner, carol, team) => remove(owner, team, carol.id),
    (owner, carol, team) => setRole(owner, team, carol.id, "VIEWER"),
    (_owner, carol) => request("PATCH", `/v1/users/${carol.id}`, { body: { suspended: true } }),
    (_owner, carol) => request("DELETE", `/v1/users/${carol.id}`),
  ];
  for (const [at, end] of endings.entries()) {
    const { owner, team, carol } = await teamWith("MEMBER");
    const key = await makeKey(carol.token, team);
    const path = `/v1/api-keys/${key.id}/rotate?teamId=${team.id}`;
    const rotated = await request("POST", path, { token: owner.token, body: { overlapMs: 3_600_000 } });
    for (const node of nodes) assert.equal(await statusOf(key.value, node), 200);
    assert.ok((await end(owner, carol, team)).status < 300, `ending ${at}`);
    for (const node of nodes) {
      assert.equal(await statusOf(key.value, node), 401, `ending ${at}`);
      assert.equal(await statusOf(rotated.body.value, node), 200, `ending ${at}`);
    }
    assert.equal((await shownKey(owner, team, key.id)).previousExpiresAt, null);
  }
});

test("only users with every permission of the team adopt keys, and the key of an account stays its user's", async () => {
  const { owner, team, carol } = await teamWith("MEMBER");
  const key = await makeKey(carol.token, team, "VIEWER");
  assert.equal((await adopt(carol.token, team, key.id)).status, 403);
  assert.equal((await adopt((await createUser()).token, team, key.id)).status, 404);
  assert.equal((await adopt(owner.token, team, "key_none")).status, 404);
  assert.equal((await adopt(admin.token, team, key.id)).status, 200);
  const stale = await request("POST", `/v1/api-keys/${key.id}/adopt?teamId=${team.id}`, {
    token: owner.token,
    headers: { "if-match": '"1"' },
  });
  assert.equal(stale.status, 412);
  const before = (await readEvents(team.id)).length;
  assert.equal((await adopt(admin.token, team, key.id)).status, 200);
  assert.equal((await readEvents(team.id)).length, before, "who answers for it already changes nothing");

  const own = await createKey(client, carol.token);
  assert.equal(own.body.apiKey.responsibleId, carol.id);
  const adopted = await request("POST", `/v1/api-keys/${own.body.apiKey.id}/adopt`, { token: carol.token });
  assert.deepEqual(adopted.body.apiKey, own.body.apiKey);
  const rotated = await request("POST", `/v1/api-keys/${own.body.apiKey.id}/rotate`, { token: carol.token });
  assert.deepEqual([rotated.status, rotated.body.apiKey?.responsibleId], [200, carol.id]);
});

test("a user who creates a key while being removed leaves no key that works", async () => {
  for (let round = 0; round < (ENGINE === "postgres" ? 8 : 3); round++) {
    const { owner, team, carol } = await teamWith("MEMBER");
    const first = await makeKey(carol.token, team);
    const end =
      round % 2 === 0
        ? remove(owner, team, carol.id)
        : request("PATCH", `/v1/users/${carol.id}`, { body: { suspended: true } });
    const making = [carol.token, first.value].flatMap((token) =>
      [0, 1].map(() => createKey(client, token, `?teamId=${team.id}`, { role: "VIEWER" })),
    );
    const [ended, ...made] = await Promise.all([end, ...making]);
    assert.equal(ended.status, 200, ended.text);
    for (const { status, body } of made) {
      assert.ok([200, 401, 403, 404].includes(status), JSON.stringify(body));
      if (status === 200) assert.equal(await statusOf(body.value), 401);
    }
  }
});
