// From an invitation to a member of the team, for people with an account and without one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Instance } from "../../src/platform/kernel/contract.ts";
import { createSecretCode } from "../../src/platform/kernel/credential.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestTeam, TestUser } from "../harness/test-app.ts";
import { createKey } from "../resources/api-keys.ts";
import { openSession } from "./open-session.ts";
import { ORIGIN, newIdentity } from "./sign-in-with-identity.ts";
import { createVisitor } from "./visitor.ts";

const api = await startOwnApp({ console: "off" });
const { app, clock, createTeam, createUser, query, readEvents, request } = api;
const PASSWORD = "correct horse battery staple";

async function newTeam(): Promise<{ readonly owner: TestUser; readonly team: TestTeam }> {
  const owner = await createUser();
  return { owner, team: await createTeam(owner) };
}

/** Names the team, and its owner, as neither is called otherwise. */
async function nameThem(owner: TestUser, team: TestTeam): Promise<readonly [team: string, owner: string]> {
  const names = [`The team ${team.slug}`, `The owner of ${team.slug}`] as const;
  const { token } = owner;
  for (const [path, name] of [
    [`/v2/teams/${team.id}`, names[0]],
    ["/v2/user", names[1]],
  ] as const) {
    assert.equal((await request("PATCH", path, { token, body: { name } })).status, 200, path);
  }
  return names;
}

async function invite(owner: TestUser, team: TestTeam, body: object): Promise<string> {
  const invited = await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body });
  assert.equal(invited.status, 200, invited.text);
  return invited.body.code;
}

test("an invitation without mail shows the link to copy, and so do a renewed one and a shareable code", async () => {
  const { owner, team } = await newTeam();
  const token = owner.token;
  const path = `/v1/teams/${team.id}`;
  const invited = await request("POST", `${path}/members`, {
    token,
    body: { email: `${uniqueName("grace")}@example.com` },
  });
  const { invites } = (await request("GET", `${path}/invites`, { token })).body;
  const renewed = await request("POST", `${path}/invites/${invites[0].id}/resend`, { token });
  const shareable = await request("POST", `${path}/invites`, { token, body: {} });
  for (const { status, body } of [invited, renewed, shareable]) {
    assert.equal(status, 200);
    assert.equal(body.inviteUrl, `http://localhost:4000/console/invitation?code=${body.code}`);
  }
  const { pathname, search } = new URL(renewed.body.inviteUrl);
  const shown = await createVisitor(app).get(pathname.replace("/console/", "") + search);
  assert.equal(shown.title, `Join ${team.slug}`);
});

async function membersOf(owner: TestUser, team: TestTeam): Promise<Record<string, string>> {
  const { body } = await request("GET", `/v2/teams/${team.id}/members`, { token: owner.token });
  const confirmed = body.members.filter((one: { confirmed: boolean }) => one.confirmed);
  return Object.fromEntries(confirmed.map((one: { email: string; role: string }) => [one.email, one.role]));
}

const accept = (username: string, more: object = {}) => ({
  action: "create",
  username,
  name: "Grace",
  password: PASSWORD,
  ...more,
});

test("somebody without an account becomes a member with the invitation's role, in one step", async () => {
  const { owner, team } = await newTeam();
  const username = uniqueName("grace");
  const email = `${username}@example.com`;
  const code = await invite(owner, team, { email, role: "DEVELOPER" });
  const visitor = createVisitor(app);
  assert.ok((await visitor.get(`invitation?code=${code}`)).html.includes(owner.username));
  const names = await nameThem(owner, team);
  const shown = await visitor.get(`invitation?code=${code}`);
  for (const text of [...names, team.slug, "Developer", email, "2030-01-08"]) {
    assert.ok(shown.html.includes(text), text);
  }
  const done = await visitor.post(`invitation?code=${code}`, accept(username));
  assert.deepEqual([done.status, done.location], [303, "./"], done.problem ?? "");
  const home = await visitor.get("");
  assert.equal(home.title, "Welcome, Grace");
  assert.ok(home.html.includes(team.slug));
  assert.equal((await membersOf(owner, team))[email], "DEVELOPER");
  const session = visitor.cookies.get("reeve") as string;
  const { user } = (await request("GET", "/v2/user", { session })).body;
  const types = (await readEvents(user.id)).map(({ type }) => type);
  assert.deepEqual(types, ["user-created", "password-updated", "login"]);
  assert.equal((await readEvents(team.id)).at(-1)?.type, "team-member-join");
  assert.equal((await createVisitor(app).get(`invitation?code=${code}`)).status, 404, "once");
});

test("what is wrong with the form is said, and neither account nor membership is made", async () => {
  const { owner, team } = await newTeam();
  const email = `${uniqueName("new")}@example.com`;
  const code = await invite(owner, team, { email, role: "VIEWER" });
  const cases: [object, RegExp][] = [
    [accept(owner.username), /^Username: Another account has this name$/],
    [accept("a b"), /^Username: Expected letters/],
    [accept(""), /^Username: Expected letters/],
    [accept("fine", { password: "short" }), /^Password: Expected at least 8 characters/],
    [accept("fine", { password: email }), /^Password: .*easy to guess/],
    [accept("fine", { name: "x".repeat(257) }), /^Your name: Expected at most 256/],
  ];
  for (const [form, problem] of cases) {
    const refused = await createVisitor(app).post(`invitation?code=${code}`, form as Record<string, string>);
    assert.match(refused.problem ?? "", problem);
  }
  assert.equal((await membersOf(owner, team))[email], undefined);
  assert.equal((await request("GET", `/v1/users?email=${email}`)).body.users.length, 0);
});

test("somebody with an account signs in and joins with it", async () => {
  const { owner, team } = await newTeam();
  const user = await createUser();
  const code = await invite(owner, team, { email: user.email, role: "VIEWER" });
  const visitor = createVisitor(app);
  assert.match((await visitor.get(`invitation?code=${code}`)).html, /sign-in\?return=invitation%3Fcode%3D/);
  visitor.cookies.set("reeve", (await openSession(api, user)).session);
  assert.equal((await visitor.get(`invitation?code=${code}`)).title, `Join ${team.slug}`);
  assert.equal((await visitor.post(`invitation?code=${code}`, { action: "accept" })).location, "./");
  assert.equal((await membersOf(owner, team))[user.email], "VIEWER");
});

test("an account that is invited by its id joins without a code", async () => {
  const { owner, team } = await newTeam();
  const user = await createUser();
  await invite(owner, team, { uid: user.id, role: "VIEWER" });
  const visitor = createVisitor(app);
  assert.equal((await visitor.get(`invitation?team=${team.id}`)).location?.split("?")[0], "sign-in");
  visitor.cookies.set("reeve", (await openSession(api, user)).session);
  const names = await nameThem(owner, team);
  const shown = await visitor.get(`invitation?team=${team.id}`);
  assert.equal(shown.title, `Join ${names[0]}`);
  for (const text of [...names, "Viewer", "2030-01-"]) assert.ok(shown.html.includes(text), text);
  assert.equal((await visitor.post(`invitation?team=${team.id}`, { action: "accept" })).location, "./");
  assert.equal((await membersOf(owner, team))[user.email], "VIEWER");
  const stranger = createVisitor(app);
  stranger.cookies.set("reeve", (await openSession(api, await createUser())).session);
  const refused = await stranger.post(`invitation?team=${team.id}`, { action: "accept" });
  const absent = await stranger.get(`invitation?team=team_${"0".repeat(24)}`);
  for (const { status, title } of [await stranger.get(`invitation?team=${team.id}`), refused, absent]) {
    assert.deepEqual([status, title], [404, "This invitation no longer works"]);
  }
});

test("codes that are passed on make no accounts", async () => {
  const { owner, team } = await newTeam();
  const make = async (body: object) =>
    (await request("POST", `/v1/teams/${team.id}/invites`, { token: owner.token, body })).body.code as string;
  const forAnAddress = await make({ email: `${uniqueName("named")}@example.com` });
  const { inviteCode } = (await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).body;
  for (const code of [await make({}), forAnAddress, inviteCode]) {
    const visitor = createVisitor(app);
    const shown = await visitor.get(`invitation?code=${code}`);
    assert.ok(!shown.html.includes("Create account"));
    const refused = await visitor.post(`invitation?code=${code}`, accept(uniqueName("passed")));
    assert.match(refused.problem ?? "", /for people who have an account/);
  }
});

test("the invitation of a team's key names nobody", async () => {
  const { owner, team } = await newTeam();
  const { value } = (await createKey(api, owner.token, `?teamId=${team.id}`)).body;
  const code = await invite({ ...owner, token: value }, team, { email: `${uniqueName("by-key")}@example.com` });
  const shown = await createVisitor(app).get(`invitation?code=${code}`);
  assert.deepEqual([shown.title, shown.html.includes(owner.username)], [`Join ${team.slug}`, false]);
});

test("an invitation that expired, was withdrawn or never was shows the same page", async () => {
  const { owner, team } = await newTeam();
  const email = `${uniqueName("late")}@example.com`;
  const withdrawn = await invite(owner, team, { email, role: "VIEWER" });
  const { emailInviteCodes } = (await request("GET", `/v2/teams/${team.id}/members`, { token: owner.token })).body;
  await request("DELETE", `/v1/teams/${team.id}/invites/${emailInviteCodes[0].id}`, { token: owner.token });
  const expired = await invite(owner, team, { email, role: "VIEWER" });
  clock.advance(7 * DAY_MS);
  for (const code of [withdrawn, expired, "x".repeat(40), ""]) {
    const { status, title } = await createVisitor(app).get(`invitation?code=${code}`);
    assert.deepEqual([status, title], [404, "This invitation no longer works"], code);
    const posted = await createVisitor(app).post(`invitation?code=${code}`, accept(uniqueName("late")));
    assert.equal(posted.status, 404);
  }
});

test("an invitation that ended after its form was shown makes no account, and says nothing of names", async () => {
  const { owner, team } = await newTeam();
  const email = `${uniqueName("grace")}@example.com`;
  const code = await invite(owner, team, { email });
  const { changes } = app.runner;
  const form = {
    username: owner.username,
    name: null,
    method: { kind: "password", hash: "h" },
    origin: ORIGIN,
  } as const;
  const order = { ...form, code, sessionHash: "s", deviceHash: "d", instance: { hasMail: false } as Instance };
  const late = clock.now + 30 * DAY_MS;
  await assert.rejects(changes.joinWithAccount(order, late), { code: "invite_expired" });
  const [pending] = (await request("GET", `/v1/teams/${team.id}/invites`, { token: owner.token })).body.invites;
  await request("POST", `/v1/teams/${team.id}/invites/${pending.id}/resend`, { token: owner.token });
  await assert.rejects(changes.joinWithAccount(order, clock.now), { code: "invite_unknown" });
});

test("a provider confirms the invited address where it has verified that address, and otherwise not", async () => {
  const { owner, team } = await newTeam();
  for (const [how, isConfirmed] of [
    ["verified", true],
    ["not verified", false],
    ["of another", false],
    ["of nobody", false],
  ] as const) {
    const username = uniqueName("identity");
    const email = `${username}@example.com`;
    const code = await invite(owner, team, { email });
    const told = { verified: email.toUpperCase(), "not verified": email, "of another": owner.email, "of nobody": null };
    const method = newIdentity({ email: told[how], isEmailVerified: how !== "not verified" });
    const [sessionHash, deviceHash] = [createSecretCode().hash, createSecretCode().hash];
    const order = { code, username, name: null, method, origin: ORIGIN, sessionHash, deviceHash };
    await app.runner.changes.joinWithAccount({ ...order, instance: { hasMail: false } as Instance }, clock.now);
    const [row] = await query(`select email_confirmed_at from users where username = '${username}'`);
    assert.equal(row?.["email_confirmed_at"] !== null, isConfirmed, how);
  }
  const { email } = await createUser();
  const code = await invite(owner, team, { email });
  const form = { username: uniqueName("second"), name: null, method: newIdentity({ email }), origin: ORIGIN };
  const order = { ...form, code, sessionHash: "s", deviceHash: "d", instance: { hasMail: false } as Instance };
  await assert.rejects(app.runner.changes.joinWithAccount(order, clock.now), { code: "email_taken" });
});

test("an address that nobody confirmed attracts no invitations of others", async () => {
  const [first, second] = [await newTeam(), await newTeam()];
  const username = uniqueName("squatter");
  const email = `${username}@example.com`;
  // Without mail the inviter sees the code, and may make the account of an address that is not theirs.
  const shown = await invite(first.owner, first.team, { email, role: "VIEWER" });
  const visitor = createVisitor(app);
  assert.equal((await visitor.post(`invitation?code=${shown}`, accept(username))).status, 303);
  await invite(second.owner, second.team, { email, role: "OWNER" });
  const refused = await visitor.post(`invitation?team=${second.team.id}`, { action: "accept" });
  assert.equal(refused.status, 404);
  assert.equal((await membersOf(second.owner, second.team))[email], undefined);
  // An administrator who sets the address answers for it.
  const { users } = (await request("GET", `/v1/users?email=${email}`)).body;
  const confirmed = { body: { email: `confirmed-${email}` } };
  await request("PATCH", `/v1/users/${users[0].id}`, confirmed);
  await invite(second.owner, second.team, { email: `confirmed-${email}`, role: "VIEWER" });
  assert.equal((await visitor.post(`invitation?team=${second.team.id}`, { action: "accept" })).location, "./");
});

test("without mail, the form tells nobody whether an address has an account, and takes it from no account", async () => {
  const [{ owner, team }, known] = [await newTeam(), await createUser()];
  const username = uniqueName("typed");
  const visitor = createVisitor(app);
  await invite(owner, team, { email: known.email, role: "VIEWER" });
  const path = `/v1/teams/${team.id}/invites`;
  const [pending] = (await request("GET", path, { token: owner.token })).body.invites;
  const { code } = (await request("POST", `${path}/${pending.id}/resend`, { token: owner.token })).body;
  assert.equal((await visitor.post(`invitation?code=${code}`, accept(username))).status, 303);
  const find = async (filter: string) => (await request("GET", `/v1/users?${filter}`)).body.users;
  assert.equal((await find(`email=${known.email}`))[0].id, known.id, "the address finds whom it found");
  const [made] = await find(`username=${username}`);
  assert.equal(made.email, known.email);
  const signIn = (login: string) => createVisitor(app).post("sign-in", { login, password: PASSWORD });
  assert.deepEqual([(await signIn(username)).status, (await signIn(known.email)).status], [303, 401]);
});

test("an invitation ends with its sender's right to invite, so that nobody who was removed comes back with it", async () => {
  const [owner, bad] = [await createUser(), await createUser()];
  const team = await createTeam(owner);
  const members = `/v1/teams/${team.id}/members`;
  await request("POST", members, { token: owner.token, body: { uid: bad.id, role: "OWNER" } });
  await request("POST", "/v1/teams/join", { token: bad.token, body: { teamId: team.id } });
  const email = `${uniqueName("sock")}@example.com`;
  const invited = await request("POST", members, { token: bad.token, body: { email, role: "OWNER" } });
  const path = `invitation?code=${invited.body.code}`;
  assert.equal((await createVisitor(app).get(path)).status, 200);
  assert.equal((await request("DELETE", `${members}/${bad.id}`, { token: owner.token })).status, 200);
  assert.equal((await createVisitor(app).get(path)).status, 404);
  const form = { action: "create", username: uniqueName("sock"), name: "", password: "correct horse battery staple" };
  assert.equal((await createVisitor(app).post(path, form)).status, 404);
});
