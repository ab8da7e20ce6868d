// What is pasted into the form of a rule.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { pick, press, startConsole } from "./console-world.ts";

const { createOwner, open } = await startConsole();

async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.getByLabel(label, { exact: true }).focus();
  await page.keyboard.press("ControlOrMeta+V");
}

test("a pasted list is several values, and a pasted call of curl is the request that is tried", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/firewall/rules/new`);
  await page.getByLabel("Name", { exact: true }).fill("Office");
  const one = page.getByRole("group", { name: "Condition 1" });
  await pick(one.getByLabel("Field"), "Client’s address");
  await paste(page, "Value of condition 1", "192.0.2.1, 192.0.2.2\n198.51.100.0/24,\n192.0.2.1");
  const value = one.getByLabel("Value");
  assert.equal(await value.inputValue(), "192.0.2.1\n192.0.2.2\n198.51.100.0/24");
  assert.equal(await one.getByLabel("Operator").innerText(), "is one of");
  await paste(page, "Value of condition 1", "203.0.113.9;203.0.113.10");
  assert.equal((await value.inputValue()).split("\n").length, 5);
  await press(page, "Add condition");
  await pick(page.getByLabel("Operator of condition 2"), "is one of");
  await paste(page, "Value of condition 2", "/a,b\n/c");
  assert.equal(await page.getByLabel("Value of condition 2").inputValue(), "/a,b\n/c");

  await pick(page.getByLabel("Operator of condition 2"), "begins with");
  await page.getByLabel("Value of condition 2").fill("/login");
  const tried = page.getByRole("complementary", { name: "Test" });
  await tried.getByLabel("Client address").fill("198.51.100.7");
  await paste(page, "Path or URL", "curl 'https://shop.example.com/login' -H 'X-Shop: 1' --data-raw 'a=1'");
  assert.equal(await tried.getByLabel("Path or URL").inputValue(), "https://shop.example.com/login");
  assert.equal(await tried.getByLabel("Method").innerText(), "POST");
  const headers = "X-Shop: 1\nContent-Type: application/x-www-form-urlencoded";
  assert.equal(await tried.getByLabel("Headers", { exact: true }).inputValue(), headers);
  assert.equal(await tried.getByLabel("Body").inputValue(), "a=1");
  await tried.getByText("The rule matches.").waitFor();
  await paste(page, "Path or URL", "/curl");
  assert.match(await tried.getByLabel("Path or URL").inputValue(), /login\/curl$/);
});
