// The join link gives access, so a session is shown it only with a fresh proof, wherever a team is in a response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { sessionAsToken } from "../../../test/sign-in/session-token.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { clock, createTeam, createUser, query, request } = api;

test("a session sees the join link for ten minutes after a proof, and a token at all times", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const { session, id } = await openSession(api, owner);
  const asSession = sessionAsToken(session);
  const responses = async (token: string) => ({
    get: (await request("GET", `/v2/teams/${team.id}`, { token })).body,
    list: (await request("GET", "/v2/teams", { token })).body.teams[0],
    lookup: (await request("GET", "/teams", { token })).body.teams[0],
    patch: (await request("PATCH", `/v2/teams/${team.id}`, { token, body: { description: `${clock.now}` } })).body,
    unchanged: (await request("PATCH", `/v2/teams/${team.id}`, { token, body: {} })).body,
  });
  const shownIn = async (token: string) =>
    Object.entries(await responses(token)).flatMap(([name, body]) => (body.inviteCode === undefined ? [] : [name]));
  const everywhere = ["get", "list", "lookup", "patch", "unchanged"];
  assert.deepEqual(await shownIn(asSession), everywhere);
  clock.advance(10 * MINUTE_MS);
  assert.deepEqual(await shownIn(asSession), []);
  const body = { slug: `${team.slug}-2` };
  const made = await request("POST", "/v1/teams", { token: asSession, body });
  assert.deepEqual([made.status, made.body.inviteCode], [200, undefined], made.text);
  assert.deepEqual(await shownIn(owner.token), everywhere);
  await query(`update sessions set proved_at = ${clock.now} where id = '${id}'`);
  assert.deepEqual(await shownIn(asSession), everywhere, "a proof shows it again");
});
