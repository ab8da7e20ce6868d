// Each kind of mail as its reader sees it: the HTML that a mail server received, drawn by a browser.
import { test } from "node:test";
import { HOUR_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../src/platform/kernel/tx.ts";
import { queueMail } from "../../src/events/mails/queue.ts";
import { mailCode } from "../../src/identity/methods/codes/mailed-codes.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { firstMailTo, startMailWorld } from "../mail/mail-world.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";

const browser = await openBrowser();
const mailServer = await startMailServer();
const { request, createUser, createTeam, clock, withStore } = await startMailWorld(mailServer);

/** Queues mails as what is behind the API does, and has the mailer look. */
async function queue(
  work: (tx: Tx, call: { readonly instance: { readonly hasMail: true }; readonly now: number }) => Promise<unknown>,
) {
  await withStore(({ transaction }) => transaction((tx) => work(tx, { instance: { hasMail: true }, now: clock.now })));
  // Any write wakes a process.
  await request("PATCH", "/v2/user", { body: { name: "Grace" } });
}

test("mails of teams are readable, also with the longest names", async (t) => {
  const [owner, asking, invited] = [await createUser("grace"), await createUser("ada"), await createUser()];
  await request("PATCH", "/v2/user", { token: owner.token, body: { name: "Grace" } });
  const team = await createTeam(owner, "compilers");
  await request("PATCH", `/v1/teams/${team.id}`, { token: owner.token, body: { name: "Compilers & Co." } });
  const members = `/v1/teams/${team.id}/members`;
  const address = "guest@guests.example";
  await request("POST", members, { token: owner.token, body: { email: address, role: "DEVELOPER" } });
  await request("POST", members, { token: owner.token, body: { uid: invited.id } });
  await request("POST", `/v1/teams/${team.id}/request`, { token: asking.token });
  await firstMailTo(owner.email, mailServer);
  await request("PATCH", `${members}/${asking.id}`, { token: owner.token, body: { confirmed: true } });
  const name = "W".repeat(60);
  await request("PATCH", "/v2/user", { token: owner.token, body: { name } });
  await request("PATCH", `/v1/teams/${team.id}`, { token: owner.token, body: { name, slug: "w".repeat(48) } });
  await request("POST", members, { token: owner.token, body: { email: "long@guests.example" } });
  const page = await browser.openPage(t);
  for (const [kind, recipient] of [
    ["invitation", address],
    ["invitation-of-account", invited.email],
    ["access-request", owner.email],
    ["confirmation", asking.email],
    ["long-names", "long@guests.example"],
  ] as const) {
    await page.setContent((await firstMailTo(recipient, mailServer)).html);
    await assertAccessible(page, { name: `mail-${kind}` });
  }
});

test("mails of accounts are readable", async (t) => {
  const user = await createUser();
  const about = { teamId: null, username: user.username };
  const code = { userId: user.id, data: null, expiresAt: clock.now + HOUR_MS };
  const to = (kind: string) => `${kind}@accounts.example`;
  await queue(async (tx, call) => {
    const recipients = { old: to("email-old"), new: to("email-new") };
    const gone = {
      teamId: null,
      webhookId: "account_hook_VbkjFJgSbiyNKI2c8bVh9UuZ",
      reason: "gone",
      failingSince: null,
    } as const;
    await queueMail(tx, call, { kind: "webhook-disabled", recipient: to("webhook"), payload: gone });
    const recovery = { ...code, purpose: "recovery" } as const;
    await mailCode(tx, call, { kind: "recovery", recipient: to("recovery"), payload: about, code: recovery });
    for (const address of ["old", "new"] as const) {
      await mailCode(tx, call, {
        kind: "email-change",
        recipient: recipients[address],
        payload: { ...about, address },
        code: { ...code, purpose: `email-${address}` },
      });
    }
    const signUp = { ...code, userId: null, purpose: "sign-up" } as const;
    await queueMail(tx, call, { kind: "account-exists", recipient: to("account-exists"), payload: { teamId: null } });
    await mailCode(tx, call, { kind: "sign-up", recipient: to("sign-up"), payload: { teamId: null }, code: signUp });
  });
  const page = await browser.openPage(t);
  for (const kind of ["webhook", "recovery", "email-old", "email-new", "sign-up", "account-exists"]) {
    await page.setContent((await firstMailTo(to(kind), mailServer)).html);
    await assertAccessible(page, { name: `mail-${kind}` });
  }
});

test("without a public URL a mail is readable too", async (t) => {
  const nowhere = await startOwnApp({ smtpUrl: mailServer.url });
  const owner = await nowhere.createUser();
  const team = await nowhere.createTeam(owner);
  const email = "nowhere@guests.example";
  await nowhere.request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { email } });
  const page = await browser.openPage(t);
  await page.setContent((await firstMailTo(email, mailServer)).html);
  await assertAccessible(page, { name: "mail-without-url" });
});
