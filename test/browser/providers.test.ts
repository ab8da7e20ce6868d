// Single sign-on in a real browser: over to a provider on another site and back, with the cookies that browsers send then.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { signInLinkUrl } from "../../src/identity/sign-in/link-url.ts";
import { uniqueName } from "../harness/test-app.ts";
import type { Issuer } from "../sign-in/oidc-issuer.ts";
import { openSession } from "../sign-in/open-session.ts";
import { startIssuers } from "../sign-in/provider-world.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { seesConsole, startWebApp } from "./browser-world.ts";

const browser = await openBrowser();
let issuers: ReadonlyMap<string, Issuer> = new Map();
const { app, clock, createUser, url } = await startWebApp(async (publicUrl) => {
  const started = await startIssuers({ keycloak: { signUp: true }, entra: {} }, publicUrl);
  issuers = started.issuers;
  return started.flags;
});

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const seesTitle = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

/** Somebody at a provider, who signs in there next. */
function expectPerson(id: string, email = `${uniqueName("person")}@acme.example`): string {
  const issuer = issuers.get(id);
  const subject = uniqueName("subject");
  issuer?.setAccount(subject, { email, email_verified: true, name: "Ada" });
  issuer?.expect(subject);
  return email;
}

/** Aborts what leads to a provider, so that the page before stays. Returns what ends that. */
async function closeWay(page: Page, id: string): Promise<() => Promise<void>> {
  const isThere = ({ origin }: URL) => origin === issuers.get(id)?.url;
  await page.route(isThere, (route) => route.abort("aborted"));
  return () => page.unroute(isThere);
}

test("a stranger goes to the provider and comes back with an account, and proves with it who they are", async (t) => {
  const page = await browser.openPage(t);
  expectPerson("keycloak");
  await page.goto(`${url}/console/sign-in`);
  await assertAccessible(page, { name: "sign-in-providers" });
  const openWay = await closeWay(page, "keycloak");
  await press(page, "Continue with Keycloak");
  await seesTitle(page, "Continue at Keycloak");
  await assertAccessible(page, { name: "leaving-for-provider" });
  await openWay();
  await page.getByRole("link", { name: "Continue" }).click();
  await seesConsole(page, "Ada");
  await page.goto(`${url}/console/account`);
  await page.getByRole("heading", { name: "Single sign-on" }).waitFor();
  await assertAccessible(page, { name: "account-providers" });

  clock.advance(11 * MINUTE_MS);
  await page.goto(`${url}/console/prove?return=account`);
  await assertAccessible(page, { name: "prove-providers" });
  await press(page, "Confirm with Keycloak");
  await seesTitle(page, "Your account");
  await press(page, "Make ten codes");
  await seesTitle(page, "Your recovery codes");
});

test("who has an account with the address connects it, and signs in with the provider from then on", async (t) => {
  const user = await createUser();
  const page = await browser.openPage(t);
  expectPerson("entra", user.email);
  await page.goto(`${url}/console/sign-in/entra`);
  await assertAccessible(page, { name: "sign-in-entra" });
  await press(page, "Continue to Entra");
  await seesTitle(page, "You have an account here");
  await assertAccessible(page, { name: "link-required" });
  const link = await app.runner.changes.createSignInLink({ name: user.id }, clock.now);
  assert.ok(link);
  const connect = page.getByRole("link", { name: "Sign in and connect" });
  assert.equal(await connect.getAttribute("href"), "../../sign-in?return=connect");
  await page.goto(signInLinkUrl(url, link.purpose, link.code));
  await page.getByLabel("Password").fill("correct horse battery staple");
  await press(page, "Set up and sign in");
  await seesConsole(page, user.username);
  await page.goto(`${url}/console/connect?return=account`);
  await assertAccessible(page, { name: "connect" });
  await press(page, "Connect");
  await page.getByText(user.email).first().waitFor();
  await page.getByRole("button", { name: `Disconnect ${user.email} at Entra` }).waitFor();
  await press(page, `Sign out ${user.username}`);
  await press(page, "Continue with Entra");
  await seesConsole(page, user.username);
});

test("on the console's page of ways to sign in a provider is connected, and disconnected again", async (t) => {
  const user = await createUser();
  const page = await browser.openPage(t);
  const { session } = await openSession({ app, clock }, user);
  await page.context().addCookies([{ name: "reeve", value: session, url }]);
  await page.goto(`${url}/console/you/sign-in`);
  const email = expectPerson("keycloak");
  await press(page, "Connect Keycloak");
  await page.getByRole("listitem").filter({ hasText: email }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/you/sign-in");
  const dialog = page.getByRole("dialog", { name: "Disconnect Keycloak?" });
  await press(page, "Disconnect");
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await dialog.getByRole("alert").filter({ hasText: "last way to sign in" }).waitFor();
  await page.keyboard.press("Escape");
  await press(page, "Set password");
  await page.getByLabel("New password").fill("correct horse battery staple");
  await page.getByRole("dialog").getByRole("button", { name: "Set password" }).click();
  await page.getByText("The password is stored.").waitFor();
  await press(page, "Disconnect");
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("listitem").filter({ hasText: email }).waitFor({ state: "detached" });
});

test("who has no account is told so, and who cancels comes back to signing in", async (t) => {
  const page = await browser.openPage(t);
  expectPerson("entra");
  await page.goto(`${url}/console/sign-in`);
  await press(page, "Continue with Entra");
  await seesTitle(page, "No account here");
  await assertAccessible(page, { name: "no-account" });
  issuers.get("entra")?.expect("cancel");
  await page.context().clearCookies();
  await page.goto(`${url}/console/sign-in`);
  await press(page, "Continue with Entra");
  await seesTitle(page, "Not signed in with Entra");
  await assertAccessible(page, { name: "provider-refused" });
  await page.getByRole("link", { name: "Sign in" }).click();
  await seesTitle(page, "Sign in");
});
