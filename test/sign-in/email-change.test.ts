// Changing one's own e-mail address: both addresses confirm by a link, with a real mail server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestApp, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { mailsTo, startMailWorld } from "../mail/mail-world.ts";
import { createVisitor } from "./visitor.ts";
import type { Visitor } from "./visitor.ts";

const mailServer = await startMailServer();
const world = await startMailWorld(mailServer);
const { app, clock, createUser, query, readEvents, request, rowsTo } = world;

/** A browser in which somebody is signed in. */
async function signIn({ app: { runner } }: Pick<TestApp, "app">, user: TestUser): Promise<Visitor> {
  const link = await runner.changes.createSignInLink({ name: user.id }, clock.now);
  const visitor = createVisitor(app);
  const form = { email: user.email, name: "Ada", password: "correct horse battery staple" };
  const done = await visitor.post(`set-up?code=${link?.code}`, form);
  assert.equal(done.status, 303, done.problem ?? "");
  return visitor;
}

const newAddress = () => `${uniqueName("new")}@example.com`;
const change = (visitor: Visitor, email: string) => visitor.post("account", { action: "change-email", email });
const confirm = (code: string) => createVisitor(app).post(`confirm-email?code=${code}`, {});

/** The code of the newest of so many mails. */
async function codeTo(recipient: string, mails = 1): Promise<string> {
  const mail = await waitFor(`mail ${mails} to ${recipient}`, () => mailsTo(recipient, mailServer)[mails - 1]);
  const code = /^https:\/\/reeve\.example\/console\/confirm-email\?code=(\w{43})$/m.exec(mail.text)?.[1];
  assert.ok(code, mail.text);
  return code;
}

async function addressOf({ id }: TestUser) {
  const [row] = await query(`select email, email_confirmed_at from users where id = '${id}'`);
  return { email: row?.["email"], isConfirmed: row?.["email_confirmed_at"] !== null };
}

for (const order of [
  ["old", "new"],
  ["new", "old"],
] as const) {
  test(`an address changes when both have confirmed, the ${order[0]} one first`, async () => {
    const user = await createUser();
    const visitor = await signIn(world, user);
    const email = newAddress();
    const asked = await change(visitor, email);
    assert.deepEqual([asked.status, asked.location], [303, "account"], asked.problem ?? "");
    const recorded = (await readEvents(user.id)).at(-1);
    assert.deepEqual(
      [recorded?.type, recorded?.payload],
      ["email-change-requested", { uid: user.id, email, prevEmail: user.email }],
    );
    const shown = (await visitor.get("account")).html.replace(/\s+/g, " ");
    assert.match(shown, /when the old address and the new address have confirmed/);
    const codes = { old: await codeTo(user.email), new: await codeTo(email) };
    for (let opened = 0; opened < 3; opened++) {
      const page = await createVisitor(app).get(`confirm-email?code=${codes[order[0]]}`);
      assert.deepEqual([page.status, page.title], [200, "Confirm an e-mail address"]);
      for (const text of [user.username, user.email, email]) assert.ok(page.html.includes(text), text);
    }
    assert.equal((await confirm(codes[order[0]])).location, `confirm-email?done=${order[1]}`);
    assert.equal((await confirm(codes[order[0]])).status, 404, "a link works once");
    assert.deepEqual(await addressOf(user), { email: user.email, isConfirmed: true });
    assert.match((await visitor.get("account")).html, new RegExp(`when the ${order[1]} address\\s+has confirmed`));
    assert.equal((await confirm(codes[order[1]])).location, "confirm-email?done=changed");
    assert.deepEqual(await addressOf(user), { email, isConfirmed: true });
    const event = (await readEvents(user.id)).at(-1);
    assert.deepEqual([event?.type, event?.payload], ["email", { email, prevEmail: user.email }]);
  });
}

test("two confirmations at the same time change the address once, and of twins of one link one works", async () => {
  const user = await createUser();
  const email = newAddress();
  await change(await signIn(world, user), email);
  const codes = [await codeTo(user.email), await codeTo(email)];
  const answers = await Promise.all([...codes, ...codes].map(confirm));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 303, 404, 404]);
  assert.deepEqual(await addressOf(user), { email, isConfirmed: true });
  assert.equal((await readEvents(user.id)).filter(({ type }) => type === "email").length, 1);
});

test("a later change replaces an earlier one, and each ends after a day", async () => {
  const user = await createUser();
  const visitor = await signIn(world, user);
  const [first, second] = [newAddress(), newAddress()];
  await change(visitor, first);
  const earlier = [await codeTo(user.email), await codeTo(first)];
  await change(visitor, second);
  for (const code of earlier) assert.equal((await confirm(code)).status, 404);
  const later = [await codeTo(user.email, 2), await codeTo(second)] as const;
  assert.equal((await confirm(later[0])).status, 303);
  clock.advance(DAY_MS);
  assert.equal((await confirm(later[1])).status, 404);
  assert.deepEqual(await addressOf(user), { email: user.email, isConfirmed: true });
});

test("a link ends when the account gets another address meanwhile", async () => {
  const user = await createUser();
  const email = newAddress();
  const visitor = await signIn(world, user);
  await change(visitor, email);
  const codes = [await codeTo(user.email), await codeTo(email)];
  assert.ok((await visitor.get("account")).html.includes(email));
  const moved = newAddress();
  await request("PATCH", `/v1/users/${user.id}`, { body: { email: moved } });
  assert.equal((await visitor.get("account")).html.includes(email), false, "no change is pending");
  const origin = { ip: "192.0.2.1", userAgent: null, requestId: "req_test", via: "http" } as const;
  for (const code of [...codes, "unknown"]) {
    assert.equal((await visitor.get(`confirm-email?code=${code}`)).status, 404);
    assert.equal((await confirm(code)).status, 404);
    // As when the page was opened before.
    await assert.rejects(app.runner.changes.confirmEmail({ code, origin }, clock.now), { code: "link_unknown" });
  }
  assert.deepEqual(await addressOf(user), { email: moved, isConfirmed: true });
});

test("an address that another account has is disclosed only to the person who reads its mail", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const visitor = await signIn(world, user);
  const free = newAddress();
  const told = [await change(visitor, free)];
  // Links that are replaced before their mail leaves are not sent.
  await codeTo(user.email);
  told.push(await change(visitor, other.email));
  assert.deepEqual(new Set(told.map(({ status, location, html }) => `${status} ${location} ${html}`)).size, 1);
  assert.equal((await confirm(await codeTo(user.email, 2))).location, "confirm-email?done=new");
  const refused = await confirm(await codeTo(other.email));
  assert.deepEqual([refused.status, refused.problem], [409, "E-mail: another account has this address"]);
  assert.deepEqual(await addressOf(user), { email: user.email, isConfirmed: true });
  // Anyone who confirms the new address first learns it then, not when the old one has confirmed too.
  const third = await createUser();
  await change(await signIn(world, third), other.email);
  assert.equal((await confirm(await codeTo(other.email, 2))).problem, "E-mail: another account has this address");
});

test("who confirms an address gets it from an account that has not", async () => {
  const [user, squatter, email] = [await createUser(), await createUser(), newAddress()];
  await query(
    `update users set email = '${email}', email_key = '${email}', email_confirmed_at = null where id = '${squatter.id}'`,
  );
  const visitor = await signIn(world, user);
  await change(visitor, email);
  await confirm(await codeTo(user.email));
  assert.equal((await confirm(await codeTo(email))).location, "confirm-email?done=changed");
  assert.deepEqual(await addressOf(user), { email, isConfirmed: true });
  // The other one is told what anybody is told, and can have an address of their own.
  const guest = await signIn(world, squatter);
  await change(guest, email);
  assert.equal((await confirm(await codeTo(email, 2))).problem, "E-mail: another account has this address");
  const own = newAddress();
  await change(guest, own);
  assert.equal((await confirm(await codeTo(own))).location, "confirm-email?done=changed");
  assert.deepEqual(await addressOf(squatter), { email: own, isConfirmed: true });
});

test("an address that nobody has confirmed is confirmed by its own link, and has no word in a change", async () => {
  const user = await createUser();
  const visitor = await signIn(world, user);
  await query(`update users set email_confirmed_at = null where id = '${user.id}'`);
  assert.match((await visitor.get("account")).html, /not confirmed/);
  await change(visitor, user.email);
  assert.equal((await confirm(await codeTo(user.email))).location, "confirm-email?done=changed");
  assert.deepEqual(await addressOf(user), { email: user.email, isConfirmed: true });
  const again = await change(visitor, user.email);
  assert.deepEqual([again.status, again.problem], [400, "New address: This is your address already"]);

  const stranger = await createUser();
  const guest = await signIn(world, stranger);
  await query(`update users set email_confirmed_at = null where id = '${stranger.id}'`);
  const email = newAddress();
  await change(guest, email);
  assert.equal((await confirm(await codeTo(email))).location, "confirm-email?done=changed");
  assert.deepEqual(await rowsTo(stranger.email), []);
  assert.deepEqual(mailsTo(stranger.email, mailServer), []);
});

test("an address that somebody types in when they set up their account is not confirmed", async () => {
  const [user, email] = [await createUser(), newAddress()];
  await signIn(world, { ...user, email });
  assert.deepEqual(await addressOf(user), { email, isConfirmed: false });
});

test("a change needs a fresh proof and the form of an address, and goes to nobody too often", async () => {
  const user = await createUser();
  const visitor = await signIn(world, user);
  assert.equal((await change(visitor, "no address")).status, 400);
  const email = newAddress();
  for (let count = 0; count < 5; count++) assert.equal((await change(visitor, email)).status, 303);
  const refused = await change(visitor, email);
  assert.deepEqual([refused.status, Number(refused.headers["retry-after"]) > 0], [429, true]);
  assert.match(
    refused.problem ?? "",
    /^New address: This address was sent too many mails today: try again after 2030-01-\d\d 00:00 UTC$/,
  );
  clock.advance(10 * MINUTE_MS);
  assert.equal((await change(visitor, newAddress())).location, "prove?return=account");
});

test("without mail an administrator's own address changes at once, and others are told who can change theirs", async () => {
  const silent = await startOwnApp();
  const person = await silent.createUser();
  const sign = async (user: TestUser) => {
    const link = await silent.app.runner.changes.createSignInLink({ name: user.id }, silent.clock.now);
    const visitor = createVisitor(silent.app);
    const form = { email: user.email, password: "correct horse battery staple" };
    await visitor.post(`set-up?code=${link?.code}`, form);
    return visitor;
  };
  const visitor = await sign(person);
  assert.equal((await visitor.get("account")).html.includes("change-email"), false);
  const refused = await change(visitor, newAddress());
  assert.deepEqual(
    [refused.status, refused.problem],
    [403, "This server sends no mail (REEVE_SMTP_URL): an administrator can change your address"],
  );
  const administrator = await sign(silent.admin);
  assert.equal((await change(administrator, "root@example.com")).status, 303);
  assert.equal((await silent.request("GET", "/v2/user")).body.user.email, "root@example.com");
});
