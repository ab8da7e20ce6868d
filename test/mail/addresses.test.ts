// One mailbox has one address here, however it is spelled: for accounts, invitations, limits of mail and stopped mail. What the mail
// server is asked to deliver to is what the store has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inject } from "../harness/inject.ts";
import { uniqueName } from "../harness/test-app.ts";
import { startMailServer } from "./mail-server.ts";
import { firstMailTo, mailsTo, startMailWorld } from "./mail-world.ts";

const mailServer = await startMailServer();
const world = await startMailWorld(mailServer);
const { app, createUser, invite, openTeam, query, request, untilQueueForgets } = world;

/** Spellings of an address whose local part is `name`, and the one form that they have here. */
const SPELLINGS: readonly (readonly [canonical: string, ...spellings: ((name: string) => string)[]])[] = [
  [
    "acme.com",
    (name) => `${name}@acme.com`,
    (name) => `${name.toUpperCase()}@ACME.com`,
    (name) => `${name}@ａcme.com`,
    (name) => `${name}@acme。com`,
    (name) => `${name}@acme．com`,
    (name) => `${name}@ac\u00adme.com`,
    (name) => `${name}@ac\u200bme.com`,
    (name) => `${name}@ⓐcme.com`,
    (name) => `${name}@acme.ⅽom`,
  ],
  [
    "xn--mnchen-3ya.example",
    (name) => `${name}@xn--mnchen-3ya.example`,
    (name) => `${name}@XN--Mnchen-3YA.example`,
    (name) => `${name}@münchen.example`,
    (name) => `${name}@MU\u0308NCHEN.example`,
  ],
  ["xn--strae-oqa.example", (name) => `${name}@straße.example`, (name) => `${name}@xn--strae-oqa.example`],
  ["xn--e1afmkfd.xn--p1ai", (name) => `${name}@пример.рф`, (name) => `${name}@ПРИМЕР.рф`],
];

/** What is no address of one mailbox, what mail servers hand on, and what a mailer would change. */
const REFUSED = [
  "<boss>@acme.com",
  "<boss@acme.com>",
  "Boss<boss@acme.com>",
  '"boss"@acme.com',
  '"bo\\ss"@acme.com',
  "boss(chief)@acme.com",
  "boss@(here)acme.com",
  "boss@acme.com.",
  "boss@acme..com",
  "boss@.acme.com",
  ".boss@acme.com",
  "boss.@acme.com",
  "bo..ss@acme.com",
  "boss＠acme.com",
  "boss＠evil.example@acme.com",
  "ｂoss@acme.com",
  "boß①@acme.com",
  "bo\u00adss@acme.com",
  "bo\u200bss@acme.com",
  "bo\u200dss@acme.com",
  "bo\ufe0fss@acme.com",
  "bo\u3164ss@acme.com",
  "bo\u202ess@acme.com",
  "bo\u00a0ss@acme.com",
  "\u0301boss@acme.com",
  "boss\u0085@acme.com",
  "boss%evil.example@acme.com",
  "evil.example!boss@acme.com",
  "@relay.example:boss@acme.com",
  "boss@ac%6de.com",
  "boss@ac％6de.com",
  "boss@[127.0.0.1]",
  "boss@[IPv6:::1]",
  "boss@127.0.0.1",
  "boss@127.1",
  "boss@0x7f.1",
  "boss@acme.com:25",
  "boss@acme.com/x",
  "boss@acme.com\\x",
  "boss@acme.com?x",
  "boss@acme.com#x",
  "a:boss@acme.com;",
  "boss@acme.com,other@acme.com",
  "boss@acme.com;other@acme.com",
  "boss@xn--a.example",
  "boss@xn--.example",
  "boss@xn--acme-.example",
  "boss@xn--MÜNCHEN.example",
  "boss@a\u200db.com",
  "boss@-acme.com",
  "boss@acme-.com",
  "boss@\u0301acme.com",
  `${"b".repeat(65)}@acme.com`,
  `${"ü".repeat(33)}@acme.com`,
  `boss@${"a".repeat(64)}.com`,
  `boss@${"ü".repeat(60)}.com`,
  `boss@${"abcdefgh.".repeat(27)}abcdefg`,
];

test("an address has one form, which is stored, shown and mailed to", async () => {
  for (const [domain, ...spellings] of SPELLINGS) {
    for (const spell of spellings) {
      const into = await openTeam();
      const name = uniqueName("vic");
      const email = `${name}@${domain}`;
      const invited = await invite(into, spell(name));
      assert.deepEqual([invited.status, invited.body.email], [200, email], spell(name));
      const { recipients } = await firstMailTo(email, mailServer);
      assert.deepEqual(recipients, [email], spell(name));
      const username = uniqueName("account");
      const made = await request("POST", "/v1/users", { body: { username, email: spell(name) } });
      assert.deepEqual([made.status, made.body.user?.email], [200, email], spell(name));
    }
  }
});

test("a local part of another script has one form, and is mailed to as it is stored", async () => {
  const name = uniqueName("jörg");
  const email = `${name}@xn--mnchen-3ya.example`;
  for (const spelled of [`${name}@münchen.example`, `${name.normalize("NFD")}@xn--mnchen-3ya.example`]) {
    const into = await openTeam();
    const invited = await invite(into, spelled.replace("j", "J"));
    assert.deepEqual([invited.status, invited.body.email], [200, email]);
    await untilQueueForgets(email);
  }
  assert.equal(mailsTo(email, mailServer).length, 2);
});

for (const email of REFUSED) {
  test(`no account, no invitation and no mail for ${JSON.stringify(email).slice(0, 60)}`, async () => {
    const into = await openTeam();
    const user = await createUser();
    const calls = [
      await invite(into, email),
      await request("POST", `/v1/teams/${into.team.id}/invites`, { token: into.owner.token, body: { email } }),
      await request("POST", "/v1/users", { body: { username: uniqueName("account"), email } }),
      await request("PATCH", `/v1/users/${user.id}`, { body: { email } }),
    ];
    for (const { status, body } of calls) {
      assert.deepEqual([status, body.error?.field], [400, "body.email"], JSON.stringify(body));
      assert.match(body.error.message, /^email: expected an e-mail address/);
    }
    assert.equal((await query(`select 1 from mails where payload like '%${into.team.id}%'`)).length, 0);
  });
}

test("two spellings of one mailbox make one account, and one invitation", async () => {
  for (const [, ...spellings] of SPELLINGS) {
    const name = uniqueName("vic");
    const [into, first] = [await openTeam(), spellings[0] as (name: string) => string];
    assert.equal((await invite(into, first(name))).status, 200);
    const made = await request("POST", "/v1/users", { body: { username: uniqueName("one"), email: first(name) } });
    assert.equal(made.status, 200);
    for (const spell of spellings.slice(1)) {
      assert.equal((await invite(into, spell(name))).body.error?.code, "already_invited", spell(name));
      const again = await request("POST", "/v1/users", { body: { username: uniqueName("two"), email: spell(name) } });
      assert.deepEqual([again.status, again.body.error?.code], [409, "email_taken"], spell(name));
      const found = await request("GET", `/v1/users?email=${encodeURIComponent(spell(name))}`);
      assert.equal(found.body.users[0]?.id, made.body.user.id, spell(name));
    }
  }
});

test("mail that is stopped is stopped for every spelling of the mailbox", async () => {
  for (const [domain, ...spellings] of SPELLINGS) {
    const [into, name] = [await openTeam(), uniqueName("tired")];
    const email = `${name}@${domain}`;
    const first = await invite(into, email);
    const { text } = await firstMailTo(email, mailServer);
    const link = /^https:\/\/reeve\.example(\/mail\/stop\/[\w-]+)$/m.exec(text)?.[1] as string;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const payload = "List-Unsubscribe=One-Click";
    assert.equal((await inject(app, { method: "POST", url: link, headers, payload })).statusCode, 200);
    await request("DELETE", `/v1/teams/${into.team.id}/invites/${first.body.uid}`, { token: into.owner.token });
    for (const spell of spellings) {
      const again = await invite(into, spell(name));
      assert.equal(again.status, 200, spell(name));
      await untilQueueForgets(email);
      await untilQueueForgets(spell(name));
      assert.equal(mailServer.received.filter((mail) => mail.text.includes(into.team.slug)).length, 1, spell(name));
      await request("DELETE", `/v1/teams/${into.team.id}/invites/${again.body.uid}`, { token: into.owner.token });
    }
  }
});
