// Connecting accounts with providers by pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import type { TestUser } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import { openSession } from "./open-session.ts";
import { CROSS_SITE, openVisits } from "./provider-visits.ts";
import { startProviderWorld } from "./provider-world.ts";
import { createVisitor } from "./visitor.ts";

const api = await startProviderWorld({ keycloak: { signUp: true }, entra: {} });
const { app, clock, createUser, query, readEvents, request } = api;
const { goThere, newPerson, signIn, whoIs, signedInAs } = openVisits(api);

test("who has an account with the address signs in as before, and connects it then", async () => {
  const user = await createUser();
  const { subject, email } = newPerson({ email: user.email });
  const visitor = createVisitor(app);
  const met = await signIn(visitor, "entra", subject, { return: "account" });
  assert.equal(met.title, "You have an account here");
  assert.match(met.html, /href="\.\.\/\.\.\/sign-in\?return=connect%3Freturn%3Daccount"/);
  assert.equal(await whoIs(visitor), undefined);
  assert.match((await visitor.get("connect?return=account")).location ?? "", /^sign-in\?return=connect/);

  visitor.cookies.set("reeve", (await openSession(api, user)).session);
  const asked = await visitor.get("connect?return=account");
  assert.equal(asked.title, "Connect with Entra");
  assert.ok(asked.html.includes(`<strong>${email}</strong>`) && asked.html.includes(user.username));
  assert.equal((await visitor.post("connect", {}, CROSS_SITE)).status, 403);
  const done = await visitor.post("connect?return=account", {});
  assert.deepEqual([done.status, done.location], [303, "account"]);
  assert.equal((await visitor.get("connect")).title, "Nothing to connect");
  const types = (await readEvents(user.id)).map(({ type }) => type);
  assert.equal(types.at(-1), "login-connection-linked");

  const later = createVisitor(app);
  assert.equal((await signIn(later, "entra", subject)).status, 303);
  assert.equal((await whoIs(later)).id, user.id);
});

const unconfirm = async ({ id }: TestUser) =>
  await query(`update users set email_confirmed_at = null where id = '${id}'`);

test("who has proved an address gets a new account with it where nobody had confirmed it", async () => {
  const squatter = await createUser();
  const { subject, email } = newPerson({ email: squatter.email });
  const visitor = createVisitor(app);
  // A confirmed address is somebody's, whatever the form says.
  const refused = await signIn(visitor, "keycloak", subject, { newcomer: "1" });
  assert.equal(refused.title, "You have an account here");
  assert.doesNotMatch(refused.html, /newcomer/);
  await unconfirm(squatter);
  // Entra makes no accounts.
  assert.doesNotMatch((await signIn(visitor, "entra", subject)).html, /newcomer/);
  const met = await signIn(visitor, "keycloak", subject, { return: "account" });
  assert.deepEqual([met.title, met.status], ["You have an account here", 200]);
  assert.match(met.html, /action="\.\.\/\.\.\/sign-in\/keycloak"[^]*name="newcomer" value="1"/);
  assert.equal(await whoIs(visitor), undefined);
  const done = await signIn(visitor, "keycloak", subject, { kind: "sign-in", return: "account", newcomer: "1" });
  assert.deepEqual([done.status, done.location], [303, "../../account"]);
  const made = await whoIs(visitor);
  assert.equal(made.email, email);
  assert.notEqual(made.id, squatter.id);
  const { users } = (await request("GET", `/v1/users?email=${email}`)).body;
  assert.deepEqual(
    users.map(({ id }: { id: string }) => id),
    [made.id],
  );
});

test("an invitation goes to the person who has proved its address, past an account that has not", async () => {
  const [squatter, team] = [await createUser(), await openTeam(api, await createUser())];
  const { subject, email } = newPerson({ email: squatter.email });
  await unconfirm(squatter);
  const { code } = (await team.invite({ email, role: "VIEWER" })).body;
  const form = { kind: "invitation", code, return: `invitation?code=${code}` };
  const visitor = createVisitor(app);
  const met = await signIn(visitor, "entra", subject, form);
  assert.match(met.html, new RegExp(`name="code" value="${code}"`));
  const done = await signIn(visitor, "entra", subject, { ...form, newcomer: "1" });
  assert.equal(done.status, 303, done.problem ?? "");
  const made = await whoIs(visitor);
  assert.equal((await team.find(made)).role, "VIEWER");
  assert.equal(made.email, email);
  const [row] = await query(`select email_key, email_confirmed_at from users where id = '${made.id}'`);
  assert.deepEqual([row?.["email_key"], row?.["email_confirmed_at"] === null], [email, false]);
  const lost = (await readEvents(squatter.id)).at(-1);
  assert.deepEqual([lost?.type, lost?.principalId, lost?.payload], ["email", "system", { email, prevEmail: email }]);
});

test("connecting with a provider that has verified the account's own address confirms it", async () => {
  const user = await createUser();
  await unconfirm(user);
  const visitor = await signedInAs(user);
  const { subject } = newPerson({ email: user.email });
  await signIn(visitor, "entra", subject, { kind: "link", return: "account" });
  assert.doesNotMatch((await visitor.get("account")).html, /not confirmed/);
  const [row] = await query(`select email_confirmed_at from users where id = '${user.id}'`);
  assert.notEqual(row?.["email_confirmed_at"], null);
});

test("connecting needs a fresh proof, also after another account was met", async () => {
  const user = await createUser();
  const { subject } = newPerson({ email: user.email });
  const visitor = await signedInAs(user);
  clock.advance(11 * MINUTE_MS);
  const refused = await visitor.post("sign-in/entra", { kind: "link", return: "account" });
  assert.deepEqual([refused.status, refused.location], [303, "../prove?return=account"]);
  assert.deepEqual(
    (await signIn(visitor, "entra", subject, { return: "account" })).location,
    "../../connect?return=account",
  );
  assert.equal((await visitor.post("connect?return=account", {})).location, "prove?return=connect%3Freturn%3Daccount");
});

test("a connection is made and removed on the page of one's account", async () => {
  const user = await createUser();
  const { subject } = newPerson({ email: "other@elsewhere.example" });
  const visitor = await signedInAs(user);
  const done = await signIn(visitor, "entra", subject, { kind: "link", return: "account" });
  assert.deepEqual([done.status, done.location], [303, "../../account"]);
  const { html } = await visitor.get("account");
  const [, id = ""] = /name="id" value="(identity_\w+)"/.exec(html) ?? [];
  assert.equal((await visitor.post("account", { action: "delete-identity", id })).status, 409, "the last way in");

  const stranger = await signedInAs(await createUser());
  const taken = await signIn(stranger, "entra", subject, { kind: "link", return: "account" });
  assert.deepEqual([taken.status, taken.title], [409, "Not signed in with Entra"]);
  assert.match(taken.problem ?? "", /another account here/);

  await signIn(visitor, "keycloak", newPerson().subject, { kind: "link", return: "account" });
  const removed = await visitor.post("account", { action: "delete-identity", id });
  assert.equal(removed.status, 303, removed.problem ?? "");
  const again = await signIn(createVisitor(app), "entra", subject);
  assert.equal(again.title, "No account here");
});

test("a connection is made for the session that asked for it, not for one that was opened meanwhile", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const { subject } = newPerson();
  for (const kind of ["link", "proof"]) {
    const visitor = await signedInAs(user);
    const path = await goThere(visitor, "entra", subject, { kind, return: "account" });
    visitor.cookies.set("reeve", (await openSession(api, other)).session);
    assert.equal((await visitor.get(path, CROSS_SITE)).status, 401);
    visitor.cookies.delete("reeve");
    const signedOut = await visitor.post("sign-in/entra", { kind, return: "account" });
    assert.equal(signedOut.location, "../sign-in?return=account");
  }
  const rows = await api.query(`select id from identities where user_id in ('${user.id}', '${other.id}')`);
  assert.deepEqual(rows, []);
});
