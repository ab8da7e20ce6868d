import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { clock, createUser, query, request } = api;

test("those who manage members see the day on which each was last active, and others see their own", async () => {
  const team = await openTeam(api, await createUser());
  const [member, idle] = [await createUser(), await createUser()];
  await team.add(member, "MEMBER");
  await team.add(idle, "VIEWER");
  const monday = clock.now - (clock.now % DAY_MS) - 9 * DAY_MS;
  const used = (table: string, user: { readonly id: string }, at: number) =>
    query(`update ${table} set active_at = ${at} where user_id = '${user.id}'`);
  await openSession(api, member);
  await used("access_tokens", member, monday + 5_000);
  await used("sessions", member, monday + 2 * DAY_MS + 7_000);
  await used("access_tokens", idle, monday + DAY_MS + 1);
  const daysFor = async (token: string, more = "withActivity=true") => {
    const { body, text } = await request("GET", `/v2/teams/${team.id}/members?limit=100&${more}`, { token });
    assert.ok(body.members, text);
    const entries = body.members.map(({ uid, activeAt }: Body) => [uid, activeAt]);
    return new Map<string, number | undefined>(entries);
  };
  const seen = await daysFor(team.owner.token);
  assert.equal(seen.get(member.id), monday + 2 * DAY_MS, "the later of both, without its time of day");
  assert.equal(seen.get(idle.id), monday + DAY_MS);
  await used("sessions", member, monday + 3 * DAY_MS);
  assert.equal((await daysFor(team.owner.token)).get(member.id), monday + 3 * DAY_MS, "no cached response");
  const own = await daysFor(member.token);
  assert.deepEqual([own.get(idle.id), own.get(team.owner.id)], [undefined, undefined]);
  assert.equal(typeof own.get(member.id), "number");
  assert.deepEqual([...new Set((await daysFor(team.owner.token, "search=")).values())], [undefined]);
});
