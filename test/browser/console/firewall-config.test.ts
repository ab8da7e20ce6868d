// The console's pages of the rest of a firewall's configuration: addresses, managed sets, the whole as a file, and tests of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { Body } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, press, startConsole } from "./console-world.ts";

const { addMember, createOwner, open, send } = await startConsole();

const RULE = {
  name: "Panel",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin/" }] }],
  action: { mitigate: { action: "deny" } },
};

async function openFirewall() {
  const { owner, team } = await createOwner();
  await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: [RULE] });
  return { owner, team, firewall: (version: string) => send(owner, team, "GET", `/v1/firewalls/${version}`) };
}

/** The editor, and its text replaced as by pasting. */
async function write(page: Page, label: string, text: string): Promise<void> {
  const editor = page.getByRole("textbox", { name: label });
  await page.locator(".editor .cm-editor").waitFor();
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

test("an address is refused, changed and let go again in the draft", async (t) => {
  const { owner, team, firewall } = await openFirewall();
  const page = await open(t, owner, `teams/${team.slug}/firewall/addresses`);
  await page.getByText("No address has an entry").waitFor();
  await press(page, "New address");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address or network").fill("192.0.2.300");
  await dialog.getByLabel("Notes").fill("Sends rubbish");
  await dialog.getByRole("button", { name: "Save to draft" }).click();
  await dialog.getByRole("alert").filter({ hasText: "expected" }).waitFor();
  await dialog.getByLabel("Address or network").fill("192.0.2.7");
  await dialog.getByRole("button", { name: "Save to draft" }).click();
  const row = page.getByRole("row").filter({ hasText: "192.0.2.7" });
  await row.getByText("Sends rubbish").waitFor();
  await choose(row, "Edit");
  await pick(page.getByRole("dialog").getByLabel("What happens"), "Challenge");
  await page.getByRole("dialog").getByRole("button", { name: "Save to draft" }).click();
  // The dialog, which says "Challenge" too, is in the row.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await row.getByText("Challenge").waitFor();
  assert.equal((await firewall("draft")).ips[0].action, "challenge");
  await pick(page.getByLabel("Action", { exact: true }), "Deny");
  await page.getByText("No entry matches").waitFor();
  await press(page, "Clear Action");
  await choose(row, "Delete");
  await page.getByText("No address has an entry").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await row.getByText("Sends rubbish").waitFor();
  assert.equal((await firewall("draft")).ips[0].action, "challenge");
  assert.deepEqual((await firewall("active")).ips, []);
});

test("a managed set is switched on, and one that nothing enforces says so", async (t) => {
  const { owner, team, firewall } = await openFirewall();
  const page = await open(t, owner, `teams/${team.slug}/firewall/managed`);
  await pick(page.getByLabel("Crawlers for AI"), "Challenge");
  await page.getByText("Draft with 1 change on version 1").waitFor();
  const { active, action } = (await firewall("draft")).managedRules.ai_bots;
  assert.deepEqual([active, action], [true, "challenge"]);
  await page.getByRole("row").filter({ hasText: "OWASP" }).getByText("Not enforced").waitFor();
  assert.equal(await page.getByText("Not enforced", { exact: true }).count(), 3);
  await pick(page.getByLabel("SQL injection"), "Deny");
  await page.getByText("Draft with 2 changes on version 1").waitFor();
  assert.deepEqual((await firewall("draft")).crs.sqli, { active: true, action: "deny" });
  const enforcement = page.getByRole("complementary", { name: "Enforcement" });
  await enforcement.getByText("crawler-user-agents").waitFor();
  await enforcement.getByText("No gate reports a rule engine").waitFor();
  await send(owner, team, "POST", "/v1/gate/engine", { crs: "modsecurity" });
  await page.reload();
  await enforcement.getByText("ModSecurity").waitFor();
  assert.equal(await enforcement.getByText("No gate reports a rule engine").count(), 0);
  const prose = page.getByLabel("Prose and code in bodies");
  for (const [words, isOn, differences] of [
    ["On: these rules look at the query, cookies and headers only", true, 3],
    ["Off: all rules look into bodies", false, 3],
  ] as const) {
    await pick(prose, words);
    await page.getByText(`Draft with ${differences} changes on version 1`).waitFor();
    const rule = await waitFor("the rule to be in the draft", async () => {
      const { rules } = await firewall("draft");
      return rules.find((one: Body) => one.name === "Prose and code in bodies" && one.active === isOn);
    });
    assert.deepEqual(rule.conditionGroup, [{ conditions: [{ type: "ruleset", op: "eq", value: "prose" }] }]);
  }
  await assertAccessible(page, { name: "console-firewall-managed" });
});

test("the configuration is exported, changed as text, refused with every mistake, reviewed and published", async (t) => {
  const { owner, team, firewall } = await openFirewall();
  const page = await open(t, owner, `teams/${team.slug}/firewall/file`);
  const download = page.waitForEvent("download");
  await press(page, "Save as a file");
  const exported = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  assert.equal(exported.rules[0].name, "Panel");
  await write(page, "Configuration", "{ no json");
  await page.getByRole("alert").filter({ hasText: "This is no JSON object" }).waitFor();
  const wrong = {
    ...exported,
    rules: [{ ...exported.rules[0], active: "yes", action: { mitigate: { action: "stop" } } }],
  };
  await write(page, "Configuration", JSON.stringify(wrong));
  await press(page, "Review changes");
  await press(page, "JSON");
  await page.locator(".differences").getByText("active", { exact: true }).waitFor();
  await press(page, "Publish");
  const refusal = page.getByRole("alert");
  await refusal.getByText("rules[0].active").waitFor();
  await refusal.getByText("rules[0].action.mitigate.action").waitFor();
  await press(page, "Go on editing");
  const shared = {
    id: "office",
    name: "Office",
    active: true,
    conditionGroup: [{ conditions: [{ type: "ip_address", op: "eq", value: "10.0.0.0/8" }] }],
  };
  await write(
    page,
    "Configuration",
    JSON.stringify({ ...exported, rules: [...exported.rules, { ...RULE, name: "Second rule" }], conditions: [shared] }),
  );
  await press(page, "Review changes");
  await page.locator(".differences").getByText("Second rule").waitFor();
  await assertAccessible(page, { name: "console-firewall-file" });
  await press(page, "Publish");
  await page.getByRole("row").filter({ hasText: "Version 2" }).waitFor();
  const active = await firewall("active");
  assert.deepEqual([active.rules.length, active.conditions[0].name], [2, "Office"]);
  assert.equal(active.rules[0].id, exported.rules[0].id, "ids are kept");
});

test("a file with anything in it is shown as it is, and refused with its mistakes", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await open(t, owner, `teams/${team.slug}/firewall/file`);
  const files = [
    { rules: [null, 1, "x", {}, { name: {} }] },
    { rules: [{ name: "Odd", conditionGroup: [{ conditions: [{ type: "none", op: "none" }] }], action: 5 }] },
    { rules: {}, ips: [{}], conditions: [{ id: 1, conditionGroup: "x" }], managedRules: [], crs: null },
  ];
  for (const file of files) {
    await write(page, "Configuration", JSON.stringify(file));
    await press(page, "Review changes");
    await press(page, "Publish");
    await page.getByRole("alert").locator("code").first().waitFor();
    await press(page, "Go on editing");
  }
  // A thousand rules without ids, as programs write them, are compared at once.
  const rules = Array.from({ length: 1_000 }, (_, at) => ({ ...RULE, name: `Rule ${at}` }));
  await write(page, "Configuration", JSON.stringify({ firewallEnabled: true, rules }));
  await press(page, "Review changes");
  await page.locator(".differences").getByText("Rule 999", { exact: true }).waitFor();
});

test("a file is opened from the machine; one that was published meanwhile is not written over", async (t) => {
  const { owner, team, firewall } = await openFirewall();
  const page = await open(t, owner, `teams/${team.slug}/firewall/file`);
  await page.locator(".editor .cm-editor").waitFor();
  const chooser = page.waitForEvent("filechooser");
  await press(page, "Open a file");
  const text = JSON.stringify({ firewallEnabled: false, rules: [] });
  await (await chooser).setFiles({ name: "f.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.getByText('"firewallEnabled":false').waitFor();
  await press(page, "Review changes");
  await page.getByText("removed").waitFor();
  await send(owner, team, "PATCH", "/v1/firewalls", { action: "ja4Enabled", value: true });
  await press(page, "Publish");
  await page.getByRole("alert").filter({ hasText: "expected 2, the active one, got 1" }).waitFor();
  assert.equal((await firewall("active")).rules.length, 1);
});

test("saved tests are a table; each that fails says why in its row, and is found", async (t) => {
  const { owner, team } = await openFirewall();
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, `teams/${team.slug}/firewall/tests`);
  await press(page, "Edit as YAML");
  await write(page, "Expectations", "expectations: nothing");
  await page.getByRole("alert").filter({ hasText: "line:1: expectations: expected a list" }).waitFor();
  await assertAccessible(page, { name: "console-firewall-tests-text" });
  await press(page, "Show as table");
  await page.getByRole("alert").filter({ hasText: "line:1: expectations: expected a list" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Run" }).getAttribute("aria-disabled"), "true");
  await press(page, "Edit as YAML");
  await write(
    page,
    "Expectations",
    JSON.stringify({
      expectations: [
        { name: "panel", request: "/admin/users", expect: { action: "deny", rule: "Panel", status: 403 } },
        { name: "elsewhere", request: { url: "/other", method: "POST", ip: "192.0.2.7" }, expect: "deny" },
        { name: "home", request: "/", expect: "allow", repeat: 2 },
      ],
    }),
  );
  await press(page, "Show as table");
  const row = (text: string) =>
    page.getByRole("table", { name: "Saved tests" }).getByRole("row").filter({ hasText: text });
  await row("POST /other").getByText("192.0.2.7").waitFor();
  await row("panel").getByText("Denied, status 403").waitFor();
  await row("home").getByText("GET /, 2 times").waitFor();
  await row("home").getByText("Not run").waitFor();
  await press(page, "Run");
  await page.getByText("1 of 3 not as expected").waitFor();
  const why =
    'Allowed instead of denied: nothing decided; the rule "Panel" did not match: path pre "/admin/" (was "/other")';
  await row("elsewhere").getByText(why).waitFor();
  await row("panel").getByText("Pass").waitFor();
  await press(page, "Failed");
  await row("home").waitFor({ state: "detached" });
  await row("elsewhere").getByText("Fail", { exact: true }).waitFor();
  await assertAccessible(page, { name: "console-firewall-tests" });
  await press(page, "All");
  await page.getByRole("searchbox", { name: "Search name or request" }).fill("/ADMIN");
  await row("elsewhere").waitFor({ state: "detached" });
  await row("panel").waitFor();
  // Results are of one configuration: another one has none.
  await pick(page.getByLabel("Configuration"), "the draft");
  await row("panel").getByText("Not run").waitFor();
  await press(page, "Run");
  await page.getByText("There is no such configuration").waitFor();
  await page.reload();
  await row("panel").getByText("Not run").waitFor();
});

test("saved tests are run from their text by keyboard, opened from a file and saved as one", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await open(t, owner, `teams/${team.slug}/firewall/tests?edit=yaml`);
  await page.locator(".editor .cm-editor").waitFor();
  const chooser = page.waitForEvent("filechooser");
  await press(page, "Open a file");
  const text = "expectations:\n  - name: the panel is closed\n    request: /admin/\n    expect: deny\n";
  await (await chooser).setFiles({ name: "t.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) });
  await page.getByRole("textbox", { name: "Expectations" }).getByText("the panel is closed").waitFor();
  const download = page.waitForEvent("download");
  await press(page, "Save as a file");
  assert.equal(readFileSync(await (await download).path(), "utf8"), text);
  await page.getByRole("button", { name: "Run" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("All 1 as expected").waitFor();
  await page.getByRole("row").filter({ hasText: "the panel is closed" }).getByText("Pass").waitFor();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Expectations" }).waitFor();
});
