import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const LIMIT = 4;
const { app, request, clock, createUser, createTeam } = await startOwnApp({ maxTokens: String(LIMIT) });

function createToken({ token }: TestUser, body: object = {}, query = "") {
  return request("POST", `/v3/user/tokens${query}`, { token, body: { name: "CI", ...body } });
}

test("a user has a limited number of tokens over all teams, and the refusal names the setting", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const first = await createToken(user);
  assert.equal(first.status, 200);
  assert.equal((await createToken(user, {}, `?teamId=${team.id}`)).status, 200);
  assert.equal((await createToken(user, { expiresAt: clock.now + HOUR_MS })).status, 200);
  for (const query of ["", `?teamId=${team.id}`]) {
    const { status, body } = await createToken(user, {}, query);
    assert.equal(status, 400);
    assert.equal(body.error.code, "too_many_tokens");
    assert.equal(body.error.limit, LIMIT);
    assert.match(body.error.message, /at most 4 .* REEVE_MAX_TOKENS/);
  }
  assert.equal((await createToken(await createUser())).status, 200, "others have their own");

  assert.equal((await request("DELETE", `/v3/user/tokens/${first.body.token.id}`, { token: user.token })).status, 200);
  assert.equal((await createToken(user)).status, 200, "one was deleted");
  assert.equal((await createToken(user)).status, 400);
  clock.advance(HOUR_MS);
  assert.equal((await createToken(user)).status, 200, "one has ended");
  assert.equal((await createToken(user)).status, 400);
});

test("of ten concurrent requests in different teams, as many get a token as the limit allows", async () => {
  const user = await createUser();
  const teams = [await createTeam(user), await createTeam(user)];
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, at) => createToken(user, {}, at % 3 === 0 ? "" : `?teamId=${teams[at % 2]?.id}`)),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, LIMIT - 1);
  assert.equal(responses.filter(({ body }) => body.error?.code === "too_many_tokens").length, 10 - LIMIT + 1);
});

test("the command line issues a token to a user who has lost all tokens", async () => {
  const user = await createUser();
  for (let at = 1; at < LIMIT; at++) assert.equal((await createToken(user)).status, 200);
  const issued = await app.runner.changes.issueToken({ userId: user.id, name: "cli" }, clock.now);
  assert.equal((await request("GET", "/v2/user", { token: issued.value })).status, 200);
});
