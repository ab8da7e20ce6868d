// Signing in with providers by pages: to a new account, to an old one, from an invitation, and what strangers can't do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { freePort } from "../harness/free-port.ts";
import { uniqueName } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import type { AccountClaims } from "./oidc-issuer.ts";
import { CROSS_SITE, openVisits, urlOf } from "./provider-visits.ts";
import { startProviderWorld } from "./provider-world.ts";
import { createVisitor } from "./visitor.ts";

const TEAM = uniqueName("platform");
const api = await startProviderWorld({
  keycloak: {
    signUp: true,
    domains: ["acme.example"],
    roles: [
      { claim: "realm_access.roles", value: "reeve-admin", instance: "administrator" },
      { claim: "groups", value: "developers", team: TEAM, role: "DEVELOPER" },
      { claim: "groups", value: "leads", team: TEAM, role: "OWNER" },
    ],
  },
  entra: {},
  // Nobody listens there.
  down: { issuer: `http://127.0.0.1:${await freePort()}` },
});
const { app, clock, createUser, readEvents, request, issuers } = api;
const { goThere, newPerson, signIn, whoIs } = openVisits(api);

test("a stranger signs in with a provider, and has an account then", async () => {
  const { subject, email } = newPerson();
  const visitor = createVisitor(app);
  const page = await visitor.get("sign-in?return=account");
  assert.match(page.html, /<form method="post" action="sign-in\/keycloak"[^]*name="return" value="account"/);
  assert.match(page.html, /Continue with Entra/);
  const leaving = await visitor.post("sign-in/keycloak", { return: "account" });
  assert.deepEqual([leaving.status, leaving.title], [200, "Continue at Keycloak"]);
  assert.ok(leaving.html.includes(urlOf(leaving).replaceAll("&", "&amp;")), "a link for browsers that do not refresh");
  const back = await issuers.get("keycloak")?.signIn(subject, urlOf(leaving));
  assert.equal(back?.pathname, "/console/sign-in/keycloak/callback");
  const done = await visitor.get(`sign-in/keycloak/callback${back?.search}`, CROSS_SITE);
  assert.deepEqual([done.status, done.location], [303, "../../account"]);
  const user = await whoIs(visitor);
  assert.deepEqual([user.email, user.name], [email, "Ada"]);
  assert.equal(visitor.cookies.has("reeve-step"), false);
  const account = await visitor.get("account");
  assert.match(account.html, new RegExp(`<strong>Keycloak</strong> ${email}`));
});

test("the way back works once, in the browser that went there, and for the provider that it went to", async () => {
  const { subject } = newPerson();
  const visitor = createVisitor(app);
  const path = await goThere(visitor, "keycloak", subject);
  const step = visitor.cookies.get("reeve-step") ?? "";
  assert.equal((await createVisitor(app).get(path, CROSS_SITE)).status, 401, "another browser");
  const atOther = await visitor.get(path.replace("keycloak", "entra"), CROSS_SITE);
  assert.deepEqual([atOther.status, atOther.title], [401, "Not signed in with Entra"]);
  assert.match(atOther.problem ?? "", /begin again$/);
  assert.equal((await visitor.get(path, CROSS_SITE)).status, 401, "the step is used up");

  const next = createVisitor(app);
  const second = await goThere(next, "keycloak", subject);
  const other = await next.get(second.replace(/state=\w+/, "state=other"), CROSS_SITE);
  assert.match(other.problem ?? "", /begin again$/);

  const third = createVisitor(app);
  const good = await goThere(third, "keycloak", subject);
  const code = third.cookies.get("reeve-step") ?? "";
  assert.equal((await third.get(good, CROSS_SITE)).status, 303);
  const replayed = createVisitor(app);
  for (const value of [code, step]) {
    replayed.cookies.set("reeve-step", value);
    assert.equal((await replayed.get(good, CROSS_SITE)).status, 401, "a replay");
  }
  assert.equal(await whoIs(replayed), undefined);
});

test("a way that takes too long is begun again", async () => {
  const { subject } = newPerson();
  const visitor = createVisitor(app);
  const path = await goThere(visitor, "keycloak", subject);
  clock.advance(16 * MINUTE_MS);
  assert.match((await visitor.get(path, CROSS_SITE)).problem ?? "", /took too long/);
});

test("opening the page of a provider stores nothing, and no other site can begin a way", async () => {
  const count = async () => (await api.query("select hash from one_time_codes where purpose = 'provider'")).length;
  const before = await count();
  const visitor = createVisitor(app);
  assert.equal((await visitor.get("sign-in/keycloak?return=account")).title, "Sign in with Keycloak");
  assert.equal((await visitor.post("sign-in/keycloak", {}, CROSS_SITE)).status, 403);
  assert.equal(await count(), before);
  assert.equal(visitor.cookies.size, 0);
  assert.equal((await visitor.get("sign-in/none")).status, 404);
  assert.equal((await visitor.post("sign-in/none", {})).status, 404);
  assert.equal((await visitor.get("sign-in/none/callback?code=x&state=y")).status, 404);
});

test("one comes back to pages of the console alone", async () => {
  const { subject } = newPerson();
  for (const returnTo of ["https://evil.example/", "//evil.example", "../x", "javascript:alert(1)"]) {
    const done = await signIn(createVisitor(app), "keycloak", subject, { return: returnTo });
    assert.deepEqual([done.status, done.location], [303, "../../"], returnTo);
  }
});

test("who signs in with a provider proves who they are with it", async () => {
  const { subject } = newPerson();
  const visitor = createVisitor(app);
  await signIn(visitor, "keycloak", subject);
  const session = visitor.cookies.get("reeve") ?? "";
  const make = () => request("POST", "/v3/user/tokens", { session, body: { name: "t" } });
  assert.equal((await make()).status, 200);
  clock.advance(11 * MINUTE_MS);
  assert.equal((await make()).status, 403);
  const page = await visitor.get("prove?return=tokens");
  assert.match(page.html, /Confirm with Keycloak/);
  assert.doesNotMatch(page.html, /Confirm with Entra/);
  const stranger = await signIn(visitor, "keycloak", newPerson().subject, { kind: "proof", return: "tokens" });
  assert.equal(stranger.status, 401);
  assert.equal((await make()).status, 403);
  const leaving = await visitor.post("sign-in/keycloak", { kind: "proof", return: "tokens" });
  assert.match(urlOf(leaving), /[?&]max_age=60(?:&|$)/);
  const back = await issuers.get("keycloak")?.signIn(subject, urlOf(leaving));
  const done = await visitor.get(`sign-in/keycloak/callback${back?.search}`, CROSS_SITE);
  assert.deepEqual([done.status, done.location], [303, "../../tokens"]);
  assert.equal((await make()).status, 200);
});

test("who gets no account is told why, and how to get one", async () => {
  const cases: [string, AccountClaims, RegExp][] = [
    ["entra", {}, /^There is no account for you here yet\./],
    ["keycloak", { email: `${uniqueName("ada")}@other.example` }, /addresses of your domain get none/],
    ["keycloak", { email_verified: false }, /does not say that your e-mail address is yours/],
  ];
  for (const [id, claims, text] of cases) {
    const shown = await signIn(createVisitor(app), id, newPerson(claims).subject);
    assert.deepEqual([shown.status, shown.title], [403, "No account here"]);
    assert.match(shown.html.replace(/<[^>]*>/g, "").replace(/\s+/g, " "), new RegExp(text.source.replace("^", "")));
  }
});

test("roles follow the claims of each sign-in", async () => {
  const team = await api.createTeam(await createUser(), TEAM);
  const { subject, email } = newPerson({ groups: ["developers", "others"] });
  const visitor = createVisitor(app);
  await signIn(visitor, "keycloak", subject);
  const roleOf = async () => {
    const { status, body } = await request("GET", `/v2/teams/${team.id}`, {
      session: visitor.cookies.get("reeve") ?? "",
    });
    return status === 200 ? body.membership.role : null;
  };
  assert.equal(await roleOf(), "DEVELOPER");
  const claims = { email, email_verified: true };
  issuers
    .get("keycloak")
    ?.setAccount(subject, { ...claims, groups: ["leads"], realm_access: { roles: ["reeve-admin"] } });
  await signIn(visitor, "keycloak", subject);
  assert.deepEqual([await roleOf(), (await whoIs(visitor)).isAdmin], ["OWNER", true]);
  issuers.get("keycloak")?.setAccount(subject, claims);
  await signIn(visitor, "keycloak", subject);
  assert.deepEqual([await roleOf(), (await whoIs(visitor)).isAdmin], [null, false]);
});

test("an invitation is accepted with a provider that makes no accounts by itself", async () => {
  const team = await openTeam(api, await createUser());
  const { subject, email } = newPerson();
  const invited = await team.invite({ email, role: "SECURITY" });
  const { code } = invited.body;
  const visitor = createVisitor(app);
  const page = await visitor.get(`invitation?code=${code}`);
  assert.match(page.html, /Continue with Entra/);
  const form = { kind: "invitation", code, return: `invitation?code=${code}` };
  const done = await signIn(visitor, "entra", subject, form);
  assert.deepEqual([done.status, done.location], [303, "../../"]);
  const user = await whoIs(visitor);
  assert.equal(user.email, email);
  assert.equal((await team.find(user)).role, "SECURITY");
  const types = (await readEvents(user.id)).map(({ type }) => type);
  assert.deepEqual(types, ["user-created", "login-connection-linked", "login"]);

  const again = await signIn(createVisitor(app), "entra", newPerson().subject, form);
  assert.equal(again.title, "Not signed in with Entra");
  const second = await openTeam(api, await createUser());
  const next = (await second.invite({ email, role: "VIEWER" })).body.code as string;
  const known = await signIn(createVisitor(app), "entra", subject, {
    kind: "invitation",
    code: next,
    return: `invitation?code=${next}`,
  });
  assert.equal(known.location, `../../invitation?code=${next}`, "with an account, one accepts it there");
});

test("a code that is passed on makes no account, with a provider either", async () => {
  const team = await openTeam(api, await createUser());
  const path = `/v1/teams/${team.id}/invites`;
  const { code } = (await request("POST", path, { token: team.owner.token, body: {} })).body;
  const { subject } = newPerson();
  const shown = await signIn(createVisitor(app), "entra", subject, { kind: "invitation", code });
  assert.match(shown.problem ?? "", /for people who have an account/);
});

test("who cancels at the provider reads so in our words, and a provider that is down is said to be", async () => {
  const visitor = createVisitor(app);
  const leaving = await visitor.post("sign-in/keycloak", {});
  const back = await issuers.get("keycloak")?.cancel(urlOf(leaving));
  const shown = await visitor.get(`sign-in/keycloak/callback${back?.search}`, CROSS_SITE);
  assert.equal(shown.status, 401);
  assert.match(shown.problem ?? "", /you cancelled there/);
  assert.doesNotMatch(shown.html, /error_description|<b>no/);
  const down = await visitor.post("sign-in/down", {});
  assert.deepEqual([down.status, down.title], [503, "Not signed in with Down"]);
  assert.match(down.problem ?? "", /can't be reached at the moment/);
});
