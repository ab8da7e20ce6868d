// What people do with their accounts, in a real browser: making one by mail, coming back to one that they are locked out of, ending
// their other sessions, and moving to another address.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { uniqueName } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { mailsTo } from "../mail/mail-world.ts";
import { openSession } from "../sign-in/open-session.ts";
import { openBrowser } from "./browser.ts";
import { seesConsole, startWebApp } from "./browser-world.ts";

const browser = await openBrowser();
const mailServer = await startMailServer();
const world = await startWebApp({ smtpUrl: mailServer.url, signUp: "open" });
const { createUser, request, url } = world;
const PASSWORD = "correct horse battery staple";

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const seesTitle = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

/** The link to a page in the first mail to somebody. */
async function linkTo(recipient: string, path: string): Promise<string> {
  const pattern = new RegExp(`^${RegExp.escape(`${url}/console/${path}`)}\\?code=\\S+$`, "m");
  return await waitFor(`a link to ${path} in a mail to ${recipient}`, () =>
    mailsTo(recipient, mailServer)
      .map(({ text }) => pattern.exec(text)?.[0])
      .find((link) => link !== undefined),
  );
}

/** The account page of somebody, in a browser of its own. */
async function openAccount(t: TestContext, user: TestUser): Promise<Page> {
  const page = await browser.openPage(t);
  const { session } = await openSession(world, user);
  await page.context().addCookies([{ name: "reeve", value: session, url }]);
  await page.goto(`${url}/console/account`);
  return page;
}

test("a stranger makes an account with a link by mail", async (t) => {
  const email = `${uniqueName("stranger")}@example.com`;
  const page = await browser.openPage(t);
  await page.goto(`${url}/console/sign-in`);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await press(page, "Send me a link");
  await page.getByRole("status").filter({ hasText: "on its way" }).waitFor();
  await page.goto(await linkTo(email, "sign-up"));
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Create account");
  await seesConsole(page, "Ada");
  await page.getByRole("link", { name: "Account" }).click();
  await page.getByText(email).first().waitFor();
});

test("somebody who is locked out comes back with a recovery code, which works once", async (t) => {
  const user = await createUser();
  const own = await openAccount(t, user);
  await press(own, "Make ten codes");
  const codes = (await own.getByLabel("Recovery codes").innerText()).split("\n");
  assert.equal(codes.length, 10);
  const page = await browser.openPage(t);
  const recover = async () => {
    await page.goto(`${url}/console/sign-in`);
    await page.getByRole("link", { name: "I can't sign in" }).click();
    const form = page.getByRole("form", { name: "With a recovery code" });
    await form.getByLabel("E-mail or username").fill(user.email);
    await form.getByLabel("Recovery code").fill(codes[0] as string);
    await form.getByRole("button", { name: "Sign in" }).click();
  };
  await recover();
  await seesTitle(page, "Your account");
  await press(page, `Sign out ${user.username}`);
  await recover();
  await page.getByText("the code was used").waitFor();
});

test("somebody who is locked out comes back with a link by mail, and sets a password", async (t) => {
  const user = await createUser();
  const page = await browser.openPage(t);
  await page.goto(`${url}/console/recover`);
  const form = page.getByRole("form", { name: "With a link by mail" });
  await form.getByLabel("E-mail or username").fill(user.username);
  await form.getByRole("button", { name: "Send me a link" }).click();
  await page.getByRole("status").filter({ hasText: "a link is on its way" }).waitFor();
  const link = await linkTo(user.email, "recover");
  await page.goto(link);
  await page.getByLabel("New password").fill(PASSWORD);
  await press(page, "Sign in");
  await seesConsole(page, user.username);
  await page.goto(link);
  await seesTitle(page, "This link no longer works");
});

test("signing out everywhere else refuses the other browser's very next request", async (t) => {
  const user = await createUser();
  const [here, there] = [await openAccount(t, user), await openAccount(t, user)];
  await here.reload();
  await here.getByRole("button", { name: /^End the session on / }).waitFor();
  await press(here, "Sign out everywhere else");
  await here.getByRole("button", { name: /^End the session on / }).waitFor({ state: "detached" });
  await there.getByRole("link", { name: "Home" }).click();
  await seesTitle(there, "Sign in");
  const [cookie] = await there.context().cookies(url);
  assert.equal((await request("GET", "/v2/user", { session: cookie?.value as string })).status, 401);
  await here.getByRole("link", { name: "Home" }).click();
  await seesConsole(here, user.username);
});

test("an address changes when the old and the new one have confirmed, in any browser", async (t) => {
  const user = await createUser();
  const email = `${uniqueName("moved")}@example.com`;
  const page = await openAccount(t, user);
  await page.getByLabel("New address").fill(email);
  await press(page, "Change the address");
  await page.getByText("when the old address and the new address have confirmed").waitFor();
  const elsewhere = await browser.openPage(t);
  await elsewhere.goto(await linkTo(user.email, "confirm-email"));
  await press(elsewhere, "Confirm the change");
  await elsewhere.getByRole("status").filter({ hasText: "when the new one has confirmed" }).waitFor();
  assert.equal((await request("GET", "/v2/user", { token: user.token })).body.user.email, user.email);
  await elsewhere.goto(await linkTo(email, "confirm-email"));
  await press(elsewhere, "Confirm the change");
  await elsewhere.getByRole("status").filter({ hasText: "is changed" }).waitFor();
  await page.reload();
  await page.getByText(email).waitFor();
});

test("signing in and out works with the keyboard alone, and what is wrong gets the focus", async (t) => {
  const user = await createUser();
  const own = await openAccount(t, user);
  await own.getByLabel("New password").fill(PASSWORD);
  await press(own, "Set a password");
  await own.getByRole("button", { name: "Change the password" }).waitFor();
  const page = await browser.openPage(t);
  const { keyboard } = page;
  const focused = () =>
    page.evaluate<string>(
      "document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent.trim()",
    );
  await page.goto(`${url}/console/sign-in`);
  assert.equal(await focused(), "login");
  await keyboard.type(user.username);
  await keyboard.press("Tab");
  await keyboard.type("wrong password");
  await keyboard.press("Enter");
  await page.getByText("The name or the password is wrong").waitFor();
  assert.equal(await focused(), "password");
  const described = page.getByRole("textbox", { name: "Password", description: "The name or the password is wrong" });
  await described.waitFor();
  await keyboard.type(PASSWORD);
  await keyboard.press("Tab");
  assert.equal(await focused(), "Send me a link instead");
  await keyboard.press("Tab");
  assert.equal(await focused(), "Sign in");
  await keyboard.press("Space");
  await seesConsole(page, user.username);
  const links = ["Skip to content", "Team: Reeve", "Search Ctrl K", "Teams", "Account", "API reference"];
  const pressTabTo = async (labels: readonly string[]) => {
    for (const label of labels) {
      await keyboard.press("Tab");
      assert.ok((await focused()).endsWith(label), label);
    }
  };
  await pressTabTo([...links, `Your account: ${user.username}`]);
  await keyboard.press("Enter");
  await page.locator(".user-menu a:focus", { hasText: "Account" }).waitFor();
  await pressTabTo([
    "Access tokens",
    "API reference",
    "Keyboard shortcutsCtrl /",
    "System",
    "Light",
    "Dark",
    "Sign out",
  ]);
  await keyboard.press("Enter");
  await seesTitle(page, "Sign in");
});
