// The link that a mail brings works as long as the person who invited may, whatever credential they did it with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import { createVisitor } from "../sign-in/visitor.ts";
import { startMailServer } from "./mail-server.ts";
import { addressOf, codeIn, firstMailTo, mailsTo, startMailWorld } from "./mail-world.ts";

const mailServer = await startMailServer();
const api = await startMailWorld(mailServer);
const { app, createUser, query, request, untilQueueForgets } = api;

async function openTeamOfTwo() {
  const team = await openTeam(api, await createUser());
  const leaver = await createUser();
  await team.add(leaver, "OWNER");
  return { team, leaver };
}

/** Opens the link of a mail and makes an account there. */
async function accept(code: string): Promise<number> {
  const form = { action: "create", username: uniqueName("guest"), name: "G", password: "correct horse battery staple" };
  return (await createVisitor(app).post(`invitation?code=${code}`, form)).status;
}

async function keyOf({ token }: TestUser, teamQuery: string): Promise<string> {
  const made = await request("POST", `/v1/api-keys${teamQuery}`, { token, body: { name: "key", role: "OWNER" } });
  assert.equal(made.status, 200, made.text);
  return made.body.value;
}

for (const kind of ["token", "key of the team", "key of the account"]) {
  test(`nobody comes back by an invitation that they mailed with a ${kind}`, async () => {
    const { team, leaver } = await openTeamOfTwo();
    const ofTeam = kind === "key of the team" ? `?teamId=${team.id}` : "";
    const token = kind === "token" ? leaver.token : await keyOf(leaver, ofTeam);
    const email = addressOf("guest");
    const invited = await request("POST", `/v1/teams/${team.id}/members`, { token, body: { email, role: "OWNER" } });
    assert.equal(invited.status, 200, invited.text);
    const code = codeIn(await firstMailTo(email, mailServer));
    await untilQueueForgets(email);
    assert.equal((await team.remove(leaver)).status, 200);
    assert.equal(await accept(code), 404);
    const owners = (await team.list("?role=OWNER")).members.filter(
      ({ confirmed }: { confirmed: boolean }) => confirmed,
    );
    assert.equal(owners.length, 1);
  });
}

test("somebody else's renewal makes the invitation of a person who left work", async () => {
  const { team, leaver } = await openTeamOfTwo();
  const email = addressOf("guest");
  const body = { email, role: "VIEWER" };
  await request("POST", `/v1/teams/${team.id}/members`, { token: leaver.token, body });
  await firstMailTo(email, mailServer);
  await untilQueueForgets(email);
  await team.remove(leaver);
  const [invite] = await query(`select id from invites where email = '${email}'`);
  const url = `/v1/teams/${team.id}/invites/${String(invite?.["id"])}/resend`;
  assert.equal((await request("POST", url, { token: team.owner.token })).status, 200);
  await untilQueueForgets(email);
  assert.equal(await accept(codeIn(mailsTo(email, mailServer).at(-1) as never)), 303);
});
