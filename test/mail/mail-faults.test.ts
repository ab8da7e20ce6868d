// Mail when a server is down, a process stops or is lost, and several processes share the queue. Each test has a database of its own,
// because every process on a database may send its mail.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startMailServer } from "./mail-server.ts";
import { waitFor } from "../harness/wait-for.ts";
import { addressOf, codeIn, firstMailTo, mailsTo, startMailWorld } from "./mail-world.ts";

test("mail waits for a server that is down, and is retried later", async () => {
  const down = await startMailServer();
  await down.stop();
  const { openTeam, invite, request, join, untilPostponed, untilQueueForgets, clock } = await startMailWorld(down);
  const email = addressOf("patient");
  await invite(await openTeam(), email);
  const delay = (await untilPostponed(email)) - clock.now;
  assert.ok(delay >= 24 * SECOND_MS && delay <= 36 * SECOND_MS, String(delay));
  const mailServer = await startMailServer(down.url);
  clock.advance(delay);
  // Any write wakes a process.
  await request("PATCH", "/v2/user", { body: { name: "Awake" } });
  const mail = await firstMailTo(email, mailServer);
  assert.match(mail.headers["message-id"] ?? "", /^<mail_\w{24}\.2@mail\.example>$/);
  await untilQueueForgets(email);
  const joined = await join(email, codeIn(mail));
  assert.equal(joined.status, 200, joined.text);
});

test("mail that waits for the server is sent at once with other settings, and mail that waits for its recipient is not", async () => {
  const down = await startMailServer();
  const world = await startMailWorld(down);
  const { app, openTeam, invite, startAnother, rowsTo, untilPostponed } = world;
  const into = await openTeam();
  const [greylisted, unreached, next] = ["greylisted", "unreached", "next"].map(addressOf) as [string, string, string];
  down.refuse = () => ({ status: 451, text: "4.7.1 greylisted" });
  await invite(into, greylisted);
  await untilPostponed(greylisted);
  await down.stop();
  await invite(into, unreached);
  await untilPostponed(unreached);
  await app.close();

  const again = await startMailServer(down.url);
  const same = await startAnother();
  await invite(into, next, same);
  await firstMailTo(next, again);
  assert.deepEqual(mailsTo(unreached, again), [], "with the same settings it waits");
  await same.close();

  const other = await startMailServer();
  await startAnother({ smtpUrl: other.url });
  await firstMailTo(unreached, other);
  assert.equal((await rowsTo(greylisted))[0]?.["attempts"], 1);
});

test("of two waiting mails about one invitation the newer one is sent", async () => {
  const down = await startMailServer();
  await down.stop();
  const { openTeam, invite, request, join, untilPostponed, untilQueueForgets, clock } = await startMailWorld(down);
  const into = await openTeam();
  const email = addressOf("renewed");
  const { body } = await invite(into, email);
  clock.now = await untilPostponed(email);
  const mailServer = await startMailServer(down.url);
  await request("POST", `/v1/teams/${into.team.id}/invites/${body.uid}/resend`, { token: into.owner.token });
  const mail = await firstMailTo(email, mailServer);
  await untilQueueForgets(email);
  assert.equal(mailsTo(email, mailServer).length, 1);
  const joined = await join(email, codeIn(mail));
  assert.equal(joined.status, 200, joined.text);
});

test("two processes on one database send each mail once", async () => {
  const mailServer = await startMailServer();
  const { app, startAnother, openTeam, invite, untilQueueForgets } = await startMailWorld(mailServer);
  const other = await startAnother();
  const into = await openTeam();
  const addresses = Array.from({ length: 12 }, () => addressOf("crowd"));
  await Promise.all(addresses.map((email, index) => invite(into, email, index % 2 === 0 ? app : other)));
  for (const email of addresses) await untilQueueForgets(email);
  assert.deepEqual(mailServer.begun.flatMap(({ recipients }) => recipients).toSorted(), addresses.toSorted());
});

test("a mail whose mailer was lost is sent again, with a new code that replaces the first", async () => {
  const mailServer = await startMailServer();
  const world = await startMailWorld(mailServer);
  const { clock, invite, join, rowsTo, untilQueueForgets } = world;
  const other = await world.startAnother();
  const into = await world.openTeam();
  const [email, early, late] = [addressOf("twice"), addressOf("early"), addressOf("late")];
  const begunTo = (address: string) => mailServer.begun.filter(({ recipients }) => recipients.includes(address));
  const releaseFirst = mailServer.hold();
  await invite(into, email);
  await waitFor("the first attempt", () => begunTo(email)[0]);
  mailServer.hold()();
  await invite(into, early, other);
  await firstMailTo(early, mailServer);
  assert.equal(begunTo(email).length, 1, "another process sent what was claimed");

  const releaseSecond = mailServer.hold();
  clock.advance(6 * MINUTE_MS);
  await invite(into, late, other);
  const second = await waitFor("the second attempt", () => begunTo(email)[1]);
  releaseFirst();
  const first = await firstMailTo(email, mailServer);
  // Closing waits for the first mailer's end, which changes nothing any more.
  await world.app.close();
  assert.equal((await rowsTo(email)).length, 1);
  releaseSecond();
  await untilQueueForgets(email);
  assert.notEqual(first.headers["message-id"], second.headers["message-id"]);
  assert.match(second.text, /only the link in the newest one works/);
  const stale = await join(email, codeIn(first), other);
  assert.equal(stale.body.error.code, "invite_unknown");
  const joined = await join(email, codeIn(second), other);
  assert.equal(joined.status, 200, joined.text);
});

test("a process that stops finishes the message in flight", async () => {
  const mailServer = await startMailServer();
  const { app, openTeam, invite, rowsTo } = await startMailWorld(mailServer);
  const email = addressOf("last");
  const release = mailServer.hold();
  await invite(await openTeam(), email);
  await waitFor("the message", () => mailServer.begun[0]);
  const closed = app.close();
  release();
  await closed;
  assert.deepEqual(await rowsTo(email), []);
  assert.equal(mailsTo(email, mailServer).length, 1);
});

test("a process that stops releases a message that hangs", async () => {
  const mailServer = await startMailServer();
  const { app, clock, openTeam, invite, rowsTo } = await startMailWorld(mailServer);
  const email = addressOf("stuck");
  const release = mailServer.hold();
  await invite(await openTeam(), email);
  await waitFor("the message", () => mailServer.begun[0]);
  mock.timers.enable({ apis: ["setTimeout"] });
  const closed = app.close();
  mock.timers.tick(5 * SECOND_MS);
  mock.timers.reset();
  await closed;
  release();
  assert.equal(Number((await rowsTo(email))[0]?.["due_at"]), clock.now);
});
