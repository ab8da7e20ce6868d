// Revoking tokens of programs, and asking whether they are valid. RFC 7009 and RFC 7662
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { createOAuthClient } from "../../../test/sign-in/oauth-client.ts";

const client = await startTestApp();
const { clock, request, createUser, readEvents } = client;
const { post, signIn } = createOAuthClient(client);

async function introspect(token: string) {
  const { status, body } = await post("/oauth/introspect", { token });
  assert.equal(status, 200);
  return body;
}

test("a token of a program is active until it ends, and says for whom", async () => {
  const user = await createUser();
  const token = await signIn(user, { lifetime: "1" });
  const { active, sub, client_id: clientId, scope, token_type: type } = await introspect(token);
  assert.deepEqual([active, sub, clientId, scope, type], [true, user.id, "reeve-cli", "api", "Bearer"]);
  clock.advance(86_400_000);
  assert.deepEqual(await introspect(token), { active: false });
});

test("deleting the token in Reeve makes it inactive, and so does suspending its user", async () => {
  const user = await createUser();
  const [token, other] = [await signIn(user), await signIn(user)];
  assert.equal((await request("DELETE", "/v3/user/tokens/current", { token })).status, 200);
  assert.deepEqual(await introspect(token), { active: false });
  assert.equal((await introspect(other)).active, true);
  await request("PATCH", `/v1/users/${user.id}`, { body: { suspended: true } });
  assert.deepEqual(await introspect(other), { active: false });
});

test("revoking deletes the token in Reeve, is recorded, and says the same of a token that is none", async () => {
  const user = await createUser();
  const token = await signIn(user);
  const { id } = (await request("GET", "/v5/user/tokens/current", { token })).body.token;
  for (const value of [token, token, "rvt_nothing"]) {
    const { status, text } = await post("/oauth/revoke", { token: value });
    assert.deepEqual([status, text], [200, ""]);
  }
  assert.equal((await request("GET", "/v2/user", { token })).status, 401);
  const event = (await readEvents(user.id)).at(-1);
  assert.deepEqual([event?.type, event?.entityId, event?.payload.actorTokenId], ["user-token-deleted", id, id]);
  assert.equal(event?.principalId, user.id);
});

test("a token that no program asked for is nobody's to ask about or to revoke here", async () => {
  const user = await createUser();
  assert.deepEqual(await introspect(user.token), { active: false });
  assert.equal((await post("/oauth/revoke", { token: user.token })).status, 200);
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 200);
});
