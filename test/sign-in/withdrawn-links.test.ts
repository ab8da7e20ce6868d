// What a new password and signing out everywhere withdraw: links that sign in, mailed or made by the operator, and pending changes of
// the address.
import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../harness/test-app.ts";
import type { TestResponse, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { mailsTo, startMailWorld } from "../mail/mail-world.ts";
import { openSession } from "./open-session.ts";
import { createVisitor } from "./visitor.ts";

const mailServer = await startMailServer();
const world = await startMailWorld(mailServer);
const { app, clock, createUser, query, request } = world;
/** Sends a request as a page does. */
type Send = (method: string, path: string, body?: object) => Promise<TestResponse>;
const PASSWORD = "correct horse battery staple";

async function codeTo(recipient: string, page: string): Promise<string> {
  const pattern = new RegExp(`/console/${page}\\?code=(\\w{43})$`, "m");
  const find = () => mailsTo(recipient, mailServer).flatMap(({ text }) => pattern.exec(text)?.[1] ?? [])[0];
  return await waitFor(`a mail to ${recipient} with a link to ${page}`, find);
}

async function operatorsLink({ id }: TestUser): Promise<string> {
  const link = await app.runner.changes.createSignInLink({ name: id }, clock.now);
  assert.ok(link);
  return link.code;
}

/** Somebody with a password, who has another session and waits for a change of their address to be confirmed. */
async function newPerson() {
  const user = await createUser();
  const { session } = await openSession(world, user);
  // The server is at an https address, so browsers send the cookie with its prefix.
  const headers = { cookie: `__Host-reeve=${session}`, "sec-fetch-site": "same-origin" };
  const send: Send = (method, path, body) => request(method, path, { token: null, headers, ...(body && { body }) });
  const set = await send("PUT", "/v1/user/password", { password: PASSWORD });
  assert.equal(set.status, 200, set.text);
  const email = `${uniqueName("next")}@example.com`;
  const asked = await send("POST", "/v1/user/email", { email });
  assert.equal(asked.status, 200, asked.text);
  const changes = [await codeTo(user.email, "confirm-email"), await codeTo(email, "confirm-email")];
  return { user, send, changes };
}

const statusOf = async (path: string) => (await createVisitor(app).get(path)).status;

const WAYS = {
  "a new password": (send: Send) => send("PUT", "/v1/user/password", { password: "another horse battery staple" }),
  "signing out everywhere": (send: Send) => send("DELETE", "/v1/sessions"),
  "signing out everywhere else": (send: Send) => send("DELETE", "/v1/sessions?keepCurrent=true"),
};

for (const [name, withdraw] of Object.entries(WAYS)) {
  test(`${name} withdraws a mailed link and a pending change of the address`, async () => {
    const { user, send, changes } = await newPerson();
    await createVisitor(app).post("recover", { action: "mail", login: user.username });
    const recovery = await codeTo(user.email, "recover");
    assert.equal(await statusOf(`recover?code=${recovery}`), 200);
    const done = await withdraw(send);
    assert.equal(done.status, 200, done.text);
    assert.equal(await statusOf(`recover?code=${recovery}`), 404);
    assert.equal((await createVisitor(app).post(`recover?code=${recovery}`, { password: "" })).status, 404);
    for (const code of changes) {
      assert.equal((await createVisitor(app).post(`confirm-email?code=${code}`, {})).status, 404);
    }
    const [row] = await query(`select email from users where id = '${user.id}'`);
    assert.equal(row?.["email"], user.email);
  });

  test(`${name} withdraws a link of the operator`, async () => {
    const { user, send } = await newPerson();
    const code = await operatorsLink(user);
    assert.equal(await statusOf(`recover?code=${code}`), 200);
    assert.equal((await withdraw(send)).status, 200);
    assert.equal(await statusOf(`recover?code=${code}`), 404);
  });
}

test("a password that is set by a link withdraws the change of the address that somebody asked for", async () => {
  const { user, changes } = await newPerson();
  const code = await operatorsLink(user);
  const done = await createVisitor(app).post(`recover?code=${code}`, { password: "a third horse battery staple" });
  assert.equal(done.status, 303, done.problem ?? "");
  for (const change of changes) {
    assert.equal((await createVisitor(app).post(`confirm-email?code=${change}`, {})).status, 404);
  }
});
