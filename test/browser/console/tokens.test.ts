// The user's access tokens in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { choose, pick, press, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, open, query, request } = await startConsole();

test("a VIEWER creates a token for one team, which works there until it is revoked", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, "access-tokens");
  await press(page, "New token");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("laptop");
  await pick(dialog.getByLabel("Scope"), team.slug);
  await dialog.getByLabel("Days until it ends").fill("0");
  await dialog.getByRole("button", { name: "New token" }).click();
  const token = await dialog.getByLabel("Token", { exact: true }).inputValue();
  assert.equal((await request("GET", `/v2/teams/${team.id}`, { token })).status, 200);
  await dialog.getByRole("button", { name: "Close" }).click();
  const row = page.getByRole("row", { name: /^laptop/ });
  await row.getByText(team.slug).waitFor();
  await choose(row, "Revoke");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  assert.ok((await request("GET", `/v2/teams/${team.id}`, { token })).status >= 400);
});

test("a token is not created without a fresh proof, and then is", async (t) => {
  const { owner } = await createOwner();
  const page = await open(t, owner, "access-tokens");
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  await press(page, "New token");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("laptop");
  await dialog.getByLabel("Days until it ends").fill("0");
  await dialog.getByRole("button", { name: "New token" }).click();
  await dialog.getByText("Confirm it is you").waitFor();
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await dialog.getByLabel("Token", { exact: true }).waitFor();
});

test("a token is limited to a project and permissions, in words before it is made", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, "access-tokens");
  await press(page, "New token");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It may do everything that its user may.").waitFor();
  await dialog.getByLabel("Name").fill("shop");
  await pick(dialog.getByLabel("Scope"), team.slug);
  await dialog.getByLabel("Chosen permissions").check();
  await dialog.getByLabel("see the firewall").check();
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByLabel("Projects").fill("shop");
  const words = "It may see the firewall, and nothing else. Of projects it knows only shop. It works from any address.";
  await dialog.getByText(words).waitFor();
  await dialog.getByRole("button", { name: "New token" }).click();
  const token = await dialog.getByLabel("Token", { exact: true }).inputValue();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("row", { name: /^shop/ }).getByText(words).waitFor();
  assert.equal((await request("GET", "/v9/projects/shop", { token })).status, 200);
  assert.equal((await request("GET", "/v9/projects/site", { token })).status, 404);
});

test("tokens are searched and narrowed to a state by the server", async (t) => {
  const { owner } = await createOwner();
  for (const body of [
    { name: "Laptop", expiresAt: clock.now + 3 * DAY_MS },
    { name: "Laptop of old" },
    { name: "Server" },
  ])
    assert.equal((await request("POST", "/v3/user/tokens", { token: owner.token, body })).status, 200);
  const page = await open(t, owner, "access-tokens");
  const names = page.getByRole("table", { name: "Access tokens" }).locator("tbody strong");
  await names.nth(2).waitFor();
  await page.getByLabel("Search tokens").fill("laptop");
  await names.nth(2).waitFor({ state: "detached" });
  assert.deepEqual(await names.allTextContents(), ["Laptop of old", "Laptop"]);
  await pick(page.getByLabel("State"), "Ends within 7 days");
  await names.nth(1).waitFor({ state: "detached" });
  assert.deepEqual(await names.allTextContents(), ["Laptop"]);
  await page.getByLabel("Search tokens").fill("nothing");
  await page.getByText("No token matches").waitFor();
});
