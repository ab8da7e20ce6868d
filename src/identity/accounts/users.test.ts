import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";

const { request, admin, clock, createUser, createTeam, readEvents } = await startOwnApp();

async function changeUser(uid: string, body: unknown, token = admin.token) {
  return await request("PATCH", `/v1/users/${uid}`, { token, body });
}

async function createAdministrator(): Promise<TestUser> {
  const user = await createUser();
  assert.equal((await changeUser(user.id, { admin: true })).status, 200);
  return user;
}

async function lastEvent(ownerId: string) {
  return (await readEvents(ownerId)).at(-1);
}

test("the current user has every member that clients require", async () => {
  const { status, body, headers } = await request("GET", "/v2/user");
  assert.equal(status, 200);
  assert.equal(headers["etag"], '"1"');
  assert.equal(body.user.id, admin.id);
  assert.deepEqual(body.user.resourceConfig, {});
});

test("a created account can sign in and create a team", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  assert.match(team.id, /^team_[0-9A-Za-z]{24}$/);
  const { body } = await request("GET", "/v2/user", { token: user.token });
  assert.equal(body.user.username, user.username);
});

test("users change their own account, and each change emits an event with the previous values", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const avatar = "a".repeat(40);
  const username = uniqueName("Renamed");
  const body = { name: "Jane", username, avatar, defaultTeamId: team.id };
  const changed = await request("PATCH", "/v2/user", { token: user.token, body });
  assert.equal(changed.status, 200);
  assert.equal(changed.headers["etag"], '"2"');
  assert.deepEqual({ ...changed.body.user, ...body, id: user.id, email: user.email }, changed.body.user);
  const read = await request("GET", "/v2/user", { token: user.token });
  assert.deepEqual(read.body, changed.body);

  const events = (await readEvents(user.id)).slice(-3);
  assert.deepEqual(
    events.map(({ type, payload, previous, next }) => ({ type, payload, previous, next })),
    [
      { type: "username", payload: { username }, previous: { username: user.username }, next: { username } },
      { type: "avatar", payload: { avatar }, previous: { avatar: null }, next: { avatar } },
      {
        type: "user-updated",
        payload: { uid: user.id, username, name: "Jane", defaultTeamId: team.id },
        previous: { name: null, defaultTeamId: null },
        next: { name: "Jane", defaultTeamId: team.id },
      },
    ],
  );

  const cleared = await request("PATCH", "/v2/user", {
    token: user.token,
    body: { name: null, avatar: null, defaultTeamId: null },
  });
  assert.deepEqual(
    [cleared.body.user.name, cleared.body.user.avatar, cleared.body.user.defaultTeamId],
    [null, null, null],
  );
});

test("a change that changes nothing writes no event and keeps the revision", async () => {
  const user = await createUser();
  const before = await readEvents(user.id);
  const { status, headers } = await request("PATCH", "/v2/user", {
    token: user.token,
    body: { username: user.username },
  });
  assert.equal(status, 200);
  assert.equal(headers["etag"], '"1"');
  assert.equal((await readEvents(user.id)).length, before.length);
});

test("If-Match on an account refuses a stale revision with the current one", async () => {
  const user = await createUser();
  const patch = (ifMatch: string, name: string) =>
    request("PATCH", "/v2/user", { token: user.token, body: { name }, headers: { "if-match": ifMatch } });
  assert.equal((await patch('"1"', "One")).status, 200);
  const stale = await patch('"1"', "Two");
  assert.equal(stale.status, 412);
  assert.equal(stale.body.error.code, "revision_mismatch");
  assert.equal(stale.headers["etag"], '"2"');
  const byAdmin = await request("PATCH", `/v1/users/${user.id}`, {
    body: { name: "x" },
    headers: { "if-match": '"1"' },
  });
  assert.equal(byAdmin.status, 412);
  const deletion = await request("DELETE", "/v1/user", { token: user.token, headers: { "if-match": '"1"' } });
  assert.equal(deletion.status, 412);
});

test("the default team is one that the user is a confirmed member of", async () => {
  const user = await createUser();
  const foreign = await createTeam(await createUser());
  for (const defaultTeamId of [foreign.id, "team_unknown"]) {
    const { status, body } = await request("PATCH", "/v2/user", { token: user.token, body: { defaultTeamId } });
    assert.equal(status, 400);
    assert.equal(body.error.code, "default_team_not_member");
  }
  const own = await createTeam(user);
  const bySlug = await request("PATCH", "/v2/user", { token: user.token, body: { defaultTeamId: own.slug } });
  assert.equal(bySlug.status, 400, "only an id names it, since a slug may change");
});

test("invalid values of an account are refused by field", async () => {
  const user = await createUser();
  const cases: [unknown, string][] = [
    [{ avatar: "nope" }, "body.avatar"],
    [{ username: "" }, "body.username"],
    [{ username: "a b" }, "body.username"],
    [{ name: "x".repeat(257) }, "body.name"],
    [{ email: "new@example.com" }, "body.email"],
    [{ isAdmin: true }, "body.isAdmin"],
  ];
  for (const [body, field] of cases) {
    const response = await request("PATCH", "/v2/user", { token: user.token, body });
    assert.equal(response.status, 400, JSON.stringify(body));
    assert.equal(response.body.error.field, field);
  }
});

test("usernames and e-mail addresses are unique without regard to case", async () => {
  const taken = await createUser(uniqueName("Taken"));
  const other = await createUser();
  const name = await request("PATCH", "/v2/user", {
    token: other.token,
    body: { username: taken.username.toUpperCase() },
  });
  assert.deepEqual([name.status, name.body.error.code], [409, "username_taken"]);
  const address = await changeUser(other.id, { email: taken.email.toUpperCase() });
  assert.deepEqual([address.status, address.body.error.code], [409, "email_taken"]);
  const created = await request("POST", "/v1/users", {
    body: { username: uniqueName("free"), email: taken.email.toUpperCase() },
  });
  assert.equal(created.body.error.code, "email_taken");
  const namesake = await request("POST", "/v1/users", { body: { username: taken.username, email: "a@example.com" } });
  assert.equal(namesake.body.error.code, "username_taken");
  assert.equal((await changeUser(other.id, { username: taken.username })).body.error.code, "username_taken");
  const ownInOtherCase = await changeUser(taken.id, { username: taken.username.toUpperCase() });
  assert.equal(ownInOtherCase.status, 200);
});

test("of two renames to one username exactly one succeeds", async () => {
  const users = await Promise.all([createUser(), createUser()]);
  const username = uniqueName("wanted");
  const responses = await Promise.all(
    users.map(({ token }, i) =>
      request("PATCH", "/v2/user", { token, body: { username: i === 0 ? username : username.toUpperCase() } }),
    ),
  );
  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 409]);
  assert.equal(responses.find(({ status }) => status === 409)?.body.error.code, "username_taken");
});

test("administrators change an account, and only they", async () => {
  const user = await createUser();
  const email = `${uniqueName("new")}@example.com`;
  const changed = await changeUser(user.id, { email, name: "N" });
  assert.equal(changed.status, 200);
  assert.equal(changed.body.user.email, email);
  const [changedEmail] = (await readEvents(user.id)).filter(({ type }) => type === "email");
  assert.deepEqual(changedEmail?.payload, { email, prevEmail: user.email });
  assert.equal(changedEmail?.principalId, admin.id);

  const stranger = await createUser();
  const refusals = await Promise.all([
    request("GET", "/v1/users", { token: stranger.token }),
    request("GET", `/v1/users/${user.id}`, { token: stranger.token }),
    request("DELETE", `/v1/users/${user.id}`, { token: stranger.token }),
    changeUser(user.id, { name: "x" }, stranger.token),
  ]);
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [403, 403, 403, 403],
  );
  assert.equal((await request("GET", "/v1/users/nobody")).status, 404);
  assert.equal((await changeUser("nobody", { name: "x" })).status, 404);
  assert.equal((await request("DELETE", "/v1/users/nobody")).status, 404);
});

test("a suspended account's credentials stop at once and work again when it is resumed", async () => {
  const user = await createUser();
  const suspended = await changeUser(user.id, { suspended: true });
  assert.equal(suspended.body.user.suspendedAt, clock.now);
  assert.equal((await lastEvent(user.id))?.type, "user-suspended");
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 401);
  assert.equal((await request("POST", "/v1/teams", { token: user.token, body: { slug: "no" } })).status, 401);
  const resumed = await changeUser(user.id, { suspended: false });
  assert.equal(resumed.body.user.suspendedAt, null);
  assert.equal((await lastEvent(user.id))?.type, "user-resumed");
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 200);
});

test("accounts are listed newest first, page by page, and found by search, username and e-mail", async () => {
  const word = uniqueName("needle");
  const users: TestUser[] = [];
  for (let i = 0; i < 5; i++) users.push(await createUser(`${word}-${i}`));
  const seen: string[] = [];
  let url = `/v1/users?limit=2&search=${word.toUpperCase()}`;
  for (let pages = 0; pages < 3; pages++) {
    const { body } = await request("GET", url);
    seen.push(...body.users.map(({ id }: { id: string }) => id));
    url = `/v1/users?limit=2&search=${word}&until=${body.pagination.next}`;
    assert.equal(body.pagination.next === null, pages === 2);
  }
  assert.deepEqual(seen, users.map(({ id }) => id).toReversed());

  const [first, second] = users as [TestUser, TestUser];
  const page = await request("GET", `/v1/users?limit=2&search=${word}`);
  const newer = await request("GET", `/v1/users?limit=2&search=${word}&since=${page.body.pagination.prev}`);
  assert.deepEqual(newer.body.users, []);

  const ids = async (query: string) =>
    (await request("GET", `/v1/users?${query}`)).body.users.map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids(`username=${first.username.toUpperCase()}`), [first.id]);
  assert.deepEqual(await ids(`email=${second.email.toUpperCase()}`), [second.id]);
  assert.deepEqual(await ids(`username=${first.username}&email=${second.email}`), []);
  assert.deepEqual(await ids(`username=${word}`), [], "the whole name, not a part");
  assert.deepEqual(await ids(`email=${second.email}&search=${first.username}`), []);
  assert.deepEqual(await ids("search=%25"), [], "a wildcard is a character like any other");
});

test("deleting one's own account deletes credentials and memberships and keeps its events", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const user = await createUser();
  const reasons = [{ slug: "other", description: "moving on" }];
  const { status, body } = await request("DELETE", "/v1/user", { token: user.token, body: { reasons } });
  assert.equal(status, 202);
  assert.deepEqual(body, { id: user.id, email: user.email, message: "Account deleted" });
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 401);
  assert.equal((await request("GET", `/v1/users/${user.id}`)).status, 404);
  const event = await lastEvent(user.id);
  assert.equal(event?.type, "user-delete");
  assert.deepEqual(event?.payload, { uid: user.id, username: user.username, email: user.email, reasons });
  const again = await request("POST", "/v1/users", { body: { username: user.username, email: user.email } });
  assert.equal(again.status, 200, "name and address are free again");
  assert.ok((await readEvents(team.id)).every(({ entityId }) => entityId !== user.id));
});

test("the only OWNER of a team cannot be deleted, and the refusal names the teams", async () => {
  const user = await createUser();
  const teams = [await createTeam(user), await createTeam(user)];
  const own = await request("DELETE", "/v1/user", { token: user.token });
  const byAdmin = await request("DELETE", `/v1/users/${user.id}`);
  for (const { status, body } of [own, byAdmin]) {
    assert.equal(status, 409);
    assert.equal(body.error.code, "sole_owner");
    assert.deepEqual(body.error.teams, teams);
  }
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 200);
});

test("an account that administrators delete is gone", async () => {
  const user = await createUser();
  const { status, body } = await request("DELETE", `/v1/users/${user.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { id: user.id });
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 401);
  const event = await lastEvent(user.id);
  assert.equal(event?.type, "user-delete");
  assert.equal(event?.principalId, admin.id);
});

test("the last active administrator stays one, even under ten concurrent removals", async () => {
  const administrators = await Promise.all(Array.from({ length: 9 }, createAdministrator));
  const all = [...administrators, admin];
  const responses = await Promise.all(
    all.map(({ token, id }, i) =>
      i % 2 === 0 ? changeUser(id, { admin: false }, token) : request("DELETE", "/v1/user", { token }),
    ),
  );
  const refused = all.filter((_, i) => (responses[i]?.status ?? 500) >= 300);
  assert.equal(refused.length, 1, JSON.stringify(responses.map(({ status }) => status)));
  const [keeper] = refused as [TestUser];
  const last = [
    await changeUser(keeper.id, { admin: false }, keeper.token),
    await changeUser(keeper.id, { suspended: true }, keeper.token),
    await request("DELETE", `/v1/users/${keeper.id}`, { token: keeper.token }),
    await request("DELETE", "/v1/user", { token: keeper.token }),
  ];
  for (const { status, body } of last) {
    assert.equal(status, 409);
    assert.equal(body.error.code, "last_administrator");
  }
});
