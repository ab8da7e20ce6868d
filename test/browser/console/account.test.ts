// The pages of one's own account in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { uniqueName } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { openSession } from "../../sign-in/open-session.ts";
import { addPasskeyDevice } from "../passkeys.ts";
import { choose, press, seesHeading, seesPage, startConsole } from "./console-world.ts";

const world = await startConsole();
const { addMember, clock, createOwner, createUser, open, query, request } = world;

const PASSWORD = "four words nobody guesses";
const pressIn = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

test("names are changed, a taken username is refused beside its field, and another page's change is seen", async (t) => {
  const [user, other] = [await createUser(), await createUser()];
  const page = await open(t, user, "you");
  await page.getByLabel("Username").fill(other.username);
  await press(page, "Save");
  await page.locator(".field-problem").waitFor();
  const username = uniqueName("renamed");
  await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
  await page.getByLabel("Username").fill(username);
  await press(page, "Save");
  await page.getByText("Your names were changed").waitFor();
  await page.getByRole("button", { name: "Your account: Ada Lovelace" }).waitFor();
  await request("PATCH", "/v2/user", { token: user.token, body: { name: "Elsewhere" } });
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await press(page, "Save");
  await page.getByRole("alert").getByText("Elsewhere").waitFor();
  await press(page, "Store mine");
  await page.getByRole("button", { name: "Your account: Mine" }).waitFor();
  const names = async () => (await request("GET", "/v2/user", { token: user.token })).body.user;
  assert.equal((await names()).name, "Mine");
  // Of the two that are shown, that of the later change.
  await page.getByRole("button", { name: "Undo" }).first().click();
  await page.getByRole("button", { name: "Your account: Elsewhere" }).waitFor();
  const { name, username: kept } = await names();
  assert.deepEqual([name, kept], ["Elsewhere", username], "what the change did not touch stays");
});

test("an address that nobody can mail to is not changed, and the page says why", async (t) => {
  const page = await open(t, await createUser(), "you");
  await page.getByLabel("New address").fill("new@example.com");
  await press(page, "Change the address");
  await page.getByRole("alert").filter({ hasText: "Code mail_off" }).waitFor();
  assert.equal(await page.getByRole("link", { name: /page without script/ }).getAttribute("href"), "account");
});

test("a passkey is added, renamed and removed, after a fresh proof", async (t) => {
  const user = await createUser();
  const page = await open(t, user, "you/sign-in");
  await addPasskeyDevice(page);
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${user.id}'`);
  await press(page, "Add a passkey");
  await page.getByRole("dialog").getByLabel("Name").fill("Laptop");
  await pressIn(page, "Add a passkey");
  await page.getByText("Confirm it is you").waitFor();
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${user.id}'`);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await choose(page.getByRole("listitem").filter({ hasText: "Laptop" }), "Rename");
  await page.getByRole("dialog").getByLabel("Name").fill("Phone");
  await pressIn(page, "Rename");
  const row = page.getByRole("listitem").filter({ hasText: "Phone" });
  await row.waitFor();
  await choose(row, "Remove");
  await pressIn(page, "Remove");
  await page.getByRole("alert").filter({ hasText: "last way to sign in" }).waitFor();
  await page.keyboard.press("Escape");
  await press(page, "Set password");
  await page.getByLabel("New password").fill(PASSWORD);
  await pressIn(page, "Set password");
  await page.getByText("The password is stored.").waitFor();
  await choose(row, "Remove");
  await pressIn(page, "Remove");
  await page.getByText("You have no passkeys").waitFor();
});

test("a password is set by keyboard alone, and a weak one is refused beside the field", async (t) => {
  const user = await createUser();
  const page = await open(t, user, "you/sign-in");
  const field = page.getByLabel("New password");
  await page.getByRole("button", { name: "Set password" }).focus();
  await page.keyboard.press("Enter");
  await field.focus();
  await page.keyboard.type("password");
  await page.keyboard.press("Enter");
  await page.locator(".field-problem").waitFor();
  await field.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Change password" }).waitFor();
  const [row] = await query(`select count(*) as stored from passwords where user_id = '${user.id}'`);
  assert.equal(Number(row?.["stored"]), 1);
});

test("recovery codes are shown once, and replaced after a question", async (t) => {
  const page = await open(t, await createUser(), "you/sign-in");
  await press(page, "Create recovery codes");
  await pressIn(page, "Create recovery codes");
  const shown = page.getByRole("dialog", { name: "Your recovery codes" });
  assert.equal((await shown.locator(".value").innerText()).split("\n").length, 10);
  await page.keyboard.press("Escape");
  await page.getByText("You have 10 left.").waitFor();
  await press(page, "Replace recovery codes");
  await pressIn(page, "Replace recovery codes");
  await shown.waitFor();
});

test("sessions are ended, one and all others, and this one stays", async (t) => {
  const user = await createUser();
  await openSession(world, user);
  await openSession(world, user);
  // Where sessions were until 0.5.0.
  const page = await open(t, user, "you/sessions");
  await seesPage(page, "Sign-in");
  const rows = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Sign out / }) });
  await rows.first().waitFor();
  assert.equal(await rows.count(), 2);
  await rows.first().getByRole("button").click();
  await waitFor("one row fewer", async () => (await rows.count()) === 1 || undefined);
  await press(page, "Sign out the others");
  await rows.first().waitFor({ state: "detached" });
  const all = page.getByRole("button", { name: "Sign out the others" });
  assert.equal(await all.getAttribute("aria-description"), "There is no other session");
  await page.getByText("this browser").waitFor();
});

test("one's own account is deleted after its username was typed, unless it is the only OWNER of a team", async (t) => {
  const { owner } = await createOwner();
  const page = await open(t, owner, "you");
  await press(page, "Delete account");
  const remove = page.getByRole("dialog").getByRole("button", { name: "Delete account" });
  assert.equal(await remove.getAttribute("aria-description"), `Type ${owner.username} to confirm`);
  await page.getByLabel(`Type ${owner.username} to confirm`).fill(owner.username);
  await remove.click();
  await page.getByRole("alert").filter({ hasText: "Code sole_owner" }).waitFor();
  const user = await createUser();
  const other = await open(t, user, "you");
  await press(other, "Delete account");
  await other.getByLabel(`Type ${user.username} to confirm`).fill(user.username);
  await pressIn(other, "Delete account");
  await seesHeading(other, "Sign in");
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 401);
});

test("a VIEWER has the same account, with its pages side by side", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, await addMember(team, owner, "VIEWER"), "you");
  const tabs = page.getByRole("navigation", { name: "Pages of Account" });
  for (const title of ["Sign-in", "Access tokens", "Profile"]) {
    await tabs.getByRole("link", { name: title }).click();
    await seesPage(page, title === "Profile" ? "Account" : title);
    // Behind the title a tab may say how many things it has.
    const [shown] = (await tabs.locator("[aria-current=page]").innerText()).split("\n");
    assert.equal(shown, title);
  }
});

test("the theme is chosen on the profile and in the menu of one's account, and stays", async (t) => {
  const page = await open(t, await createUser(), "you");
  const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const on = page.getByRole("main").getByRole("group", { name: "Theme" });
  await on.getByRole("button", { name: "System", pressed: true }).waitFor();
  const light = await ground();
  await on.getByRole("button", { name: "Dark" }).click();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  await on.getByRole("button", { name: "Dark", pressed: true }).waitFor();
  assert.equal(await ground(), dark);
  await page.getByRole("button", { name: /^Your account: / }).click();
  await page.locator(".user-menu").getByRole("button", { name: "Light" }).click();
  await on.getByRole("button", { name: "Light", pressed: true }).waitFor();
  assert.equal(await ground(), light);
});
