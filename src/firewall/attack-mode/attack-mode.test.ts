import assert from "node:assert/strict";
import { test } from "node:test";
import { openShield } from "../../../test/resources/attack-mode.ts";
import { createKey } from "../../../test/resources/api-keys.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { outcome } from "../../../test/resources/secrets.ts";
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startTestApp();
const { clock, createTeam, createUser, readEvents, request } = client;

async function ownShield(projectId?: string) {
  const user = await createUser();
  return { user, shield: openShield(client, user.token, projectId), changesOf: () => changesOf(user.id) };
}

async function changesOf(ownerId: string) {
  return (await readEvents(ownerId)).filter(({ type }) => type.startsWith("attack-mode-"));
}

const OFF = { attackModeEnabled: false, attackModeActiveUntil: null };

test("it is off, without times, when it was never set", async () => {
  const { shield } = await ownShield();
  const { status, body, headers } = await shield.get();
  assert.deepEqual([status, body, headers["etag"]], [200, { ...OFF, attackModeUpdatedAt: null }, '"0"']);
});

test("it is switched on, on until a time, and off, each with its event", async () => {
  const { user, shield, changesOf: changes } = await ownShield("shop");
  const start = clock.now;
  const until = start + 30 * DAY_MS;
  const on = await shield.set({ attackModeEnabled: true });
  const onBody = { attackModeEnabled: true, attackModeUpdatedAt: start, attackModeActiveUntil: null };
  assert.deepEqual([on.status, on.body, on.headers["etag"]], [200, onBody, '"1"']);
  assert.deepEqual((await shield.get()).body, onBody);
  clock.advance(1);
  const limited = await shield.set({ attackModeEnabled: true, attackModeActiveUntil: until });
  const limitedBody = { attackModeEnabled: true, attackModeUpdatedAt: start + 1, attackModeActiveUntil: until };
  assert.deepEqual([limited.status, limited.body, limited.headers["etag"]], [200, limitedBody, '"2"']);
  clock.advance(1);
  const off = await shield.set({ attackModeEnabled: false, attackModeActiveUntil: null });
  const offBody = { ...OFF, attackModeUpdatedAt: start + 2 };
  assert.deepEqual([off.status, off.body, off.headers["etag"]], [200, offBody, '"3"']);
  const read = await shield.get();
  assert.deepEqual([read.body, read.headers["etag"]], [offBody, '"3"']);

  const events = await changes();
  assert.deepEqual(
    events.map(({ type, payload }) => [type, payload]),
    [
      ["attack-mode-enabled", { projectId: "shop", attackModeEnabled: true, prevAttackModeEnabled: false }],
      [
        "attack-mode-enabled",
        { projectId: "shop", attackModeEnabled: true, attackModeActiveUntil: until, prevAttackModeEnabled: true },
      ],
      [
        "attack-mode-disabled",
        {
          projectId: "shop",
          attackModeEnabled: false,
          prevAttackModeEnabled: true,
          prevAttackModeActiveUntil: until,
        },
      ],
    ],
  );
  assert.deepEqual(
    events.map(({ principalId, entityId }) => [principalId, entityId]),
    events.map(() => [user.id, "shop"]),
  );
  assert.equal(
    events[1]?.text,
    `${user.username} switched attack challenge mode of shop on until ${new Date(until).toISOString()}`,
  );
  assert.deepEqual(events[2]?.previous, { attackModeEnabled: true, attackModeActiveUntil: until });
  assert.deepEqual(events[2]?.next, OFF);
});

test("setting the current state changes nothing and emits no event", async () => {
  const { shield, changesOf: changes } = await ownShield();
  const untouched = await shield.set({ attackModeEnabled: false });
  assert.deepEqual([untouched.body, untouched.headers["etag"]], [{ ...OFF, attackModeUpdatedAt: 0 }, '"0"']);
  const until = clock.now + HOUR_MS;
  const states = [
    { attackModeEnabled: true, attackModeActiveUntil: until },
    { attackModeEnabled: true },
    { attackModeEnabled: false },
  ];
  for (const [at, state] of states.entries()) {
    const first = await shield.set(state);
    clock.advance(1);
    for (const again of [state, { attackModeActiveUntil: null, ...state }]) {
      const repeated = await shield.set(again);
      assert.deepEqual(repeated.body, first.body);
      assert.equal(repeated.headers["etag"], `"${at + 1}"`);
    }
  }
  assert.equal((await changes()).length, states.length);
});

test("an end in the past, too far ahead, or together with switching off is rejected", async () => {
  const { shield, changesOf: changes } = await ownShield();
  await shield.set({ attackModeEnabled: true, attackModeActiveUntil: clock.now + HOUR_MS });
  const bad = [
    { attackModeEnabled: true, attackModeActiveUntil: clock.now },
    { attackModeEnabled: true, attackModeActiveUntil: 0 },
    { attackModeEnabled: true, attackModeActiveUntil: clock.now + 30 * DAY_MS + 1 },
    { attackModeEnabled: true, attackModeActiveUntil: Math.round((clock.now + HOUR_MS) / 1000) },
    { attackModeEnabled: false, attackModeActiveUntil: clock.now + HOUR_MS },
  ];
  for (const body of bad) {
    const response = await shield.set(body);
    assert.deepEqual([response.status, outcome(response)], [400, "invalid_expiry"], response.text);
    assert.equal(response.body.error.field, "body.attackModeActiveUntil");
  }
  for (const end of ["2030-01-02", 1.5, -1, 9e15, true]) {
    const response = await shield.set({ attackModeEnabled: true, attackModeActiveUntil: end });
    assert.deepEqual([response.status, outcome(response)], [400, "bad_request"], response.text);
    assert.match(response.body.error.message, /^attackModeActiveUntil: /);
  }
  const { body, headers } = await shield.get();
  assert.deepEqual([body.attackModeActiveUntil, headers["etag"]], [clock.now + HOUR_MS, '"1"']);
  assert.equal((await changes()).length, 1);
});

test("the body or the query names the project, which has a default", async () => {
  const { user, changesOf: changes } = await ownShield();
  const post = (query: string, body: object) =>
    request("POST", `/security/attack-mode?${query}`, {
      token: user.token,
      body: { attackModeEnabled: true, ...body },
    });
  const responses = [
    await post("", { projectId: "in-body" }),
    await post("projectId=in-query", {}),
    await post("projectId=in.both", { projectId: "in.both" }),
    await post("teamId=", {}),
    await post("projectId=one", { projectId: "other" }),
    await post("", { projectId: "a/b" }),
    await post("projectId=.a", {}),
    await post("projectId=", {}),
    await post("", { projectId: "" }),
  ];
  assert.deepEqual(responses.map(outcome), [
    "ok",
    "ok",
    "ok",
    "ok",
    "bad_request",
    "bad_request",
    "invalid_query",
    "invalid_query",
    "bad_request",
  ]);
  assert.match(responses[4]?.body.error.message, /^projectId: /);
  assert.deepEqual(
    (await changes()).map(({ entityId }) => entityId),
    ["in-body", "in-query", "in.both", "default"],
  );
  const { body } = await openShield(client, user.token).get();
  assert.equal(body.attackModeEnabled, true, "default");
});

test("projects and owners are independent", async () => {
  const { user, shield } = await ownShield();
  const team = await createTeam(user);
  await shield.set({ attackModeEnabled: true });
  const isOn = async (projectId: string, teamId?: string) =>
    (await openShield(client, user.token, projectId, teamId).get()).body.attackModeEnabled;
  assert.deepEqual(
    [await isOn("default"), await isOn("Default"), await isOn("other"), await isOn("default", team.id)],
    [true, false, false, false],
  );
});

test("If-Match rejects a change of another state than the caller has seen", async () => {
  const { shield } = await ownShield();
  const ifMatch = (tag: string) => ({ "if-match": tag });
  const first = await shield.set({ attackModeEnabled: true }, ifMatch('"0"'));
  assert.deepEqual([first.status, first.headers["etag"]], [200, '"1"']);
  const refused = await shield.set({ attackModeEnabled: false }, ifMatch('"0"'));
  assert.deepEqual([refused.status, outcome(refused), refused.headers["etag"]], [412, "revision_mismatch", '"1"']);
  assert.equal((await shield.set({ attackModeEnabled: true }, ifMatch('"0"'))).status, 412, "even without a change");
  assert.equal((await shield.set({ attackModeEnabled: false }, ifMatch('"1"'))).status, 200);
});

test("firewall:read sees it, and only firewall:write switches it", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const roles: Record<string, [number, number]> = {
    OWNER: [200, 200],
    MEMBER: [200, 200],
    SECURITY: [200, 200],
    VIEWER: [200, 403],
    BILLING: [403, 403],
  };
  for (const [role, expected] of Object.entries(roles)) {
    const key = await createKey(client, owner.token, `?teamId=${team.id}`, { role });
    const shield = openShield(client, key.body.value, "default", team.id);
    const attackModeEnabled = role !== "MEMBER";
    assert.deepEqual([(await shield.get()).status, (await shield.set({ attackModeEnabled })).status], expected, role);
  }
  const foreign = openShield(client, (await createUser()).token, "default", team.id);
  for (const { status, body } of [await foreign.get(), await foreign.set({ attackModeEnabled: false })]) {
    assert.deepEqual([status, body.error.code], [404, "not_found"]);
  }
  const { body } = await openShield(client, owner.token, "default", team.id).get();
  assert.equal(body.attackModeEnabled, true);
});

test("the modes of a team are deleted with it", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const shield = openShield(client, owner.token, "default", team.id);
  await shield.set({ attackModeEnabled: true, attackModeActiveUntil: clock.now + 1 });
  const deleted = await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token });
  assert.equal(deleted.status, 200, deleted.text);
  clock.advance(1);
  assert.equal(await client.app.runner.changes.endAttackModes(null, clock.now), 0);
  assert.equal((await changesOf(team.id)).length, 1);
});
