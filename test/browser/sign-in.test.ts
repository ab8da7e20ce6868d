// The ways in, in a real browser: from a fresh start to the console's first page, from an invitation to a member of the team, with
// passkeys and passwords. Each page on the way is held against accessibility.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { signInLinkUrl } from "../../src/identity/sign-in/link-url.ts";
import { startReeve, stopReeve } from "../cli/reeve-process.ts";
import { createStorage } from "../harness/test-app.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { firstMailTo } from "../mail/mail-world.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { seesConsole, signOut, startWebApp } from "./browser-world.ts";
import { addPasskeyDevice } from "./passkeys.ts";

const browser = await openBrowser();
const mailServer = await startMailServer();
const { app, clock, createTeam, createUser, request, url } = await startWebApp({ smtpUrl: mailServer.url });
const PASSWORD = "correct horse battery staple";

async function linkOf(username: string): Promise<string> {
  const link = await app.runner.changes.createSignInLink({ name: username }, clock.now);
  assert.ok(link);
  return signInLinkUrl(url, link.purpose, link.code);
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const seesTitle = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

test("the administrator comes from the link of the first start to the console, with a passkey alone", async (t) => {
  const storage = await createStorage();
  const reeve = startReeve(["serve", "--port", "0"], storage.flags);
  const [link] = await reeve.printed(/http:\S+\/console\/set-up\?code=\S+/);
  t.after(async () => {
    await stopReeve(reeve);
    await storage.remove();
  });
  const page = await browser.openPage(t);
  await addPasskeyDevice(page);
  await page.goto(link);
  await assertAccessible(page, { name: "set-up" });
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await press(page, "Use a passkey instead of a password");
  await seesConsole(page, "Ada");
  await assertAccessible(page, { name: "home-empty" });
  await signOut(page);
  await seesTitle(page, "Sign in");
  await assertAccessible(page, { name: "sign-in" });
  await press(page, "Continue with a passkey");
  await seesConsole(page, "Ada");
  await page.goto(`${new URL(page.url()).origin}/console/account`);
  await page.getByText("last used").first().waitFor();
  await assertAccessible(page, { name: "account" });
  await page.getByText("ada@example.com").first().waitFor();
  // The next day they open the server by its number, as a bookmark or a program may have it.
  const byNumber = new URL("/console/account", link);
  byNumber.hostname = "127.0.0.1";
  await page.context().clearCookies();
  await page.goto(byNumber.href);
  await seesTitle(page, "Sign in");
  await press(page, "Continue with a passkey");
  await page.getByText("ada@example.com").first().waitFor();
  assert.equal(page.url(), new URL("/console/account", link).href);
});

test("without script, and with the keyboard alone, an account is set up, and signs in and out", async (t) => {
  const user = await createUser();
  const page = await browser.openPage(t, { javaScriptEnabled: false });
  await page.goto(await linkOf(user.username));
  const keys = page.keyboard;
  await page.locator("input:focus").waitFor();
  await keys.type("Ada");
  await keys.press("Tab");
  await keys.press("Tab");
  await keys.type(PASSWORD);
  await keys.press("Enter");
  await seesTitle(page, "Welcome, Ada");
  for (let count = 0; count < 10; count++) {
    if ((await page.locator("button:focus").count()) > 0) break;
    await keys.press("Tab");
  }
  await keys.press("Enter");
  await seesTitle(page, "Sign in");
  await page.locator("input:focus").waitFor();
  await keys.type(user.username);
  await keys.press("Tab");
  await keys.type(PASSWORD);
  await keys.press("Enter");
  await seesTitle(page, "Welcome, Ada");
});

test("an invited stranger comes from the mail to the team, and signs in again with a password", async (t) => {
  const owner = await createUser();
  const team = await createTeam(owner, "compilers");
  const email = "grace@guests.example";
  const invitation = { token: owner.token, body: { email, role: "DEVELOPER" } };
  assert.equal((await request("POST", `/v1/teams/${team.id}/members`, invitation)).status, 200);
  const link = /^http:\S+\/console\/invitation\?code=\S+$/m.exec((await firstMailTo(email, mailServer)).text)?.[0];
  assert.ok(link);
  const page = await browser.openPage(t);
  await page.goto(link);
  await assertAccessible(page, { name: "invitation" });
  await page.getByLabel("Your name").fill("Grace");
  await page.getByLabel("Password").fill("password1234");
  await press(page, "Create account and join");
  await page.locator("p.problem", { hasText: "guess" }).waitFor();
  await assertAccessible(page, { name: "invitation-refused" });
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Create account and join");
  await seesConsole(page, "Grace");
  await page.getByText("DEVELOPER").waitFor();
  await assertAccessible(page, { name: "home" });
  await signOut(page);
  await page.getByLabel("E-mail or username").fill("grace");
  await page.getByLabel("Password").fill("wrong password");
  await press(page, "Sign in");
  await page.getByText("The name or the password is wrong").waitFor();
  await assertAccessible(page, { name: "sign-in-refused" });
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByLabel("Password").press("Enter");
  await seesConsole(page, "Grace");
  await page.goto(link);
  await seesTitle(page, "This invitation no longer works");
  await assertAccessible(page, { name: "invitation-dead" });
});

test("passkeys are added and removed on the account page, after a fresh proof", async (t) => {
  const user = await createUser();
  const page = await browser.openPage(t);
  await addPasskeyDevice(page);
  await page.goto(await linkOf(user.username));
  await page.getByLabel("E-mail address").fill(user.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Set up and sign in");
  await page.goto(`${new URL(page.url()).origin}/console/account`);
  clock.advance(11 * 60_000);
  await page.getByLabel("Name of a new passkey").fill("Laptop");
  await press(page, "Add a passkey");
  await seesTitle(page, "Confirm it is you");
  await assertAccessible(page, { name: "prove" });
  await page.getByLabel("Your password").fill(PASSWORD);
  await press(page, "Confirm");
  await page.getByLabel("Name of a new passkey").fill("Laptop");
  await press(page, "Add a passkey");
  await page.getByText("Laptop").waitFor();
  await press(page, "Make ten codes");
  await seesTitle(page, "Your recovery codes");
  await assertAccessible(page, { name: "recovery-codes" });
  await page.getByRole("link", { name: "I have stored them" }).click();
  await press(page, "Remove the passkey Laptop");
  await page.getByText("None. A passkey").waitFor();
});

test("a passkey's proof signs in once", async (t) => {
  const user = await createUser();
  const page = await browser.openPage(t);
  await addPasskeyDevice(page);
  await page.goto(await linkOf(user.username));
  await page.getByLabel("E-mail address").fill(user.email);
  await press(page, "Use a passkey instead of a password");
  await seesConsole(page, user.username);
  await signOut(page);
  const sent = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/console/sign-in"));
  await press(page, "Continue with a passkey");
  const body = (await sent).postData() as string;
  await seesConsole(page, user.username);
  const replayed = await fetch(`${url}/console/sign-in`, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-www-form-urlencoded", origin: url },
    redirect: "manual",
  });
  assert.equal(replayed.status, 401);
  assert.match(await replayed.text(), /took too long, or was used already/);
});

test("somebody who is locked out comes back by a link of the operator", async (t) => {
  const user = await createUser();
  const page = await browser.openPage(t);
  await page.goto(`${url}/console/recover`);
  await assertAccessible(page, { name: "recover" });
  await page.goto(await linkOf(user.username));
  await page.getByLabel("E-mail address").fill(user.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Set up and sign in");
  await signOut(page);
  await page.goto(await linkOf(user.username));
  await assertAccessible(page, { name: "recover-link" });
  await page.getByLabel("New password").fill("another horse battery staple");
  await press(page, "Sign in");
  await seesConsole(page, user.username);
});
