// Mail, from the request that causes it to the server that accepts it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { startMailServer } from "./mail-server.ts";
import { waitFor } from "../harness/wait-for.ts";
import { createVisitor } from "../sign-in/visitor.ts";
import { addressOf, codeIn, firstMailTo, mailsTo, startMailWorld } from "./mail-world.ts";

const mailServer = await startMailServer();
const world = await startMailWorld(mailServer);
const {
  request,
  createUser,
  createTeam,
  openTeam,
  clock,
  query,
  logged,
  invite,
  join,
  rowsTo,
  untilQueueForgets,
  untilPostponed,
} = world;

test("an invited address is sent one message with one link, and its code joins", async () => {
  const { owner, team } = await openTeam();
  const email = addressOf("guest");
  const response = await invite({ owner, team }, email);
  assert.equal(response.status, 200, response.text);
  assert.equal("code" in response.body, false);
  const mail = await firstMailTo(email, mailServer);
  assert.deepEqual(mail.recipients, [email]);
  assert.equal(mail.headers["to"], email);
  assert.equal(mail.headers["from"], "Reeve <reeve@mail.example>");
  assert.equal(mail.headers["subject"], `${owner.username} invites you to the team ${team.slug}`);
  assert.equal(mail.headers["auto-submitted"], "auto-generated");
  assert.match(mail.headers["message-id"] ?? "", /^<mail_\w{24}\.1@mail\.example>$/);
  assert.match(mail.text, /with the role Member/);
  assert.match(mail.text, /^The link works once, until 8 January 2030, 00:00 UTC\. /m);
  assert.match(mail.text, /know neither the sender nor the team, do nothing/);
  const [link, stop] = [...mail.html.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href);
  assert.equal(link, `https://reeve.example/console/invitation?code=${codeIn(mail)}`);
  assert.match(stop ?? "", /^https:\/\/reeve\.example\/mail\/stop\//);
  await untilQueueForgets(email);
  const joined = await join(email, codeIn(mail));
  assert.equal(joined.body.teamId, team.id, joined.text);
  assert.equal(mailsTo(email, mailServer).length, 1);
});

test("an account made with the code of a message has a confirmed address: mail there was read", async () => {
  const { owner, team } = await openTeam();
  const email = addressOf("reader");
  await invite({ owner, team }, email);
  const form = {
    action: "create",
    username: email.replace(/@.*/, ""),
    name: "Grace",
    password: "correct horse battery staple",
  };
  const code = codeIn(await firstMailTo(email, mailServer));
  const made = await createVisitor(world.app).post(`invitation?code=${code}`, form);
  assert.equal(made.status, 303, made.problem ?? "");
  const [account] = await query(`select email_confirmed_at from users where email_key = '${email}'`);
  assert.equal(Number(account?.["email_confirmed_at"]), clock.now);
});

test("the link of an account that is invited by its id names the team and has no code", async () => {
  const [owner, guest] = [await createUser(), await createUser()];
  const team = await createTeam(owner);
  await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { uid: guest.id } });
  const mail = await firstMailTo(guest.email, mailServer);
  const link = `https://reeve.example/console/invitation?team=${team.id}`;
  assert.ok(mail.text.includes(`\n${link}\n`), mail.text);
  assert.ok(mail.html.includes(`href="${link}"`), mail.html);
  assert.match(mail.text, /^The invitation ends on 8 January 2030, 00:00 UTC\.$/m);
  assert.match(mail.headers["message-id"] ?? "", /^<mail_\w{24}@mail\.example>$/);
});

test("each owner is told of an access request, and the user who asked is told of its confirmation", async () => {
  const [owner, second, member, guest] = [
    await createUser(),
    await createUser(),
    await createUser(),
    await createUser(),
  ];
  const team = await createTeam(owner);
  for (const [person, role] of [
    [second, "OWNER"],
    [member, "MEMBER"],
  ] as const) {
    const members = `/v1/teams/${team.id}/members`;
    await request("POST", members, { token: owner.token, body: { uid: person.id, role } });
    await request("POST", "/v1/teams/join", { token: person.token, body: { teamId: team.id } });
    await firstMailTo(person.email, mailServer);
  }
  await request("POST", `/v1/teams/${team.id}/request`, { token: guest.token });
  const told = await firstMailTo(owner.email, mailServer);
  assert.deepEqual(told.recipients, [owner.email]);
  assert.match(told.text, new RegExp(`^https://reeve\\.example/console/\\?team=${team.id}$`, "m"));
  await waitFor("the second owner's mail", () => mailsTo(second.email, mailServer)[1]);
  const path = `/v1/teams/${team.id}/members/${guest.id}`;
  await request("PATCH", path, { token: owner.token, body: { confirmed: true, role: "VIEWER" } });
  const confirmed = await firstMailTo(guest.email, mailServer);
  assert.match(confirmed.text, /with the role Viewer/);
  assert.equal(mailsTo(member.email, mailServer).length, 1, "a member that is no owner was told as well");
});

test("a mutation that fails sends nothing", async () => {
  const { owner, team } = await openTeam();
  const [lost, sent] = [addressOf("lost"), addressOf("sent")];
  const body = [{ email: lost }, { uid: "nobody" }];
  const failed = await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body });
  assert.equal(failed.status, 404);
  await invite({ owner, team }, sent);
  await firstMailTo(sent, mailServer);
  assert.deepEqual([mailsTo(lost, mailServer), await rowsTo(lost)], [[], []]);
});

test("a code is in the message alone: not in the queue, the events or the log", async () => {
  const { owner, team } = await openTeam();
  const email = addressOf("secret");
  const release = mailServer.hold();
  await invite({ owner, team }, email);
  const mail = await waitFor("the message", () =>
    mailServer.begun.find(({ recipients }) => recipients.includes(email)),
  );
  const rows = await rowsTo(email);
  assert.equal(rows.length, 1);
  const code = codeIn(mail);
  for (const table of ["mails", "invites", "events", "idempotency_records"]) {
    assert.equal(JSON.stringify(await query(`select * from ${table}`)).includes(code), false, table);
  }
  release();
  await untilQueueForgets(email);
  assert.equal(logged.join("").includes(code), false);
});

test("a name can add neither headers nor lines", async () => {
  const { owner, team } = await openTeam();
  const email = addressOf("plain");
  const name = "Evil\r\nBcc: everybody@example.com\r\n\r\nCall +1 555";
  const slug = `call-0800-123456789-${team.slug}`;
  await world.withStore(({ transaction }) =>
    transaction((tx) => tx.query(`update teams set name = '${name}', slug = '${slug}' where id = '${team.id}'`)),
  );
  await invite({ owner, team }, email);
  const mail = await firstMailTo(email, mailServer);
  assert.deepEqual(mail.recipients, [email]);
  assert.match(mail.text, / \(call-0800-12\*{7}-/);
  assert.equal(mail.text.includes(slug), false);
  assert.equal(mail.headerNames.includes("Bcc"), false);
  assert.match(mail.text, /^.* invites you to the team "Evil Bcc everybody example com Call \+1…"/);
  assert.doesNotMatch(mail.text, /^(?:Bcc|Call)/m);
});

test("a name adds no markup", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const name = `<b onclick="x">'A' & "B"</b>`;
  await request("PATCH", `/v1/teams/${team.id}`, { token: owner.token, body: { name } });
  const email = addressOf("markup");
  await invite({ owner, team }, email);
  const mail = await firstMailTo(email, mailServer);
  assert.match(mail.text, /the team "b onclick "x" 'A' "B" b"/);
  assert.match(mail.html, /the team &quot;b onclick &quot;x&quot; &#39;A&#39; &quot;B&quot; b&quot;/);
  assert.doesNotMatch(mail.html, /<(?:b|i|img|script)[\s>]|onclick=/);
});

test("without a public URL a mail shows the path of its link and why it is none", async () => {
  const nowhere = await startOwnApp({ smtpUrl: mailServer.url });
  const owner = await nowhere.createUser();
  const team = await nowhere.createTeam(owner);
  const email = addressOf("nowhere");
  await nowhere.request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { email } });
  const mail = await firstMailTo(email, mailServer);
  const path = `/console/invitation?code=${codeIn(mail)}`;
  assert.ok(mail.text.includes(`\n${path}\n`), mail.text);
  assert.ok(mail.html.includes(path), mail.html);
  assert.doesNotMatch(mail.html, /href/);
  for (const form of [mail.text, mail.html]) assert.match(form, /does not know its own address[^]*REEVE_PUBLIC_URL/);
});

test("mail that an older version queued for what is no address is not sent, and not tried again", async () => {
  const { owner, team } = await openTeam();
  const email = addressOf("older");
  mailServer.refuse = () => ({ status: 450, text: "later" });
  await invite({ owner, team }, email);
  const dueAt = await untilPostponed(email);
  const older = email.replace("@", "%relay.example@");
  await query(`update mails set recipient = '${older}' where recipient = '${email}'`);
  mailServer.refuse = () => undefined;
  clock.now = dueAt;
  // Any write wakes a process.
  await request("PATCH", "/v2/user", { body: { name: "Awake" } });
  await untilQueueForgets(older);
  assert.ok(logged.some((line) => line.includes("will not be retried") && line.includes("EENVELOPE")));
  assert.equal(mailServer.received.filter(({ text }) => text.includes(team.slug)).length, 0);
});

test("a refused recipient is not tried again, and the log names neither the address nor the code", async () => {
  const { owner, team } = await openTeam();
  const email = addressOf("unknown");
  mailServer.refuse = (recipient) =>
    recipient === email ? { status: 550, text: `5.1.1 <${email}> is unknown here` } : undefined;
  await invite({ owner, team }, email);
  await untilQueueForgets(email);
  mailServer.refuse = () => undefined;
  assert.equal(mailsTo(email, mailServer).length, 0);
  const line = logged.findLast((text) => text.includes("will not be retried"));
  assert.ok(line);
  const { kind, recipient, response, attempts } = JSON.parse(line);
  assert.deepEqual([kind, recipient, response, attempts], ["invite", "@guests.example", "550 5.1.1", 1]);
  assert.equal(logged.join("").includes(email), false);
});

test("mail about an invitation that is no longer valid is not sent", async () => {
  const { owner, team } = await openTeam();
  const [email, next] = [addressOf("revoked"), addressOf("next")];
  mailServer.refuse = (recipient) => (recipient === email ? { status: 450, text: "later" } : undefined);
  const { body } = await invite({ owner, team }, email);
  await untilPostponed(email);
  mailServer.refuse = () => undefined;
  await request("DELETE", `/v1/teams/${team.id}/invites/${body.uid}`, { token: owner.token });
  clock.advance(MINUTE_MS);
  await invite({ owner, team }, next);
  await firstMailTo(next, mailServer);
  await untilQueueForgets(email);
  assert.equal(mailsTo(email, mailServer).length, 0);
});

test("without a mail server nothing is queued and the response carries the code", async () => {
  const silent = await startOwnApp();
  const owner = await silent.createUser();
  const team = await silent.createTeam(owner);
  const path = `/v1/teams/${team.id}/members`;
  const { body } = await silent.request("POST", path, { token: owner.token, body: { email: addressOf("silent") } });
  assert.match(body.code, /^\w{40}$/);
  assert.deepEqual(await silent.query("select * from mails"), []);
});
