// Making an account for oneself, from the form to the session, with a real mail server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { mailsTo } from "../mail/mail-world.ts";
import { createVisitor } from "./visitor.ts";

const mailServer = await startMailServer();
const settings = { smtpUrl: mailServer.url, publicUrl: "https://reeve.example", signUp: "open" };
const api = await startOwnApp({ ...settings, console: "off" });
const { app, clock, createUser, createTeam, query, readEvents, request } = api;
const PASSWORD = "correct horse battery staple";

const newAddress = () => `${uniqueName("ada")}@example.com`;
const ask = (email: string, ip?: string) => createVisitor(app, ip).post("sign-up", { email });
const form = (username: string) => ({ username, name: "Ada", password: PASSWORD });

/** The text of the newest of so many mails. */
async function mailTo(recipient: string, mails = 1): Promise<string> {
  const mail = await waitFor(`mail ${mails} to ${recipient}`, () => mailsTo(recipient, mailServer)[mails - 1]);
  return mail.text;
}

async function codeTo(recipient: string, mails = 1): Promise<string> {
  const text = await mailTo(recipient, mails);
  const code = /^https:\/\/reeve\.example\/console\/sign-up\?code=(\w{43})$/m.exec(text)?.[1];
  assert.ok(code, text);
  return code;
}

const accountsOf = (email: string) =>
  query(`select id, email_confirmed_at from users where email_key = '${email.toLowerCase()}'`);

test("a stranger gets an account with a confirmed address, and is signed in", async () => {
  const email = newAddress();
  assert.match((await createVisitor(app).get("sign-in")).html, /href="sign-up"/);
  const asked = await ask(email);
  assert.deepEqual([asked.status, asked.location], [303, "sign-up?sent=1"], asked.problem ?? "");
  assert.match((await createVisitor(app).get("sign-up?sent=1")).html, /A mail is on its way to this address/);
  const code = await codeTo(email);
  const visitor = createVisitor(app);
  for (let opened = 0; opened < 3; opened++) {
    const shown = await visitor.get(`sign-up?code=${code}`);
    assert.deepEqual([shown.status, shown.title], [200, "Create an account"]);
    assert.ok(shown.html.includes(email));
  }
  assert.deepEqual(await accountsOf(email), [], "opening the link makes no account");
  const username = uniqueName("ada");
  const done = await visitor.post(`sign-up?code=${code}`, form(username));
  assert.deepEqual([done.status, done.location], [303, "./"], done.problem ?? "");
  assert.equal((await visitor.get("")).title, "Welcome, Ada");
  const [account] = await accountsOf(email);
  assert.notEqual(account?.["email_confirmed_at"], null);
  const types = (await readEvents(String(account?.["id"]))).map(({ type }) => type);
  assert.deepEqual(types, ["user-created", "password-updated", "login"]);
  assert.equal((await createVisitor(app).get(`sign-up?code=${code}`)).status, 404, "a link works once");
  assert.equal((await createVisitor(app).post("sign-in", { login: email, password: PASSWORD })).status, 303);
});

test("what is wrong with the form is said, and the link goes on working", async () => {
  const [email, other] = [newAddress(), await createUser()];
  await ask(email);
  const code = await codeTo(email);
  const visitor = createVisitor(app);
  for (const [input, problem] of [
    [form(other.username), /^Username: Another account has this name$/],
    [form("a b"), /^Username: Expected letters/],
    [{ ...form(uniqueName("ada")), password: "password1234" }, /^Password: /],
  ] as const) {
    assert.match((await visitor.post(`sign-up?code=${code}`, input)).problem ?? "", problem);
  }
  assert.deepEqual(await accountsOf(email), []);
  assert.equal((await visitor.post(`sign-up?code=${code}`, form(uniqueName("ada")))).status, 303);
});

test("an address that is taken gets the same response, and a mail that leads to signing in", async () => {
  const [taken, suspended] = [await createUser(), await createUser()];
  await request("PATCH", `/v1/users/${suspended.id}`, { body: { suspended: true } });
  const spelled = taken.email.replace("user", "USER");
  const answers = new Set<string>();
  for (const email of [spelled, suspended.email, newAddress()]) {
    const { status, location, html, headers } = await ask(email);
    answers.add(JSON.stringify({ status, location, html, cookie: headers["set-cookie"] }));
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
  const text = await mailTo(taken.email);
  assert.match(text, /^https:\/\/reeve\.example\/console\/sign-in$/m);
  assert.equal(text.includes(taken.username), false);
  assert.match(await mailTo(suspended.email), /which has one/);
});

test("an address that somebody else typed in keeps nobody from signing up with it", async () => {
  const [squatter, email] = [await createUser(), newAddress()];
  await query(
    `update users set email = '${email}', email_key = '${email}', email_confirmed_at = null where id = '${squatter.id}'`,
  );
  await ask(email);
  const code = await codeTo(email);
  assert.equal((await accountsOf(email))[0]?.["id"], squatter.id, "asking takes nothing");
  const username = uniqueName("ada");
  const done = await createVisitor(app).post(`sign-up?code=${code}`, form(username));
  assert.equal(done.status, 303, done.problem ?? "");
  const [account, ...others] = await accountsOf(email);
  assert.notEqual(account?.["id"], squatter.id);
  assert.deepEqual(others, []);
  assert.notEqual(account?.["email_confirmed_at"], null);
  const event = (await readEvents(squatter.id)).at(-1);
  assert.deepEqual([event?.type, event?.principalId], ["email", "system"]);
  assert.equal((await request("GET", "/v2/user", { token: squatter.token })).status, 200);
  await ask(email);
  assert.match(await mailTo(email, 2), /which has one/);
});

test("of two who use a link at once, one gets the account", async () => {
  const email = newAddress();
  await ask(email);
  const code = await codeTo(email);
  const twins = await Promise.all(
    [1, 2].map(() => createVisitor(app).post(`sign-up?code=${code}`, form(uniqueName("ada")))),
  );
  assert.deepEqual(twins.map(({ status }) => status).toSorted(), [303, 404]);
  assert.equal((await accountsOf(email)).length, 1);
});

test("two links of one address make one account, at the same time too", async () => {
  const email = newAddress();
  await ask(email);
  const first = await codeTo(email);
  await ask(email);
  const codes = [first, await codeTo(email, 2)];
  const twins = await Promise.all(
    codes.map((code) => createVisitor(app).post(`sign-up?code=${code}`, form(uniqueName("ada")))),
  );
  assert.deepEqual(twins.map(({ status }) => status).toSorted(), [303, 409]);
  assert.equal((await accountsOf(email)).length, 1);
});

test("a link ends after a day", async () => {
  const email = newAddress();
  await ask(email);
  const code = await codeTo(email);
  clock.advance(DAY_MS);
  const visitor = createVisitor(app);
  assert.equal((await visitor.get(`sign-up?code=${code}`)).status, 404);
  assert.equal((await visitor.post(`sign-up?code=${code}`, form(uniqueName("ada")))).status, 404);
  assert.deepEqual(await accountsOf(email), []);
});

test("an invitation waits for the person who signs up with its address", async () => {
  const [owner, email] = [await createUser(), newAddress()];
  const team = await createTeam(owner);
  await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { email } });
  await mailTo(email);
  await ask(email);
  const visitor = createVisitor(app);
  await visitor.post(`sign-up?code=${await codeTo(email, 2)}`, form(uniqueName("ada")));
  const joined = await visitor.post(`invitation?team=${team.id}`, { action: "accept" });
  assert.equal(joined.status, 303, joined.problem ?? "");
});

test("an address gets five mails a day, and a client that asks for many is refused", async () => {
  const email = newAddress();
  const queue = () => app.runner.changes.queueSignUp({ email, instance: { hasMail: true } }, clock.now);
  for (let count = 0; count < 7; count++) await queue();
  const codes = await query("select data from one_time_codes where purpose = 'sign-up'");
  assert.equal(codes.filter(({ data }) => String(data).includes(email)).length, 5);
  assert.equal((await ask(email)).status, 303, "nobody is told");
  const ip = "203.0.113.60";
  let status = 303;
  for (let count = 0; count < 110 && status === 303; count++) ({ status } = await ask("no@example.com", ip));
  assert.equal(status, 429);
  assert.equal((await ask(newAddress(), "203.0.113.61")).status, 303);
});

test("what is no address, and a form of another site, send nothing", async () => {
  assert.match((await ask("ada")).problem ?? "", /^E-mail address: Expected an e-mail address/);
  const email = newAddress();
  const { status } = await createVisitor(app).post("sign-up", { email }, { origin: "https://evil.test" });
  assert.equal(status, 403);
  assert.deepEqual(await query(`select id from mails where recipient = '${email}'`), []);
});

test("only addresses of the given domains get a link, and the rule holds where the link leads", async () => {
  const limited = await api.startAnother({ signUp: "domains:example.com,münchen.example" });
  const askThere = (email: string) => createVisitor(limited).post("sign-up", { email });
  assert.match(
    (await createVisitor(limited).get("sign-up")).html,
    /An address of example\.com or xn--mnchen-3ya\.example/,
  );
  for (const email of [
    "ada@example.org",
    "ada@sub.example.com",
    "ada@example.com.evil.test",
    "ada@notexample.com",
    "ada@example.org@example.com",
  ]) {
    const refused = await askThere(email);
    assert.ok(refused.status === 403 || refused.status === 400, email);
    assert.match(refused.problem ?? "", /^E-mail address: Expected an /);
  }
  for (const email of ["ada-here@EXAMPLE.com", "ada@MÜNCHEN.example"]) {
    assert.equal((await askThere(email)).status, 303, email);
  }
  const elsewhere = `${uniqueName("ada")}@example.org`;
  await ask(elsewhere);
  const code = await codeTo(elsewhere);
  const late = await createVisitor(limited).post(`sign-up?code=${code}`, form(uniqueName("ada")));
  assert.equal(late.status, 403);
  assert.deepEqual(await accountsOf(elsewhere), []);
});

test("where accounts are made by invitation, the page says so, and there is no link to it", async () => {
  const closed = await startOwnApp();
  const visitor = createVisitor(closed.app);
  const shown = await visitor.get("sign-up");
  assert.deepEqual([shown.status, shown.title], [403, "Ask for an invitation"]);
  assert.match(shown.html, /REEVE_SIGN_UP/);
  assert.equal((await visitor.get("sign-in")).html.includes("sign-up"), false);
  const refused = await visitor.post("sign-up", { email: newAddress() });
  assert.deepEqual([refused.status, refused.title], [403, "Ask for an invitation"]);
});
