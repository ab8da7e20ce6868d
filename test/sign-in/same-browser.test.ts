// Signing in again in a browser that is signed in: its earlier session ends, no matter who it was of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { createVisitor } from "./visitor.ts";
import type { Visitor } from "./visitor.ts";

const { app, clock, createUser, request } = await startTestApp();
const PASSWORD = "correct horse battery staple";

async function linkOf({ id }: TestUser): Promise<string> {
  return (await app.runner.changes.createSignInLink({ name: id }, clock.now))?.code ?? "";
}

async function setUp(visitor: Visitor, user: TestUser): Promise<void> {
  const form = { name: "Ada", email: user.email, password: PASSWORD };
  const done = await visitor.post(`set-up?code=${await linkOf(user)}`, form);
  assert.equal(done.status, 303, done.problem ?? "");
}

const sessionOf = (visitor: Visitor) => visitor.cookies.get("reeve") as string;
const isOpen = async (session: string) => (await request("GET", "/v2/user", { session })).status === 200;
const countOf = async ({ token }: TestUser) => (await request("GET", "/v1/sessions", { token })).body.sessions.length;

test("signing in again ends the earlier session of that browser, and none of others", async () => {
  const user = await createUser();
  const [visitor, elsewhere] = [createVisitor(app), createVisitor(app)];
  await setUp(visitor, user);
  const signIn = (browser: Visitor) => browser.post("sign-in", { login: user.username, password: PASSWORD });
  await signIn(elsewhere);
  for (let again = 0; again < 3; again++) {
    const earlier = sessionOf(visitor);
    assert.equal((await signIn(visitor)).status, 303);
    assert.deepEqual([await isOpen(earlier), await isOpen(sessionOf(visitor))], [false, true]);
  }
  assert.equal(await isOpen(sessionOf(elsewhere)), true);
  assert.equal(await countOf(user), 2);
});

test("a wrong password ends nothing", async () => {
  const user = await createUser();
  const visitor = createVisitor(app);
  await setUp(visitor, user);
  const refused = await visitor.post("sign-in", { login: user.username, password: "not this one, surely" });
  assert.notEqual(refused.status, 303);
  assert.equal(await isOpen(sessionOf(visitor)), true);
});

test("a link, and the sign-in of another account, end the session that the browser had", async () => {
  const [first, second] = [await createUser(), await createUser()];
  const visitor = createVisitor(app);
  await setUp(visitor, first);
  const ofFirst = sessionOf(visitor);
  await setUp(visitor, second);
  assert.deepEqual([await isOpen(ofFirst), await countOf(first)], [false, 0]);
  const ofSecond = sessionOf(visitor);
  const done = await visitor.post(`recover?code=${await linkOf(second)}`, { password: "" });
  assert.equal(done.status, 303, done.problem ?? "");
  assert.deepEqual([await isOpen(ofSecond), await countOf(second)], [false, 1]);
  const changed = await visitor.post(`recover?code=${await linkOf(second)}`, { password: `${PASSWORD} again` });
  assert.equal(changed.status, 303, "the new password has ended the earlier session already");
  assert.equal(await countOf(second), 1);
});
