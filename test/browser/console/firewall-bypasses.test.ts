// The console's page of the bypasses of a firewall.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, pickTyped, press, startConsole } from "./console-world.ts";

const { createOwner, open, send } = await startConsole();

const HOSTILE = `"><img src=x onerror="window.ran=1">`;

test("an entry is put on the bypass list, found by its domain, and removed", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/firewall/bypasses`);
  await page.getByText("Nobody is on the list").waitFor();
  await press(page, "New bypass");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address or network").fill("10.0.0.0/8");
  await pick(dialog.getByLabel("For which domain"), "one domain");
  await dialog.getByLabel("Domain", { exact: true }).fill("Shop.example.com");
  await dialog.getByLabel("Note").fill(HOSTILE);
  await dialog.getByRole("button", { name: "Add bypass" }).click();
  await dialog.getByRole("alert").filter({ hasText: "a prefix of at least /16" }).waitFor();
  await dialog.getByLabel("Address or network").fill("10.0.0.0/16");
  await dialog.getByRole("button", { name: "Add bypass" }).click();
  const row = page.getByRole("row", { name: /^10\.0\.0\.0\/16/ });
  await row.getByText("shop.example.com").waitFor();
  await assertAccessible(page, { name: "console-bypasses-rows" });
  await pickTyped(page.getByRole("combobox", { name: "Address" }), "10.0.");
  await page.getByRole("alert").filter({ hasText: "expected an address" }).first().waitFor();
  await press(page, "Clear Address");
  await pickTyped(page.getByRole("combobox", { name: "Domain" }), "other.example.com");
  await page.getByText("No entry matches").waitFor();
  await pickTyped(page.getByRole("combobox", { name: "Domain" }), "shop.example.com");
  await choose(row, "Remove…");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
  const bypasses = async () => (await send(owner, team, "GET", "/v1/security/firewall/bypass")).result;
  assert.deepEqual(await bypasses(), []);
  await press(page, "Undo");
  await row.waitFor();
  const [{ Domain, Ip }] = await bypasses();
  assert.deepEqual([Domain, Ip], ["shop.example.com", "10.0.0.0/16"]);
  assert.equal(await page.evaluate("window.ran"), undefined);
});

test("the bypass list has a second page, and every client is removed as such", async (t) => {
  const { owner, team } = await createOwner();
  const path = "/v1/security/firewall/bypass";
  for (let at = 0; at < 51; at++) {
    await send(owner, team, "POST", path, { projectScope: true, sourceIp: `192.0.2.${at}` });
  }
  await send(owner, team, "POST", path, { domain: "z.example.com", allSources: true });
  const page = await open(t, owner, `teams/${team.slug}/firewall/bypasses`);
  await press(page, "Show more");
  const row = page.getByRole("row", { name: /^every client/ });
  await choose(row, "Remove…");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("row").count(), 52);
});
