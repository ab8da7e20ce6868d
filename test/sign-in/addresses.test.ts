// Signing in, signing up and providers take every spelling of a mailbox for the same one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { mailsTo } from "../mail/mail-world.ts";
import { openVisits } from "./provider-visits.ts";
import { startProviderWorld } from "./provider-world.ts";
import { createVisitor } from "./visitor.ts";

const mailServer = await startMailServer();
const mail = { smtpUrl: mailServer.url, signUp: "domains:MÜNCHEN.example,ａcme.com" };
const domains = ["München.example"];
const api = await startProviderWorld({ keycloak: { signUp: true, domains }, entra: { signUp: true } }, mail);
const { app, clock, query, request } = api;
const { newPerson, signIn, whoIs } = openVisits(api);
const PASSWORD = "correct horse battery staple";

const SPELLINGS = [
  "@xn--mnchen-3ya.example",
  "@münchen.example",
  "@MU\u0308NCHEN.example",
  "@XN--MNCHEN-3YA.example",
  "@ｍünchen。example",
  "@mün\u00adchen.example",
];
const canonical = (name: string) => `${name}@xn--mnchen-3ya.example`;
const mailsOf = (email: string) => mailsTo(email, mailServer);

/** An account that signed up with one spelling of its address. */
async function signUp(spelled: string, email: string): Promise<void> {
  assert.equal((await createVisitor(app).post("sign-up", { email: spelled })).status, 303);
  const { text } = await waitFor(`a mail to ${email}`, () => mailsOf(email)[0]);
  const code = /\/console\/sign-up\?code=(\w{43})$/m.exec(text)?.[1];
  const form = { username: uniqueName("ada"), name: "Ada", password: PASSWORD };
  const done = await createVisitor(app).post(`sign-up?code=${code}`, form);
  assert.equal(done.status, 303, done.problem ?? "");
}

test("an account that signed up with one spelling signs in with each", async () => {
  const name = uniqueName("ada");
  await signUp(`${name}@MÜNCHEN.example`, canonical(name));
  assert.equal((await query(`select 1 from users where email = '${canonical(name)}'`)).length, 1);
  for (const spelling of SPELLINGS) {
    const login = `${name}${spelling}`;
    assert.equal((await createVisitor(app).post("sign-in", { login, password: PASSWORD })).status, 303, login);
  }
});

test("spellings share the mails that one mailbox gets of sign-ups in a day", async () => {
  const name = uniqueName("flooded");
  for (let asked = 0; asked < 12; asked++) {
    const email = `${name}${SPELLINGS[asked % SPELLINGS.length]}`;
    assert.equal((await createVisitor(app).post("sign-up", { email })).status, 303, email);
  }
  const email = uniqueName("sentinel");
  await createVisitor(app).post("sign-up", { email: `${email}@acme.com` });
  await waitFor("the mails that were asked for", () => mailsOf(`${email}@acme.com`)[0]);
  const sent = await query(`select 1 from one_time_codes where data like '%${name}@%'`);
  const { received } = mailServer;
  assert.deepEqual(
    new Set(received.flatMap(({ recipients }) => recipients).filter((one) => one.startsWith(name))),
    new Set([canonical(name)]),
  );
  assert.equal(sent.length, 5);
});

test("spellings share the pauses after failures", async () => {
  const name = uniqueName("guessed");
  await signUp(canonical(name), canonical(name));
  const statuses = [];
  for (const [index, spelling] of SPELLINGS.entries()) {
    const guesser = createVisitor(app, `198.51.100.${index + 1}`);
    statuses.push((await guesser.post("sign-in", { login: `${name}${spelling}`, password: "wrong" })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
});

test("a mail that recovers is asked for with any spelling", async () => {
  const name = uniqueName("forgetful");
  await signUp(canonical(name), canonical(name));
  const asked = await createVisitor(app).post("recover", { action: "mail", login: `${name}@MÜNCHEN.example` });
  assert.equal(asked.status, 303);
  await waitFor("the mail", () => mailsOf(canonical(name)).find(({ text }) => text.includes("/console/recover?")));
});

test("a provider's domain is one domain in every spelling, and so is the address of an account that it makes", async () => {
  for (const spelling of SPELLINGS) {
    const name = uniqueName("grace");
    const { subject } = newPerson({ email: `${name}${spelling}` });
    const visitor = createVisitor(app);
    const done = await signIn(visitor, "keycloak", subject);
    assert.equal(done.status, 303, `${spelling}: ${done.problem}`);
    assert.equal((await whoIs(visitor)).email, canonical(name));
    // Another provider says the same mailbox: it is somebody's already.
    const other = newPerson({ email: `${name}@MÜNCHEN.example` });
    assert.equal(
      (await signIn(createVisitor(app), "entra", other.subject)).title,
      "You have an account here",
      spelling,
    );
  }
});

test("what a provider says is no address counts as none, though it says that it is verified", async () => {
  for (const email of ["boss", "<boss>@acme.com", "boss@acme.com, eve@acme.com", "boss @acme.com", "boss＠acme.com"]) {
    const { subject } = newPerson({ email });
    const shown = await signIn(createVisitor(app), "entra", subject);
    assert.equal(shown.title, "No account here", email);
    assert.equal(shown.html.includes("boss"), false, email);
  }
});

test("a set-up takes one form of the address, and refuses what is none", async () => {
  const user = await api.createUser();
  const link = await app.runner.changes.createSignInLink({ name: user.id }, clock.now);
  const setUp = (email: string) =>
    createVisitor(app).post(`set-up?code=${link?.code}`, { email, name: "Ada", password: PASSWORD });
  const refused = await setUp("<boss>@acme.com");
  assert.deepEqual(
    [refused.status, refused.problem?.startsWith("E-mail address: Expected an e-mail address")],
    [400, true],
  );
  const name = uniqueName("admin");
  assert.equal((await setUp(`${name}@ＭÜNCHEN.example`)).status, 303);
  assert.equal((await request("GET", "/v2/user", { token: user.token })).body.user.email, canonical(name));
});
