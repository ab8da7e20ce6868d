// Stopping mail from a team by the link in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inject } from "../harness/inject.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "./mail-server.ts";
import type { ReceivedMail } from "./mail-server.ts";
import { addressOf, firstMailTo, mailsTo, startMailWorld } from "./mail-world.ts";

const mailServer = await startMailServer();
const world = await startMailWorld(mailServer);
const { app, openTeam, invite, request, createUser, untilQueueForgets } = world;

function linkIn({ text }: ReceivedMail): string {
  const link = /^https:\/\/reeve\.example(\/mail\/stop\/[\w-]+)$/m.exec(text)?.[1];
  assert.ok(link, text);
  return link;
}

async function visit(method: "GET" | "POST", url: string, form?: string) {
  const headers = form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  return await inject(app, { method, url, headers, ...(form === undefined ? {} : { payload: form }) });
}

/** Invites an address, and waits until its mail is sent or deleted. */
async function inviteFully(into: Parameters<typeof invite>[0], email: string) {
  const response = await invite(into, email);
  await untilQueueForgets(email);
  return response;
}

async function withdraw({ owner, team }: Parameters<typeof invite>[0], inviteId: string): Promise<void> {
  const path = `/v1/teams/${team.id}/invites/${inviteId}`;
  assert.equal((await request("DELETE", path, { token: owner.token })).status, 200);
}

test("every mail of a team has a link that stops them, for people and for mail programs", async () => {
  const into = await openTeam();
  const [guest, stranger] = [await createUser(), addressOf("stranger")];
  await invite(into, stranger);
  await request("POST", `/v1/teams/${into.team.id}/request`, { token: guest.token });
  const path = `/v1/teams/${into.team.id}/members/${guest.id}`;
  await request("PATCH", path, { token: into.owner.token, body: { confirmed: true } });
  const links = new Set<string>();
  for (const recipient of [stranger, into.owner.email, guest.email]) {
    const mail = await firstMailTo(recipient, mailServer);
    const link = linkIn(mail);
    links.add(link);
    assert.equal(mail.headers["list-unsubscribe"], `<https://reeve.example${link}>`);
    assert.equal(mail.headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
    assert.equal(link.includes("@") || link.includes(recipient.slice(0, 6)), false, "the address is not in the link");
  }
  assert.equal(links.size, 3);
});

test("following the link asks for confirmation, confirming stops the team's mail, and the team does not learn of it", async () => {
  const [into, elsewhere] = [await openTeam(), await openTeam()];
  const email = addressOf("tired");
  const arrived = () => mailServer.received.filter(({ recipients }) => recipients[0]?.toLowerCase() === email);
  const first = await inviteFully(into, email);
  const [mail] = mailsTo(email, mailServer);
  const link = linkIn(mail as ReceivedMail);
  // A program that follows links changes nothing.
  for (const method of ["GET", "GET"] as const) {
    const page = await visit(method, link);
    assert.equal(page.statusCode, 200);
    assert.match(page.headers["content-type"] as string, /^text\/html/);
    assert.match(page.headers["content-security-policy"] as string, /default-src 'none'/);
    assert.match(page.body, new RegExp(`${into.team.slug}</strong> may send`));
  }
  await withdraw(into, first.body.uid);
  const second = await inviteFully(into, email);
  assert.equal(mailsTo(email, mailServer).length, 2);
  const stopped = await visit("POST", link, "List-Unsubscribe=One-Click");
  assert.equal(stopped.statusCode, 200);
  assert.match(stopped.body, /sends you no more mail/);
  assert.match((await visit("GET", link)).body, /sends you no more mail/);
  await withdraw(into, second.body.uid);
  const before = (await world.readEvents(into.team.id)).length;
  const third = await inviteFully(into, email.toUpperCase());
  assert.deepEqual([third.status, Object.keys(third.body)], [200, Object.keys(first.body)]);
  assert.equal((await world.readEvents(into.team.id)).length, before + 1);
  assert.equal(arrived().length, 2);
  await inviteFully(elsewhere, email);
  await waitFor("the mail of another team", () => arrived()[2]);
  const resumed = await visit("POST", link.replace("/stop/", "/resume/"));
  assert.match(resumed.body, /may send mail/);
  await request("POST", `/v1/teams/${into.team.id}/invites/${third.body.uid}/resend`, { token: into.owner.token });
  await waitFor("mail again", () => arrived()[3]);
});

test("mail that was queued before the stop is not sent either", async () => {
  const into = await openTeam();
  const email = addressOf("early");
  await inviteFully(into, email);
  const link = linkIn(mailsTo(email, mailServer)[0] as ReceivedMail);
  mailServer.refuse = (recipient) => (recipient === email ? { status: 450, text: "later" } : undefined);
  const [row] = await world.query(`select id from invites where email = '${email}'`);
  await request("POST", `/v1/teams/${into.team.id}/invites/${String(row?.["id"])}/resend`, { token: into.owner.token });
  const dueAt = await world.untilPostponed(email);
  await visit("POST", link);
  mailServer.refuse = () => undefined;
  world.clock.now = dueAt;
  // Any write wakes a process.
  await request("PATCH", "/v2/user", { body: { name: "Awake" } });
  await untilQueueForgets(email);
  assert.equal(mailsTo(email, mailServer).length, 1);
});

test("a forged link, and a link of a deleted team, are not found", async () => {
  const into = await openTeam();
  const email = addressOf("forged");
  await inviteFully(into, email);
  const link = linkIn(mailsTo(email, mailServer)[0] as ReceivedMail);
  const other = await openTeam();
  const changed = link.slice(0, -1) + (link.endsWith("0") ? "1" : "0");
  for (const url of [
    changed,
    link.replace(into.team.id, other.team.id),
    `/mail/stop/${into.team.id}`,
    "/mail/stop/x",
    link.replace(/stop\/./, (start) => `stop/${start.endsWith("A") ? "B" : "A"}`),
  ]) {
    assert.equal((await visit("GET", url)).statusCode, 404, url);
    assert.equal((await visit("POST", url, "")).statusCode, 404, url);
  }
  assert.equal((await visit("POST", link)).statusCode, 200);
  await request("DELETE", `/v1/teams/${into.team.id}`, { token: into.owner.token });
  assert.equal((await visit("GET", link)).statusCode, 404);
  assert.equal((await world.query("select 1 from mail_stops where team_id = '" + into.team.id + "'")).length, 0);
});

test("forged links count as failed credentials of their address", async () => {
  const limited = await startOwnApp({ rateLimit: "3" });
  const ask = async (method: "GET" | "POST", url: string, remoteAddress: string, headers = {}) =>
    await inject(limited.app, { method, url, remoteAddress, headers });
  const bad = { authorization: "Bearer rvt_0123456789abcdef" };
  const statuses = [
    await ask("GET", "/mail/stop/x", "192.0.2.7"),
    await ask("POST", "/mail/resume/x", "192.0.2.7"),
    await ask("GET", "/v2/user", "192.0.2.7", bad),
    await ask("POST", "/mail/stop/x", "192.0.2.7"),
    await ask("GET", "/v2/user", "192.0.2.7", bad),
    await ask("GET", "/mail/stop/x", "192.0.2.8"),
  ].map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses, [404, 404, 401, 429, 429, 404]);
  const refused = await ask("GET", "/mail/stop/x", "192.0.2.7");
  assert.equal(refused.headers["ratelimit-policy"], '"address";q=3;w=60');
  assert.ok(Number(refused.headers["retry-after"]) >= 1);
});

test("a name that is a link is not one in mail", async () => {
  const owner = await createUser();
  const team = await world.createTeam(owner);
  const evil = "Your mailbox is full, see https://evil.example/login or www.evil.example now, before it is too late";
  await request("PATCH", `/v1/teams/${team.id}`, { token: owner.token, body: { name: evil.slice(0, 60) } });
  await request("PATCH", "/v2/user", { token: owner.token, body: { name: evil.slice(0, 60) } });
  const email = addressOf("victim");
  await invite({ owner, team }, email);
  const mail = await firstMailTo(email, mailServer);
  const name = "Your mailbox is full, see evil example…";
  assert.equal(mail.text.split(" with the role")[0], `${name} invites you to the team "${name}" (${team.slug})`);
  assert.doesNotMatch(mail.headers["subject"] ?? "", /evil\.example|https:/);
  assert.deepEqual(
    [...mail.text.matchAll(/https?:\/\/[^/\s]*/g)].map(([origin]) => origin),
    ["https://reeve.example", "https://reeve.example"],
  );
  assert.doesNotMatch(mail.text, /evil\./);
});
