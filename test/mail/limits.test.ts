// The limits of mail that a user or a team may cause, also against attempts to evade them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { inject } from "../harness/inject.ts";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { TestResponse, TestApp, TestUser } from "../harness/test-app.ts";
import { addressOf } from "./mail-world.ts";

/** Nothing listens at this address: mails stay in the queue. */
const MAILING = { smtpUrl: "smtp://127.0.0.1:1", publicUrl: "https://reeve.example" };

async function countOf({ query }: TestApp): Promise<number> {
  return Number((await query("select count(*) as mails from mails"))[0]?.["mails"]);
}

function inviting(api: TestApp, { token }: { readonly token: string }, teamId: string, app = api.app) {
  return (body: unknown = { email: addressOf("stranger") }): Promise<TestResponse> =>
    send(app, "POST", `/v1/teams/${teamId}/members`, { token, body });
}

function assertTooMany(
  { status, body, headers, text }: TestResponse,
  limit: number,
  setting: string,
  waitS: number,
): void {
  assert.deepEqual([status, body.error?.code], [429, "too_many_mails"], text);
  assert.deepEqual([body.error.limit, body.error.setting], [limit, setting]);
  assert.ok(body.error.message.includes(setting), text);
  assert.equal(headers["retry-after"], String(waitS));
}

test("a user may have so many mails sent in a day, over all teams, keys, processes and restarts", async () => {
  const api = await startOwnApp({ ...MAILING, mailUserLimit: "5" });
  api.clock.advance(HOUR_MS);
  const owner = await api.createUser();
  const [one, other] = [await api.createTeam(owner), await api.createTeam(owner)];
  const wait = (DAY_MS - HOUR_MS) / 1_000;
  assert.equal((await inviting(api, owner, one.id)()).status, 200);
  const refused = await inviting(api, owner, one.id)(Array.from({ length: 5 }, () => ({ email: addressOf("many") })));
  assertTooMany(refused, 5, "REEVE_MAIL_USER_LIMIT", wait);
  // All or none: a refused call has neither invited nor counted.
  assert.equal(await countOf(api), 1);
  const beside = await api.startAnother();
  assert.equal((await inviting(api, owner, other.id, beside)()).status, 200);
  await api.app.close();
  const again = await api.startAnother();
  for (let mails = 3; mails <= 5; mails++) assert.equal((await inviting(api, owner, one.id, again)()).status, 200);
  const post = (path: string, token: string, body: unknown) => send(again, "POST", path, { token, body });
  const made = await post(`/v1/api-keys?teamId=${other.id}`, owner.token, { name: "ci", role: "OWNER" });
  assert.equal(made.status, 200, made.text);
  const key: string = made.body.value;
  const second = await post(`/v1/api-keys?teamId=${other.id}`, key, { name: "made by a key", role: "OWNER" });
  assert.equal(second.status, 200, second.text);
  const third = await post("/v1/teams", owner.token, { slug: "third-of-them" });
  for (const [token, teamId] of [
    [owner.token, one.id],
    [owner.token, third.body.id],
    [key, other.id],
    [second.body.value, other.id],
  ]) {
    assertTooMany(await inviting(api, { token }, teamId, again)(), 5, "REEVE_MAIL_USER_LIMIT", wait);
  }
  api.clock.advance(DAY_MS);
  assert.equal((await inviting(api, owner, one.id, again)()).status, 200);
  await again.runner.changes.pruneMailCounts(null, api.clock.now);
  assert.equal((await api.query("select 1 from mail_counts")).length, 2);
});

test("a team may have so many invitations sent, of all who invite, and sending one again counts", async () => {
  const api = await startOwnApp({ ...MAILING, mailTeamLimit: "3", mailUserLimit: "0" });
  const [owner, colleague] = [await api.createUser(), await api.createUser()];
  const team = await api.createTeam(owner);
  const invite = inviting(api, owner, team.id);
  assert.equal((await invite({ uid: colleague.id, role: "OWNER" })).status, 200);
  await api.request("POST", "/v1/teams/join", { token: colleague.token, body: { teamId: team.id } });
  const invited = await inviting(api, colleague, team.id)();
  const resend = () =>
    api.request("POST", `/v1/teams/${team.id}/invites/${invited.body.uid}/resend`, { token: owner.token });
  assert.equal((await resend()).status, 200);
  for (const refused of [await resend(), await invite(), await inviting(api, colleague, team.id)()]) {
    assertTooMany(refused, 3, "REEVE_MAIL_TEAM_LIMIT", DAY_MS / 1_000);
  }
  assert.equal((await inviting(api, owner, (await api.createTeam(owner)).id)()).status, 200);
});

test("concurrent requests can't exceed a limit", async () => {
  const api = await startOwnApp({ ...MAILING, mailUserLimit: "4" });
  const owner = await api.createUser();
  const teams = await Promise.all(Array.from({ length: 4 }, () => api.createTeam(owner)));
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, at) => inviting(api, owner, teams[at % 4]?.id ?? "")()),
  );
  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [
    ...Array.from({ length: 4 }, () => 200),
    ...Array.from({ length: 8 }, () => 429),
  ]);
  assert.equal(await countOf(api), 4);
});

test("the limit does not refuse asking to join or confirming, and bounds their mail", async () => {
  const api = await startOwnApp({ ...MAILING, mailUserLimit: "1" });
  const [owner, guest] = [await api.createUser(), await api.createUser()];
  const teams = [await api.createTeam(owner), await api.createTeam(owner)];
  const ask = (team: { readonly id: string }, { token }: TestUser) =>
    api.request("POST", `/v1/teams/${team.id}/request`, { token });
  for (const team of teams) {
    assert.equal((await ask(team, guest)).status, 200);
    const path = `/v1/teams/${team.id}/members/${guest.id}`;
    const confirmed = await api.request("PATCH", path, { token: owner.token, body: { confirmed: true } });
    assert.equal(confirmed.status, 200, confirmed.text);
  }
  const kinds = await api.query("select kind from mails order by kind");
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ["access-request", "access-request-confirmed"],
  );
});

test("without mail nothing is counted", async () => {
  const silent = await startOwnApp({ mailUserLimit: "1" });
  const owner = await silent.createUser();
  const team = await silent.createTeam(owner);
  for (let count = 0; count < 3; count++) assert.equal((await inviting(silent, owner, team.id)()).status, 200);
  assert.deepEqual(await silent.query("select 1 from mail_counts"), []);
  assert.equal((await inject(silent.app, { method: "GET", url: "/mail/stop/nothing" })).statusCode, 404);
});
