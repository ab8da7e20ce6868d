import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { startOwnApp, startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestApp } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";

// Nothing listens at this address: mails stay in the queue.
const mailing = await startOwnApp({ smtpUrl: "smtp://127.0.0.1:1" });
const silent = await startTestApp();

async function queued({ query }: TestApp) {
  const rows = await query("select kind, recipient, payload from mails order by created_at, id");
  return rows.map((row) => ({
    kind: row["kind"] as string,
    recipient: row["recipient"] as string,
    payload: JSON.parse(row["payload"] as string) as Record<string, unknown>,
  }));
}

/** Does everything that sends mail. Returns the people, and the responses to the two invitations of an address. */
async function invitesAndRequests(api: TestApp) {
  const [owner, guest, asking] = [await api.createUser(), await api.createUser(), await api.createUser()];
  const team = await openTeam(api, owner);
  const email = `${uniqueName("new")}@example.com`;
  await team.invite({ uid: guest.id, role: "VIEWER" });
  const invited = await team.invite({ email });
  const resent = await api.request("POST", `/v1/teams/${team.id}/invites/${invited.body.uid}/resend`, {
    token: owner.token,
  });
  await team.ask(asking);
  await team.change(asking, { confirmed: true });
  assert.equal((await team.ask(asking)).status, 400);
  return { owner, guest, asking, team, email, invited, resent };
}

function canonical(payload: object): string {
  return JSON.stringify(Object.entries(payload).toSorted(([a], [b]) => a.localeCompare(b)));
}

test("without mail nothing is queued, and responses carry the codes", async () => {
  const { invited, resent } = await invitesAndRequests(silent);
  assert.match(invited.body.code, /^[0-9A-Za-z]{40}$/);
  assert.match(resent.body.code, /^[0-9A-Za-z]{40}$/);
  assert.deepEqual(await queued(silent), []);
});

test("with mail one message is queued for each action, without a code, and no response carries one", async () => {
  const { owner, guest, asking, team, email, invited, resent } = await invitesAndRequests(mailing);
  assert.equal("code" in invited.body, false);
  assert.equal("code" in resent.body, false);
  const about = { teamId: team.id, teamSlug: team.slug, teamName: team.slug };
  const invitation = {
    ...about,
    inviteId: invited.body.uid,
    role: "MEMBER",
    inviterName: owner.username,
    expiresAt: mailing.clock.now + 7 * DAY_MS,
  };
  const expected = [
    { kind: "invite", recipient: guest.email, payload: { ...invitation, inviteId: null, role: "VIEWER" } },
    { kind: "invite", recipient: email, payload: invitation },
    {
      kind: "access-request",
      recipient: owner.email,
      payload: { ...about, userId: asking.id, username: asking.username },
    },
    { kind: "access-request-confirmed", recipient: asking.email, payload: { ...about, role: "MEMBER" } },
  ];
  // The invitation that was sent again is queued twice, unless the mailer has deleted the older mail by now.
  const texts = (mails: readonly { readonly kind: string; readonly recipient: string; readonly payload: object }[]) =>
    [...new Set(mails.map(({ kind, recipient, payload }) => `${kind} ${recipient} ${canonical(payload)}`))].toSorted();
  assert.deepEqual(texts(await queued(mailing)), texts(expected));
  const shareable = await mailing.request("POST", `/v1/teams/${team.id}/invites`, {
    token: owner.token,
    body: { email },
  });
  assert.match(shareable.body.code, /^[0-9A-Za-z]{40}$/, "a shareable code is handed over by its creator");
});
