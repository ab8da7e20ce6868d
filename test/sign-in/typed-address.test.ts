// An address that somebody types in at a set-up is confirmed by nobody until its mail was answered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, uniqueName } from "../harness/test-app.ts";
import { createVisitor } from "./visitor.ts";

const { app, clock, createUser, query, request } = await startTestApp();

test("an address that is typed in at a set-up is not confirmed, not even an administrator's", async () => {
  for (const admin of [false, true]) {
    const user = await createUser();
    if (admin) await request("PATCH", `/v1/users/${user.id}`, { body: { admin } });
    const link = await app.runner.changes.createSignInLink({ name: user.id }, clock.now);
    const visitor = createVisitor(app);
    const email = `${uniqueName("typed")}@example.com`;
    const form = { name: "Ada", email, password: "correct horse battery staple" };
    const done = await visitor.post(`set-up?code=${link?.code}`, form);
    assert.equal(done.status, 303, done.problem ?? "");
    const session = visitor.cookies.get("reeve") as string;
    const shown = await request("GET", "/v1/user/email", { session });
    assert.deepEqual(shown.body, { email, isConfirmed: false, pending: null });
  }
});

test("the first administrator's address is confirmed by nobody yet", async () => {
  const [row] = await query("select email_confirmed_at from users where username = 'admin'");
  assert.deepEqual({ ...row }, { email_confirmed_at: null });
});
