// The menus of rows, and the lists of choices: their code comes late, they go by keys, and they say why something cannot be chosen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "../accessibility.ts";
import { pick, press, startConsole } from "./console-world.ts";

const { addMember, createOwner, openBlank, open, request, url } = await startConsole();

/** An OWNER with tokens of these names. */
async function createTokens(...names: readonly string[]) {
  const { owner } = await createOwner();
  for (const name of names) await request("POST", "/v3/user/tokens", { token: owner.token, body: { name } });
  return owner;
}

test("a press before the code of menus is there waits for it", async (t) => {
  const page = await openBlank(t, await createTokens("laptop"));
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/assets\/headless-[\w-]+\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${url}/console/access-tokens`);
  const trigger = page.getByRole("button", { name: "Actions for laptop" });
  await trigger.click();
  await page.locator("[aria-haspopup=menu][aria-expanded=true]").waitFor();
  assert.equal(await page.getByRole("menu").count(), 0);
  release();
  await page.getByRole("menu", { name: "Actions for laptop" }).waitFor();
});

test("a menu is opened, gone through and closed by keys, and gives the focus back", async (t) => {
  const page = await open(t, await createTokens("laptop"), "access-tokens");
  const trigger = page.getByRole("button", { name: "Actions for laptop" });
  const hasFocus = page.locator(":focus");
  await trigger.focus();
  await page.keyboard.press("ArrowDown");
  const item = page.getByRole("menuitem", { name: "Revoke" });
  await item.and(hasFocus).waitFor();
  await page.keyboard.press("Escape");
  await trigger.and(hasFocus).waitFor();
  assert.equal(await page.getByRole("menu").count(), 0);
  await page.keyboard.press("Enter");
  await item.and(hasFocus).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Revoke the token laptop?" }).waitFor();
  await page.keyboard.press("Escape");
  await trigger.and(hasFocus).waitFor();
});

test("an open menu is accessible, and a press beside it closes it", async (t) => {
  const page = await open(t, await createTokens("laptop"), "access-tokens");
  const trigger = page.getByRole("button", { name: "Actions for laptop" });
  await trigger.click();
  await page.getByRole("menu").waitFor();
  await assertAccessible(page, { name: "console-menu" });
  await page.mouse.click(600, 700);
  await page.getByRole("menu").waitFor({ state: "detached" });
  await trigger.click();
  await page.getByRole("menu").waitFor();
});

test("letters open a choice at what begins with them, and the search of a long one", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  const hasFocus = page.locator(":focus");
  await press(page, "Invite people");
  const role = page.getByRole("dialog").getByLabel("Role");
  await role.focus();
  await page.keyboard.type("de");
  await page.getByRole("option", { name: "Developer", exact: true }).and(hasFocus).waitFor();
  await page.keyboard.press("Enter");
  await role.getByText("Developer").waitFor();
  await page.goto(`${url}/console/teams/${team.slug}/firewall/rules/new`);
  const type = page.getByLabel("Field of condition 1");
  await type.focus();
  await page.keyboard.type("cou");
  const search = page.getByRole("combobox", { name: "Search" });
  await search.and(hasFocus).waitFor();
  assert.equal(await search.inputValue(), "cou");
  await page.getByRole("option", { name: "Country", exact: true }).and(page.locator("[data-highlighted]")).waitFor();
  await page.keyboard.press("Enter");
  await type.getByText("Country", { exact: true }).waitFor();
});

test("a choice that is being stored does not open", async (t) => {
  const { owner, team } = await createOwner();
  const member = await addMember(team, owner, "MEMBER");
  const page = await open(t, owner, `teams/${team.slug}/members`);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/members\/[\w-]+$/, async (route) => {
    await held;
    await route.continue();
  });
  const role = page.getByLabel(`Role: ${member.username}`);
  await pick(role, "Security");
  await page.locator("[role=combobox][aria-busy=true][aria-disabled=true]").and(role).waitFor();
  await role.click({ force: true });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("v");
  assert.equal(await role.getAttribute("aria-expanded"), "false");
  release();
  await page.locator("[role=combobox]:not([aria-busy])").and(role).waitFor();
  await pick(role, "Viewer");
});
