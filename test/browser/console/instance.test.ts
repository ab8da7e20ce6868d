// The pages of the instance in the console, for administrators alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { ADDRESSES } from "../../../console/addresses.ts";
import { uniqueName } from "../../harness/test-app.ts";
import { choose, pick, press, startConsole } from "./console-world.ts";

const { addMember, admin, createOwner, createUser, open, query, request } = await startConsole({
  smtpUrl: "smtp://ada:hidden@127.0.0.1:9",
});

const pressIn = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
/** Accounts that the page asks for at once. */
const PAGE = 50;
const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

test("others than administrators get what an unknown address gets, and no entry leads there", async (t) => {
  const { owner, team } = await createOwner();
  for (const person of [owner, await addMember(team, owner, "VIEWER")]) {
    const page = await open(t, person, "no-such-page");
    await page.getByText("There is no such page").waitFor();
    await page.getByRole("button", { name: /^Your account/ }).waitFor();
    const unknown = await page.getByRole("main").innerText();
    assert.equal(await page.getByRole("link", { name: "Instance", exact: true }).count(), 0);
    for (const path of [ADDRESSES.instance, ADDRESSES.accounts, ADDRESSES.instanceSettings]) {
      await page.goto(new URL(`/console${path}`, page.url()).href);
      await page.getByText("There is no such page").waitFor();
      assert.equal(await page.getByRole("main").innerText(), unknown);
      assert.equal(await page.title(), "Page not found · Reeve");
    }
  }
});

test("an administrator reads health, keys and what waits in words", async (t) => {
  const page = await open(t, admin, "");
  await page.getByRole("link", { name: "Instance", exact: true }).click();
  const health = page.getByRole("listitem").filter({ has: page.getByText("Database", { exact: true }) });
  await health.getByText("The database responds and takes writes").waitFor();
  await health.getByText("Fine", { exact: true }).waitFor();
  await page.getByText("Every stored value is under the active key.").waitFor();
  await page.getByText("Reeve cannot know", { exact: false }).waitFor();
  await rowOf(page, "Deliveries").getByText("None", { exact: true }).waitFor();
  const { owner, team } = await createOwner();
  const body = { name: "ROTATED", value: "x" };
  await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
  await query("update secret_versions set key_id = 'key_former'");
  await page.reload();
  await page.getByText("Values that are not under the active key yet: 1", { exact: false }).waitFor();
  await page.getByText("Missing here").waitFor();
  await query("delete from secret_versions");
});

test("each setting says where it comes from, and no credential is shown", async (t) => {
  const page = await open(t, admin, "instance/settings");
  await rowOf(page, "REEVE_SMTP_URL").getByText("Set, not shown").waitFor();
  await rowOf(page, "REEVE_HOST").getByText("Default", { exact: true }).waitFor();
  assert.ok(!(await page.content()).includes("hidden@"));
  await pick(page.getByLabel("From", { exact: true }), "Flag");
  await rowOf(page, "REEVE_HOST").waitFor({ state: "detached" });
  await page.reload();
  await rowOf(page, "REEVE_SMTP_URL").waitFor();
  await page.getByLabel("Search name or purpose").fill("nothing of this kind");
  await page.getByText("No setting matches").waitFor();
});

test("an account is created, found, changed, suspended, resumed and deleted", async (t) => {
  const page = await open(t, admin, "instance/accounts");
  const username = uniqueName("grace");
  await press(page, "New account");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail address").fill(admin.email);
  await dialog.getByLabel("Username").fill(username);
  await pressIn(page, "New account");
  await dialog.locator(".field-problem").waitFor();
  await dialog.getByLabel("E-mail address").fill(`${username}@example.com`);
  await pressIn(page, "New account");
  assert.equal(await dialog.getByLabel("Command").inputValue(), `reeve user sign-in-link ${username}`);
  await page.keyboard.press("Escape");
  await page.getByLabel("Search name, username or e-mail").fill(username);
  await rowOf(page, admin.email).waitFor({ state: "detached" });
  const row = rowOf(page, username);
  await choose(row, "Change");
  await dialog.getByLabel("Name", { exact: true }).fill("Grace Hopper");
  await dialog.getByLabel("May administer the instance").check();
  await pressIn(page, "Save");
  await row.getByText("Grace Hopper").waitFor();
  await row.getByText("Administrator", { exact: true }).waitFor();
  await choose(row, "Suspend");
  await pressIn(page, "Suspend");
  await row.getByText("suspended").waitFor();
  await choose(row, "Resume");
  await pressIn(page, "Resume");
  await row.getByText("suspended").waitFor({ state: "detached" });
  await choose(row, "Delete");
  await dialog.getByLabel(`Type ${username} to confirm`).fill(username);
  await pressIn(page, "Delete");
  await page.getByText("No account matches").waitFor();
});

test("an account is created by keyboard alone", async (t) => {
  const page = await open(t, admin, "instance/accounts");
  const username = uniqueName("keys");
  await page.getByRole("button", { name: "New account" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("E-mail address").waitFor();
  await page.keyboard.type(`${username}@example.com`);
  await page.keyboard.press("Tab");
  await page.keyboard.type(username);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Command").waitFor();
});

test("more accounts than a page holds are shown on demand, and found by a search", async (t) => {
  for (let count = 0; count < PAGE; count++) await createUser();
  const page = await open(t, admin, "instance/accounts");
  await page
    .locator("tbody tr")
    .nth(PAGE - 1)
    .waitFor();
  assert.equal(await page.locator("tbody tr").count(), PAGE);
  await rowOf(page, admin.email).waitFor({ state: "detached" });
  await press(page, "Show more");
  await rowOf(page, admin.email).waitFor();
});

test("one's own account is not suspended or deleted here, and the only OWNER of a team stays", async (t) => {
  const { owner } = await createOwner();
  await createUser();
  const page = await open(t, admin, "instance/accounts");
  await page.getByLabel("Search name, username or e-mail").fill(admin.email);
  await rowOf(page, admin.email)
    .getByRole("button", { name: `Actions for ${admin.username}` })
    .click();
  const own = page.getByRole("menuitem", { name: "Delete" });
  await own.getByText("Not your own account").waitFor();
  assert.equal(await own.getAttribute("aria-disabled"), "true");
  await page.keyboard.press("Escape");
  await page.getByLabel("Search name, username or e-mail").fill(owner.email);
  await choose(rowOf(page, owner.email), "Delete");
  await page.getByRole("dialog").getByLabel(`Type ${owner.username} to confirm`).fill(owner.username);
  await pressIn(page, "Delete");
  await page.getByRole("alert").filter({ hasText: "Code sole_owner" }).waitFor();
});
