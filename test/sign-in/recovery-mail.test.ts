// Recovery by mail, from the form to the session, with a real mail server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { mailsTo, startMailWorld } from "../mail/mail-world.ts";
import { createVisitor } from "./visitor.ts";

const mailServer = await startMailServer();
const { app, clock, createUser, query, readEvents, request, rowsTo } = await startMailWorld(mailServer);
const PASSWORD = "correct horse battery staple";
const SENT =
  "If there is an account with this name, a link is on its way to its e-mail address. It works once, for an hour. Asking again sends no second one before that: use the latest mail.";

const ask = (login: string, ip?: string) => createVisitor(app, ip).post("recover", { action: "mail", login });

/** The code of the newest of so many mails. */
async function codeTo(recipient: string, mails = 1): Promise<string> {
  const mail = await waitFor(`mail ${mails} to ${recipient}`, () => mailsTo(recipient, mailServer)[mails - 1]);
  const code = /^https:\/\/reeve\.example\/console\/recover\?code=(\w{43})$/m.exec(mail.text)?.[1];
  assert.ok(code, mail.text);
  return code;
}

/** Does what the form has done, and waits for it. */
async function queue(login: string): Promise<void> {
  const origin = { ip: "192.0.2.1", userAgent: null, requestId: "req_test", via: "http" } as const;
  await app.runner.changes.queueRecovery({ login, origin, instance: { hasMail: true } }, clock.now);
}

test("a link by mail signs in once and sets a password, and opening it changes nothing", async () => {
  const user = await createUser();
  const asked = await ask(user.email.toUpperCase());
  assert.deepEqual([asked.status, asked.location], [303, "recover?sent=1"]);
  assert.ok((await createVisitor(app).get("recover?sent=1")).html.includes(SENT));
  const code = await codeTo(user.email);
  const made = (await readEvents(user.id)).at(-1);
  assert.deepEqual([made?.type, made?.principalId], ["sign-in-link-created", "system"]);
  const visitor = createVisitor(app);
  for (let opened = 0; opened < 3; opened++) {
    assert.equal((await visitor.get(`recover?code=${code}`)).title, `Sign in as ${user.username}`);
  }
  const done = await visitor.post(`recover?code=${code}`, { password: PASSWORD });
  assert.deepEqual([done.status, done.location], [303, "./"], done.problem ?? "");
  assert.equal((await visitor.get("account")).status, 200);
  assert.equal((await createVisitor(app).post(`recover?code=${code}`, { password: "" })).status, 404, "it was used");
  const login = user.username;
  assert.equal((await createVisitor(app).post("sign-in", { login, password: PASSWORD })).status, 303);
});

test("a link does not take the form of a set-up, which says where mail goes", async () => {
  const user = await createUser();
  await ask(user.username);
  const code = await codeTo(user.email);
  const thief = { name: "Eve", email: `${user.username}@elsewhere.example`, password: PASSWORD };
  assert.equal((await createVisitor(app).post(`set-up?code=${code}`, thief)).status, 404);
  assert.equal((await request("GET", "/v2/user", { token: user.token })).body.user.email, user.email);
  assert.equal((await createVisitor(app).post(`recover?code=${code}`, { password: "" })).status, 303, "it still works");
});

test("a set-up link signs nobody in without a way to sign in again", async () => {
  const user = await createUser();
  const code = (await app.runner.changes.createSignInLink({ name: user.id }, clock.now))?.code;
  assert.equal((await createVisitor(app).post(`recover?code=${code}`, { password: "" })).status, 404);
  assert.equal((await createVisitor(app).get(`set-up?code=${code}`)).status, 200, "it still works");
});

test("of two who use a link at once, one gets in", async () => {
  const user = await createUser();
  await ask(user.username);
  const code = await codeTo(user.email);
  const twins = await Promise.all([1, 2].map(() => createVisitor(app).post(`recover?code=${code}`, { password: "" })));
  assert.deepEqual(twins.map(({ status }) => status).toSorted(), [303, 404]);
});

const countLinks = async ({ id }: TestUser) =>
  (await readEvents(id)).filter(({ type }) => type === "sign-in-link-created").length;

test("who keeps asking takes no link from its reader, and keeps no later one from them", async () => {
  const user = await createUser();
  await ask(user.username);
  const first = await codeTo(user.email);
  for (let count = 0; count < 7; count++) await queue(count % 2 === 0 ? user.username : user.email);
  assert.equal(await countLinks(user), 1);
  assert.equal((await createVisitor(app).get(`recover?code=${first}`)).status, 200);
  clock.advance(HOUR_MS);
  assert.equal(
    (await createVisitor(app).post(`recover?code=${first}`, { password: "" })).status,
    404,
    "an hour is over",
  );
  let last = "";
  for (let hour = 2; hour <= 7; hour++) {
    if (hour > 2) clock.advance(HOUR_MS);
    await queue(user.username);
    await queue(user.username);
    assert.equal(await countLinks(user), hour);
    last = await codeTo(user.email, hour);
  }
  const used = await createVisitor(app).post(`recover?code=${last}`, { password: "" });
  assert.equal(used.status, 303, used.problem ?? "");
  await queue(user.username);
  assert.equal(await countLinks(user), 8, "one that was used makes way for the next");
});

test("of those who ask at once, one has a mail sent", async () => {
  const user = await createUser();
  await Promise.all([1, 2, 3, 4].map(() => queue(user.username)));
  assert.equal(await countLinks(user), 1);
});

test("a link ends with the address that it was sent to", async () => {
  const user = await createUser();
  await ask(user.username);
  const code = await codeTo(user.email);
  const email = `${uniqueName("moved")}@example.com`;
  assert.equal((await request("PATCH", `/v1/users/${user.id}`, { body: { email } })).status, 200);
  const visitor = createVisitor(app);
  assert.equal((await visitor.get(`recover?code=${code}`)).status, 404);
  assert.equal((await visitor.post(`recover?code=${code}`, { password: "" })).status, 404);
  await ask(user.username);
  assert.equal(
    (await visitor.get(`recover?code=${await codeTo(email)}`)).status,
    200,
    "the new address gets one at once",
  );
});

test("accounts that exist, do not, are suspended or have not confirmed their address get the same response", async () => {
  const [present, suspended, unconfirmed] = [await createUser(), await createUser(), await createUser()];
  await request("PATCH", `/v1/users/${suspended.id}`, { body: { suspended: true } });
  await query(`update users set email_confirmed_at = null where id = '${unconfirmed.id}'`);
  const absent: Pick<TestUser, "email" | "username"> = {
    email: `${uniqueName("nobody")}@example.com`,
    username: uniqueName("nobody"),
  };
  const people = [present, suspended, unconfirmed, absent];
  const answers = new Set<string>();
  for (const login of people.flatMap(({ email, username }) => [email, username])) {
    const { status, location, html, headers } = await ask(login);
    answers.add(JSON.stringify({ status, location, html, cookie: headers["set-cookie"] }));
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
  await codeTo(present.email);
  for (const { email, username } of people.slice(1)) {
    for (const login of [email, username]) await queue(login);
    assert.deepEqual([await rowsTo(email), mailsTo(email, mailServer)], [[], []]);
  }
});

test("a client that asks for many is refused, and others are not", async () => {
  const user = await createUser();
  const ip = "203.0.113.50";
  let refused;
  for (let count = 0; count < 110 && refused === undefined; count++) {
    const answer = await ask(`nobody-${count}`, ip);
    if (answer.status !== 303) refused = answer;
  }
  assert.equal(refused?.status, 429);
  assert.match(refused?.problem ?? "", /^Too many mails were asked for from your network: try again after 2030-/);
  assert.equal((await ask(user.username, ip)).status, 429);
  assert.equal((await ask(user.username, "203.0.113.51")).status, 303);
});

test("a form of another site sends nothing", async () => {
  const user = await createUser();
  const visitor = createVisitor(app);
  const form = { action: "mail", login: user.username };
  assert.equal((await visitor.post("recover", form, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.deepEqual(await rowsTo(user.email), []);
  assert.equal(
    (await readEvents(user.id)).some(({ type }) => type === "sign-in-link-created"),
    false,
  );
});

test("a server without mail shows no form for it, and says what its operator would set", async () => {
  const silent = await startOwnApp();
  const visitor = createVisitor(silent.app);
  assert.equal((await visitor.get("recover")).html.includes('value="mail"'), false);
  const refused = await visitor.post("recover", { action: "mail", login: "ada" });
  assert.deepEqual(
    [refused.status, refused.problem],
    [403, "This server sends no mail (REEVE_SMTP_URL): ask its operator for a link (reeve user sign-in-link NAME)"],
  );
});
