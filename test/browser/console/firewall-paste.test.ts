// What is pasted into the form of a rule.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertAccessible } from "../accessibility.ts";
import { pick, press, seesHeading, startConsole } from "./console-world.ts";

const { createOwner, open, send } = await startConsole();

async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.getByLabel(label, { exact: true }).focus();
  await page.keyboard.press("ControlOrMeta+V");
}

/** The chips of a condition. */
const chipsOf = async (condition: Locator) =>
  (await condition.getByRole("listitem").allInnerTexts()).map((text) => text.trim());

test("a pasted list is several values, and a pasted call of curl is the request that is tried", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/firewall/rules/new`);
  await page.getByLabel("Name", { exact: true }).fill("Office");
  const one = page.getByRole("group", { name: "Condition 1" });
  await pick(one.getByLabel("Field"), "Client’s address");
  await paste(page, "Value of condition 1", "192.0.2.1, 192.0.2.2\n198.51.100.0/24,\n192.0.2.1");
  assert.deepEqual(await chipsOf(one), ["192.0.2.1", "192.0.2.2", "198.51.100.0/24"]);
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Value of condition 1");
  assert.equal(await one.getByLabel("Operator").innerText(), "is one of");
  await paste(page, "Value of condition 1", "203.0.113.9;203.0.113.10");
  assert.equal((await chipsOf(one)).length, 5);
  await press(page, "Add condition");
  await pick(page.getByLabel("Operator of condition 2"), "is one of");
  await paste(page, "Value of condition 2", "/a,b\n/c");
  assert.deepEqual(await chipsOf(page.getByRole("group", { name: "Condition 2" })), ["/a,b", "/c"]);

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

test("values are typed, marked with what is wrong with them, and removed by keyboard, on a phone too", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/firewall/rules/new`);
  await page.getByLabel("Name", { exact: true }).fill("Office");
  const one = page.getByRole("group", { name: "Condition 1" });
  await pick(one.getByLabel("Field"), "Client’s address");
  await pick(one.getByLabel("Operator"), "is none of");
  await one.getByLabel("Value").focus();
  await page.keyboard.type("192.0.2.1,10.0.0.0/99,");
  await page.keyboard.type("2001:db8::/48");
  await page.getByText("the client’s address is none of 192.0.2.1, 10.0.0.0/99, 2001:db8::/48: deny").waitFor();
  await page.keyboard.press("Enter");
  // Nothing is saved: the server is asked what it would say.
  await one.getByText("10.0.0.0/99: expected an IPv4 or IPv6 address or network").waitFor();
  assert.deepEqual(await one.locator(".chip.bad").allTextContents(), ["Invalid: 10.0.0.0/99"]);
  await assertAccessible(page, { name: "console-rule-values" });
  // Left from the first letter on, to the wrong value.
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Remove 10.0.0.0/99");
  await page.keyboard.press("Delete");
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Remove 2001:db8::/48");
  await one.getByText("expected an IPv4").waitFor({ state: "detached" });
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Backspace");
  assert.deepEqual(await chipsOf(one), ["192.0.2.1"]);
  await page.keyboard.type("198.51.100.7");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Office" }).waitFor();
  const { rules } = await send(owner, team, "GET", "/v1/firewalls/draft");
  assert.deepEqual(rules[0].conditionGroup[0].conditions, [
    { type: "ip_address", op: "ninc", value: ["192.0.2.1", "198.51.100.7"] },
  ]);
});

test("the name is edited in the title: Enter keeps it, Escape brings the one before back, and nothing is no name", async (t) => {
  const { owner, team } = await createOwner();
  const value = {
    name: "Before",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: "/" }] }],
    action: { mitigate: { action: "deny" } },
  };
  const { rules } = await send(owner, team, "PATCH", "/v1/firewalls/draft", { action: "rules.insert", value });
  const page = await open(t, owner, `teams/${team.slug}/firewall/rules/${rules[0].id}`);
  await seesHeading(page, "Before");
  const rename = page.getByRole("button", { name: "Rename" });
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await rename.press("Enter");
  await name.fill("Typed");
  await name.press("Escape");
  await seesHeading(page, "Before");
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Rename");
  await rename.press("Enter");
  await name.fill("  ");
  await name.press("Enter");
  await name.fill("After");
  await name.press("Enter");
  await seesHeading(page, "After");
  await page.getByText("1 unsaved change").waitFor();
  await page.getByLabel("Description").fill("Why it is there");
  await press(page, "Save to draft");
  await page.getByRole("link", { name: "After" }).waitFor();
  const draft = await send(owner, team, "GET", "/v1/firewalls/draft");
  assert.deepEqual([draft.rules[0].name, draft.rules[0].description], ["After", "Why it is there"]);
  await page.getByRole("link", { name: "After" }).click();
  await press(page, "More actions");
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The project has no rules yet").waitFor();
});
