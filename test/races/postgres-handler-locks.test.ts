// Handlers that change more than the owner of the call take further locks, and look again at what others may have changed meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Origin } from "../../src/platform/kernel/caller.ts";
import { SYSTEM_CALLER } from "../../src/events/events/system.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { changeBehindLock } from "../harness/held-owners.ts";
import { waitFor } from "../harness/wait-for.ts";
import { createKey } from "../resources/api-keys.ts";
import { openShield } from "../resources/attack-mode.ts";
import { openTeam } from "../resources/teams.ts";

const api = await startOwnApp({ egressAllow: "127.0.0.1", maxTokens: "2" });
const { app, clock, createUser, query, request } = api;
const { changes } = app.runner;

const ORIGIN: Origin = { ip: "192.0.2.1", userAgent: null, requestId: "request", via: "http" };

interface Race {
  readonly owner: string;
  readonly change: () => Promise<TestResponse>;
  readonly meanwhile: string;
}

async function codeOf({ owner, change, meanwhile }: Race): Promise<string> {
  const { status, body } = await changeBehindLock(api, { owner, change, meanwhile: [meanwhile] });
  return status === 200 ? "ok" : body.error.code;
}

/** The statement that inserts a row again. */
function insertionOf(table: string, row: Record<string, unknown> = {}): string {
  const values = Object.values(row).map((value) => (value === null ? "null" : `'${value as string | number}'`));
  return `insert into ${table} (${Object.keys(row).join()}) values (${values.join()})`;
}

const leave = (teamId: string, userId: string) =>
  `delete from memberships where team_id = '${teamId}' and user_id = '${userId}'`;

test("a code that was deleted meanwhile lets nobody join", async () => {
  const team = await openTeam(api, await createUser());
  const { token } = team.owner;
  const { code, invite } = (await request("POST", `/v1/teams/${team.id}/invites`, { token })).body;
  const person = await createUser();
  const change = () => team.join(person, code);
  const meanwhile = `delete from invites where id = '${invite.id}'`;
  assert.equal(await codeOf({ owner: team.id, change, meanwhile }), "invite_unknown");
  assert.equal((await team.list()).members.length, 1);
});

test("a person who was removed meanwhile does not join by a code, but asks", async () => {
  const team = await openTeam(api, await createUser());
  const { code } = (await request("POST", `/v1/teams/${team.id}/invites`, { token: team.owner.token })).body;
  const person = await createUser();
  const row = { team_id: team.id, user_id: person.id, role: "MEMBER", is_removed: 1, ended_at: clock.now };
  const { status, body } = await changeBehindLock(api, {
    owner: team.id,
    change: () => team.join(person, code),
    meanwhile: [insertionOf("former_members", row)],
  });
  assert.deepEqual([status, body.confirmed], [200, false]);
});

test("an invitation that was withdrawn meanwhile lets nobody join", async () => {
  const team = await openTeam(api, await createUser());
  const person = await createUser();
  await team.invite({ uid: person.id });
  const change = () => team.join(person);
  const meanwhile = `delete from invites where team_id = '${team.id}'`;
  assert.notEqual(await codeOf({ owner: team.id, change, meanwhile }), "ok");
  assert.equal((await team.list()).members.length, 1);
});

test("a team that was deleted meanwhile is joined by no invitation", async () => {
  const team = await openTeam(api, await createUser());
  const person = await createUser();
  await team.invite({ uid: person.id });
  const change = () => team.join(person);
  const meanwhile = insertionOf("removals", { owner_id: team.id, begun_at: 0, removed: 0 });
  assert.equal(await codeOf({ owner: team.id, change, meanwhile }), "not_found");
});

test("an account is changed in the revision that the request names", async () => {
  const person = await createUser();
  const headers = { "if-match": '"1"' };
  const change = () => request("PATCH", `/v1/users/${person.id}`, { body: { name: "Late" }, headers });
  const meanwhile = `update users set revision = revision + 1 where id = '${person.id}'`;
  assert.equal(await codeOf({ owner: person.id, change, meanwhile }), "revision_mismatch");
});

test("a team that the account has left meanwhile becomes nobody's default team", async () => {
  const person = await createUser();
  const { token } = person;
  const first = await openTeam(api, await createUser());
  await first.add(person, "OWNER");
  const second = await api.createTeam(person);
  const [membership] = await query(`select * from memberships where team_id = '${second.id}'`);
  const chosen = `newDefaultTeamId=${second.id}`;
  const requests: readonly (() => Promise<TestResponse>)[] = [
    () => request("PATCH", "/v2/user", { token, body: { defaultTeamId: second.id } }),
    () => request("DELETE", `/v1/teams/${first.id}/members/${person.id}?${chosen}`, { token }),
  ];
  const meanwhile = leave(second.id, person.id);
  for (const change of requests) {
    assert.equal(await codeOf({ owner: second.id, change, meanwhile }), "default_team_not_member");
    await query(insertionOf("memberships", membership));
  }
  const { status, body } = await changeBehindLock(api, {
    owner: second.id,
    change: () => request("DELETE", `/v1/teams/${first.id}?${chosen}`, { token }),
    meanwhile: [meanwhile],
  });
  assert.deepEqual([status, body.newDefaultTeamIdError], [200, true]);
});

test("two administrators who step down at once leave one", async () => {
  const { id, token } = await createUser();
  await query(`update users set is_admin = 1 where id = '${id}'`);
  const change = () => request("DELETE", "/v1/user", { token });
  const meanwhile = `update users set is_admin = 0 where id <> '${id}'`;
  assert.equal(await codeOf({ owner: "instance", change, meanwhile }), "last_administrator");
  await query(`update users set is_admin = 1 where id = '${api.admin.id}'`);
});

test("an account has no more tokens than it may, whichever team's lock each is made under", async () => {
  const person = await createUser();
  const team = await api.createTeam(person);
  const body = { name: "late" };
  const change = () => request("POST", `/v3/user/tokens?teamId=${team.id}`, { token: person.token, body });
  const [first] = await query(`select * from access_tokens where user_id = '${person.id}'`);
  const second = { ...first, id: "second", hash: "second", position: Number(first?.["position"]) + 1 };
  const meanwhile = insertionOf("access_tokens", second);
  assert.equal(await codeOf({ owner: person.id, change, meanwhile }), "too_many_tokens");
});

test("an account that was suspended meanwhile is not signed in", async () => {
  const person = await createUser();
  const link = await changes.createSignInLink({ name: person.username }, clock.now);
  assert.ok(link);
  await assert.rejects(
    changeBehindLock(api, {
      owner: person.id,
      change: () =>
        changes.useSignInLink(
          { code: link.code, sessionHash: "s", deviceHash: "d", origin: ORIGIN, method: null },
          clock.now,
        ),
      meanwhile: [`update users set suspended_at = ${clock.now} where id = '${person.id}'`],
    }),
    /can't sign in/,
  );
});

test("a trust rule that was deleted meanwhile gives no key, and records nothing", async () => {
  const owner = await createUser();
  const team = await api.createTeam(owner);
  const trusts = `/v1/identity/trusts?teamId=${team.id}`;
  const rule = {
    name: "jobs",
    issuer: "https://issuer.example.com",
    audience: "https://reeve.example.com",
    claims: { sub: "repo:acme/shop:*" },
    role: "VIEWER",
  };
  const token = { issuer: rule.issuer, subject: "repo:acme/shop:x", hash: "h", expiresAt: clock.now + 60_000 };
  for (const name of ["exchangeIdentity", "recordExchangeRefusal"] as const) {
    const { trust } = (await request("POST", trusts, { token: owner.token, body: rule })).body;
    const order = { ownerId: team.id, trustId: trust.id, revision: 1, token, permissions: null, reason: "r" };
    const outcome = await changeBehindLock<unknown>(api, {
      owner: team.id,
      change: () => changes[name]({ ...order, origin: ORIGIN }, clock.now),
      meanwhile: [`delete from identity_trusts where id = '${trust.id}'`],
    });
    assert.deepEqual(outcome, name === "exchangeIdentity" ? { refusal: "changed" } : false);
  }
});

test("a webhook that was changed meanwhile is not disabled for what it was", async () => {
  const owner = await createUser();
  const body = { url: "http://127.0.0.1:8999/", events: ["team-*"] };
  const { id: webhookId } = (await request("POST", "/v1/webhooks", { token: owner.token, body })).body;
  const order = { ownerId: owner.id, webhookId, revision: 1, reason: "failing", hasMail: false } as const;
  const isDisabled = await changeBehindLock(api, {
    owner: owner.id,
    change: () => changes.disableWebhook(order, clock.now),
    meanwhile: [`update webhooks set revision = revision + 1 where id = '${webhookId}'`],
  });
  assert.equal(isDisabled, false);
});

test("a person who keeps asking for a recovery link gets one", async () => {
  const person = await createUser();
  const order = { login: person.username, origin: ORIGIN, instance: { hasMail: true } };
  await changes.queueRecovery(order, clock.now);
  const links = () => query(`select * from one_time_codes where user_id = '${person.id}'`);
  const [link] = await links();
  assert.ok(link);
  await query(`delete from one_time_codes where user_id = '${person.id}'`);
  await changeBehindLock(api, {
    owner: person.id,
    change: () => changes.queueRecovery(order, clock.now),
    meanwhile: [insertionOf("one_time_codes", link)],
  });
  assert.equal((await links())[0]?.["hash"], link["hash"]);
});

test("a change of an account made meanwhile is not undone by a new default team", async () => {
  const person = await createUser();
  const [first, second] = [await api.createTeam(person), await api.createTeam(person)];
  const url = `/v1/teams/${first.id}?newDefaultTeamId=${second.id}`;
  await changeBehindLock(api, {
    owner: person.id,
    change: () => request("DELETE", url, { token: person.token }),
    meanwhile: [`update users set name = 'Early', revision = revision + 1 where id = '${person.id}'`],
  });
  const { user } = (await request("GET", "/v2/user", { token: person.token })).body;
  assert.deepEqual([user.name, user.defaultTeamId], ["Early", second.id]);
});

test("an account that is deleted meanwhile gets no default team", async () => {
  const person = await createUser();
  const [first, second] = [await api.createTeam(person), await api.createTeam(person)];
  const { status } = await changeBehindLock(api, {
    owner: person.id,
    change: () => request("DELETE", `/v1/teams/${first.id}?newDefaultTeamId=${second.id}`, { token: person.token }),
    meanwhile: [insertionOf("removals", { owner_id: person.id, begun_at: 0, removed: 0 })],
  });
  assert.equal(status, 200);
  await query(`delete from removals where owner_id = '${person.id}'`);
});

test("an account that has become a team's only OWNER meanwhile is not deleted", async () => {
  const [first, second] = [await createUser(), await createUser()];
  const team = await openTeam(api, first);
  await team.add(second, "OWNER");
  const change = () => request("DELETE", `/v1/users/${second.id}`);
  assert.equal(await codeOf({ owner: team.id, change, meanwhile: leave(team.id, first.id) }), "sole_owner");
  assert.equal((await request("GET", `/v1/users/${second.id}`)).status, 200);
});

test("a deleted account that has left a team meanwhile is not removed from it again", async () => {
  const person = await createUser();
  const team = await openTeam(api, await createUser());
  await team.add(person);
  const removal = { user: person, caller: SYSTEM_CALLER, origin: ORIGIN };
  const row = { owner_id: person.id, begun_at: clock.now, removed: 0, departure: JSON.stringify(removal) };
  await changeBehindLock(api, {
    owner: team.id,
    change: async () => {
      await query(insertionOf("removals", row));
      return await changes.continueRemoval(person.id, clock.now);
    },
    meanwhile: [leave(team.id, person.id)],
  });
  assert.notEqual((await team.lastEvent()).type, "team-member-delete");
});

test("attack challenge mode whose end was put off meanwhile does not end", async () => {
  const person = await createUser();
  const until = clock.now + 60_000;
  await openShield(api, person.token).set({ attackModeEnabled: true, attackModeActiveUntil: until });
  const ended = await changeBehindLock(api, {
    owner: person.id,
    change: async () => {
      clock.now = until;
      return await changes.endAttackModes(null, clock.now);
    },
    meanwhile: [`update attack_modes set active_until = ${until + 60_000} where owner_id = '${person.id}'`],
  });
  assert.equal(ended, 0);
});

test("a user who loses the right while adopting a key adopts none", async () => {
  const { id: team, owner } = await openTeam(api, await createUser());
  const { apiKey } = (await createKey(api, owner.token, `?teamId=${team}`)).body;
  const { id, token: administrator } = await createUser();
  await request("PATCH", `/v1/users/${id}`, { body: { admin: true } });
  const { adopting } = await api.withStore(({ transaction }) =>
    transaction(async (tx) => {
      await tx.exec(`update users set is_admin = 0 where id = '${id}'`);
      // They are still an administrator when the request is accepted.
      const response = request("POST", `/v1/api-keys/${apiKey.id}/adopt?teamId=${team}`, { token: administrator });
      const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await waitFor("the lock", async () => (await query(isWaiting)).length > 0);
      return { adopting: response };
    }),
  );
  const { status, body } = await adopting;
  assert.deepEqual([status, body.error?.code], [403, "role_exceeds_creator"]);
});
