// Mails with one-time codes: each attempt carries a code of its own, and only the newest works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { mailCode } from "../../src/identity/methods/codes/mailed-codes.ts";
import type { CodeMail } from "../../src/identity/methods/codes/mailed-codes.ts";
import { peekCode, takeCode } from "../../src/identity/methods/codes/one-time-codes.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "./mail-server.ts";
import type { ReceivedMail } from "./mail-server.ts";
import { addressOf, firstMailTo, mailsTo, startMailWorld } from "./mail-world.ts";

const mailServer = await startMailServer();
const world = await startMailWorld(mailServer);
const { clock, createUser, query, request, rowsTo, untilQueueForgets, withStore } = world;

type Mail = CodeMail<"recovery" | "email-change" | "sign-up">;

/** Queues a mail as sign-in does, and has the mailer look. */
async function send(mail: Mail, hasMail = true): Promise<boolean> {
  const isQueued = await withStore(({ transaction }) =>
    transaction((tx) => mailCode(tx, { instance: { hasMail }, now: clock.now }, mail)),
  );
  // Any write wakes a process.
  await request("PATCH", "/v2/user", { body: { name: "Awake" } });
  return isQueued;
}

function recoveryOf(user: { readonly id: string; readonly username: string }, recipient: string): Mail {
  const expiresAt = clock.now + HOUR_MS;
  return {
    kind: "recovery",
    recipient,
    payload: { teamId: null, username: user.username },
    code: { purpose: "recovery", userId: user.id, data: null, expiresAt },
  };
}

function codeOf({ text }: ReceivedMail, page: string): string {
  const code = new RegExp(`^https://reeve\\.example/console/${page}\\?code=(\\w{43})$`, "m").exec(text)?.[1];
  assert.ok(code, text);
  return code;
}

const find = (code: string) =>
  withStore(({ transaction }) =>
    transaction((tx) => peekCode(tx, ["recovery", "email-new", "sign-up"], code, clock.now)),
  );

test("each kind leads to its page, and its code is that of its purpose and stored nowhere", async () => {
  const user = await createUser();
  const expiresAt = clock.now + HOUR_MS;
  const about = { teamId: null, username: user.username };
  for (const [page, mail] of [
    ["recover", recoveryOf(user, addressOf("recovery"))],
    [
      "confirm-email",
      {
        kind: "email-change",
        recipient: addressOf("change"),
        payload: { ...about, address: "new" },
        code: { purpose: "email-new", userId: user.id, data: { email: "new@example.com" }, expiresAt },
      },
    ],
    [
      "sign-up",
      {
        kind: "sign-up",
        recipient: addressOf("sign-up"),
        payload: { teamId: null },
        code: { purpose: "sign-up", userId: null, data: {}, expiresAt },
      },
    ],
  ] as const satisfies readonly (readonly [string, Mail])[]) {
    assert.equal(await send(mail), true);
    const received = await firstMailTo(mail.recipient, mailServer);
    await untilQueueForgets(mail.recipient);
    const code = codeOf(received, page);
    assert.ok(received.html.includes(`href="https://reeve.example/console/${page}?code=${code}"`));
    assert.match(received.text, /^The link works once, until 1 January 2030, 01:00 UTC\. /m);
    assert.equal("list-unsubscribe" in received.headers, false);
    const { purpose, userId, data } = mail.code;
    assert.deepEqual(await find(code), { purpose, userId, data, expiresAt });
    for (const table of ["mails", "one_time_codes", "events"]) {
      assert.equal(JSON.stringify(await query(`select * from ${table}`)).includes(code), false, table);
    }
  }
});

test("a second attempt carries another code, and the first one no longer works", async () => {
  const user = await createUser();
  const email = addressOf("again");
  // The server took the message, and its answer was lost.
  const release = mailServer.hold();
  await send(recoveryOf(user, email));
  const begun = (index: number) =>
    waitFor(`message ${index}`, () => mailServer.begun.filter(({ recipients }) => recipients.includes(email))[index]);
  const first = await begun(0);
  await query(`update mails set due_at = 0 where recipient = '${email}'`);
  const another = await world.startAnother();
  const second = await begun(1);
  release();
  await untilQueueForgets(email);
  await another.close();
  const [stale, fresh] = [codeOf(first, "recover"), codeOf(second, "recover")];
  assert.notEqual(stale, fresh);
  assert.notEqual(first.headers["message-id"], second.headers["message-id"]);
  assert.equal(await find(stale), undefined);
  assert.equal((await find(fresh))?.userId, user.id);
});

test("a mail whose code was used, withdrawn or has expired is not sent again", async () => {
  const user = await createUser();
  for (const end of [
    () => withStore(({ transaction }) => transaction((tx) => tx.query("delete from one_time_codes"))),
    () => Promise.resolve(clock.advance(2 * HOUR_MS)),
  ]) {
    const email = addressOf("ended");
    mailServer.refuse = () => ({ status: 450, text: "later" });
    await send(recoveryOf(user, email));
    await world.untilPostponed(email);
    await end();
    mailServer.refuse = () => undefined;
    clock.advance(MINUTE_MS);
    await request("PATCH", "/v2/user", { body: { name: "Awake" } });
    await untilQueueForgets(email);
    assert.deepEqual(mailsTo(email, mailServer), []);
  }
});

test("a code works once", async () => {
  const user = await createUser();
  const email = addressOf("once");
  await send(recoveryOf(user, email));
  const code = codeOf(await firstMailTo(email, mailServer), "recover");
  const take = () => withStore(({ transaction }) => transaction((tx) => takeCode(tx, ["recovery"], code, clock.now)));
  assert.equal((await take())?.userId, user.id);
  assert.equal(await take(), undefined);
});

test("an instance without mail queues nothing and stores no code", async () => {
  const email = addressOf("silent");
  const before = await query("select hash from one_time_codes");
  assert.equal(await send(recoveryOf(await createUser(), email), false), false);
  assert.deepEqual([await rowsTo(email), await query("select hash from one_time_codes")], [[], before]);
});
