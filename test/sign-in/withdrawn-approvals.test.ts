// What ends the links to an account ends what it approved for programs too: they get no token for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { createOAuthClient } from "./oauth-client.ts";
import { openSession } from "./open-session.ts";
import { sessionAsToken } from "./session-token.ts";
import { createVisitor } from "./visitor.ts";

const client = await startOwnApp();
const { app, clock, createUser, query, request } = client;
const { begin, decide, poll } = createOAuthClient(client);
const PASSWORD = "another horse battery staple";

async function send(user: TestUser, method: string, path: string, body?: object): Promise<void> {
  const token = sessionAsToken((await openSession(client, user)).session);
  const done = await request(method, path, { token, ...(body && { body }) });
  assert.equal(done.status, 200, done.text);
}

async function suspend({ id }: TestUser, suspended: boolean): Promise<void> {
  const done = await request("PATCH", `/v1/users/${id}`, { body: { suspended } });
  assert.equal(done.status, 200, done.text);
}

const WAYS: Readonly<Record<string, (user: TestUser) => Promise<void>>> = {
  "a new password": (user) => send(user, "PUT", "/v1/user/password", { password: PASSWORD }),
  "signing out everywhere": (user) => send(user, "DELETE", "/v1/sessions"),
  "signing out everywhere else": (user) => send(user, "DELETE", "/v1/sessions?keepCurrent=true"),
  async "a password that is set by a link"({ id }) {
    const link = await app.runner.changes.createSignInLink({ name: id }, clock.now);
    const done = await createVisitor(app).post(`recover?code=${link?.code ?? ""}`, { password: PASSWORD });
    assert.equal(done.status, 303, done.problem ?? "");
  },
  async "a suspension, also when it ends"(user) {
    await suspend(user, true);
    await suspend(user, false);
  },
};

for (const [name, withdraw] of Object.entries(WAYS)) {
  test(`${name} withdraws the approval of a program that has no token yet`, async () => {
    const [user, bystander] = [await createUser(), await createUser()];
    await send(user, "PUT", "/v1/user/password", { password: "correct horse battery staple" });
    const [approved, others] = [await begin(), await begin()];
    assert.equal((await decide(user, approved)).status, 200);
    assert.equal((await decide(bystander, others)).status, 200);
    await withdraw(user);
    const taken = await poll(approved);
    assert.deepEqual([taken.status, taken.body.error], [400, "invalid_grant"], taken.text);
    const tokens = await query(`select id from access_tokens where user_id = '${user.id}' and client_id is not null`);
    assert.equal(tokens.length, 0);
    assert.equal((await poll(others)).status, 200, "approvals of others stay");
  });
}

test("a suspended account's links do not come back with it", async () => {
  const user = await createUser();
  const link = await app.runner.changes.createSignInLink({ name: user.id }, clock.now);
  const page = `set-up?code=${link?.code ?? ""}`;
  assert.equal((await createVisitor(app).get(page)).status, 200);
  await suspend(user, true);
  await suspend(user, false);
  assert.equal((await createVisitor(app).get(page)).status, 404);
});
