// The console's pages of the firewall's rules: from the first rule to a published version and back, by mouse and by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, press, seesHeading, startConsole } from "./console-world.ts";

const { addMember, createOwner, open, request, send } = await startConsole();

const denyPath = (name: string, value: string, action = "deny") => ({
  name,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value }] }],
  action: { mitigate: { action } },
});

/** A team whose firewall has these rules. */
async function openRules(...rules: readonly object[]) {
  const { owner, team } = await createOwner();
  const { active } = await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules });
  return { owner, team, ids: active.rules.map(({ id }: { id: string }) => id) as string[] };
}

const cards = (page: Page) => page.locator(".rules > li");
const card = (page: Page, name: string) =>
  cards(page).filter({ has: page.getByRole("heading", { name, exact: true }) });
const namesOf = async (page: Page) => await cards(page).getByRole("heading").allTextContents();

test("from nothing to a published rule: built, explained, refused once, saved, reviewed and published", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/firewall`);
  await page.getByText("The project has no rules yet").waitFor();
  await page.getByRole("link", { name: "New rule" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Panel for the office");
  await page.getByLabel("Value of condition 1").fill("/admin");
  await page.getByText("When the path begins with /admin: deny the request.").waitFor();
  await page.getByText("/admin is also the beginning of longer names").waitFor();
  await press(page, "Add condition");
  const second = page.getByRole("group", { name: "Condition 2" });
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Field of condition 2");
  await pick(second.getByLabel("Field"), "Client’s address");
  await pick(second.getByLabel("Operator"), "is not");
  await second.getByLabel("Value").fill("10.0.0.0/99");
  await assertAccessible(page, { name: "console-rule" });
  await press(page, "Save to draft");
  await second.getByText("expected an IPv4 or IPv6 address or network").waitFor();
  assert.equal(await second.getByLabel("Value").getAttribute("aria-invalid"), "true");
  await second.getByLabel("Value").fill("10.0.0.0/8");
  await page.getByRole("radio", { name: "Challenge" }).check({ force: true });
  await pick(page.getByLabel("Keep challenging this client for"), "5 minutes");
  const words =
    "When the path begins with /admin and the client’s address is not 10.0.0.0/8: challenge the request, and the client for 5 minutes.";
  await page.getByText(words).waitFor();
  await page.getByText("4 unsaved changes").waitFor();
  await press(page, "Save to draft");
  await cards(page).getByText(words).waitFor();
  await page.getByText("Draft of the first configuration").waitFor();
  await page.getByRole("link", { name: "Review and publish" }).click();
  await seesHeading(page, "Review changes");
  await page.getByText("Panel for the office").waitFor();
  await page.getByText(words).waitFor();
  await press(page, "JSON");
  await page.locator("code").getByText('"ip_address"').waitFor();
  await page.getByLabel("Note").fill("Keep strangers out");
  await press(page, "Publish version 1");
  await page
    .getByRole("row")
    .filter({ hasText: "Keep strangers out" })
    .getByText("Enforced", { exact: true })
    .waitFor();
  const stored = await send(owner, team, "GET", "/v1/firewalls/active");
  assert.deepEqual(
    [stored.version, stored.note, stored.rules[0].conditionGroup],
    [
      1,
      "Keep strangers out",
      [
        {
          conditions: [
            { type: "path", op: "pre", value: "/admin" },
            { type: "ip_address", op: "neq", value: "10.0.0.0/8" },
          ],
        },
      ],
    ],
  );
});

test("a rule is tried while it is typed: whether it matches, by which condition, and what another rule decides", async (t) => {
  const { owner, team, ids } = await openRules(
    denyPath("First", "/admin/secret"),
    denyPath("Panel", "/admin/", "challenge"),
  );
  const page = await open(t, owner, `teams/${team.slug}/firewall/rules/${ids[1]}`);
  const tried = page.getByRole("complementary", { name: "Test" });
  await tried.getByLabel("Path or URL").fill("/admin/users");
  await tried.getByText("Would be challenged").waitFor();
  await tried.getByText("The rule matches.").waitFor();
  await page.getByLabel("Value of condition 1").fill("/private/");
  await tried.getByText("Would be allowed").waitFor();
  await tried.getByRole("listitem").filter({ hasText: "Does not match: the path begins with /private/" }).waitFor();
  await assertAccessible(page, { name: "console-rule-tried" });
  await page.getByLabel("Value of condition 1").fill("");
  await tried.getByText("The rule is not complete yet").waitFor();
  await page.getByLabel("Value of condition 1").fill("/admin/");
  await tried.getByLabel("Path or URL").fill("/admin/secret");
  await tried.getByText("Decided by rule First").waitFor();
  await tried.getByText("Headers, country, body").click();
  await tried.getByLabel("Headers", { exact: true }).fill("no header");
  await tried.getByText("Line 1 has no name and colon").waitFor();
  await page.getByText("No unsaved changes").waitFor();
  const draft = await request("GET", `/v1/firewalls/draft?teamId=${team.id}`, { token: owner.token });
  assert.equal(draft.status, 404, "nothing is stored");
});

test("rules are moved by mouse and by keyboard, switched, duplicated and deleted, in the draft alone", async (t) => {
  const { owner, team } = await openRules(denyPath("One", "/1/"), denyPath("Two", "/2/"), denyPath("Three", "/3/"));
  const page = await open(t, owner, `teams/${team.slug}/firewall`);
  await cards(page).nth(2).waitFor();
  await cards(page).nth(2).locator(".handle").dragTo(cards(page).nth(0));
  await page.getByText("Three is now 1 of 3").waitFor({ state: "attached" });
  await page.getByText("Draft with 1 change on version 1").waitFor();
  assert.deepEqual(await namesOf(page), ["Three", "One", "Two"]);
  // Held by Space, moved by the arrows, and let go: one change, and the handle keeps the focus.
  await page.getByLabel("Move Three, 1 of 3").focus();
  await page.keyboard.press("Space");
  await page.getByText("Three is held, 1 of 3.").waitFor({ state: "attached" });
  await page.keyboard.press("ArrowDown");
  await page.getByText("Three, 2 of 3", { exact: true }).waitFor({ state: "attached" });
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Move Three, 3 of 3");
  await page.keyboard.press("Space");
  await page.getByText("Three is now 3 of 3").waitFor({ state: "attached" });
  assert.deepEqual(await namesOf(page), ["One", "Two", "Three"]);
  // Escape puts it back.
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Escape");
  await page.getByText("Three stays 3 of 3").waitFor({ state: "attached" });
  assert.deepEqual(await namesOf(page), ["One", "Two", "Three"]);
  await page.getByText("Draft without changes on version 1").waitFor();
  // Two moves, one right after the other, are two moves.
  await choose(card(page, "Three"), "Move up");
  await page.getByText("Three is now 2 of 3").waitFor({ state: "attached" });
  await choose(card(page, "Three"), "Move down");
  await page.getByText("Three is now 3 of 3").waitFor({ state: "attached" });
  await page.getByRole("switch", { name: "Two is on" }).click();
  await page.locator(".rules > li.off").filter({ hasText: "Two" }).getByText("Changed").waitFor();
  await page.getByText("Two was switched off in the draft").waitFor();
  await press(page, "Undo");
  await page.locator(".rules > li.off").waitFor({ state: "detached" });
  assert.deepEqual((await send(owner, team, "GET", "/v1/firewalls/draft")).rules[1].active, true);
  await page.getByRole("switch", { name: "Two is on" }).click();
  await page.locator(".rules > li.off").waitFor();
  await choose(card(page, "Two"), "Duplicate");
  await press(page, "Save to draft");
  await cards(page).filter({ hasText: "Two (copy)" }).getByText("New", { exact: true }).waitFor();
  await assertAccessible(page, { name: "console-rules" });
  await choose(card(page, "One"), "Delete…");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await card(page, "One").waitFor({ state: "detached" });
  assert.deepEqual(await namesOf(page), ["Two", "Three", "Two (copy)"]);
  const active = await send(owner, team, "GET", "/v1/firewalls/active");
  assert.deepEqual([active.version, active.rules.length], [1, 3], "what is active has not changed");
});

test("two who change one rule see both versions; another rule's change does not matter", async (t) => {
  const { owner, team, ids } = await openRules(denyPath("Mine", "/a/"), denyPath("Other", "/b/"));
  const [mine, other] = ids;
  const stage = (id: string | undefined, value: object) =>
    send(owner, team, "PATCH", "/v1/firewalls/draft", { action: "rules.update", id, value });
  const page = await open(t, owner, `teams/${team.slug}/firewall/rules/${mine}`);
  await press(page, "Rename");
  await page.getByLabel("Name", { exact: true }).fill("Typed here");
  await stage(other, denyPath("Changed elsewhere", "/b/"));
  await press(page, "Save to draft");
  await cards(page).filter({ hasText: "Typed here" }).waitFor();
  await page.getByRole("link", { name: "Typed here" }).click();
  await press(page, "Rename");
  await page.getByLabel("Name", { exact: true }).fill("Typed again");
  await stage(mine, denyPath("Theirs", "/c/"));
  await press(page, "Save to draft");
  const conflict = page.getByRole("alert");
  await conflict.locator("del").getByText("/c/").waitFor();
  await conflict.getByText("Typed again", { exact: true }).waitFor();
  await press(page, "Store mine over it");
  await cards(page).filter({ hasText: "Typed again" }).waitFor();
  assert.equal(await cards(page).count(), 2);
});

test("who begins the draft while another one begins it with the same rule sees both versions", async (t) => {
  const { owner, team, ids } = await openRules(denyPath("Mine", "/a/"));
  const page = await open(t, owner, `teams/${team.slug}/firewall/rules/${ids[0]}`);
  await press(page, "Rename");
  await page.getByLabel("Name", { exact: true }).fill("Typed here");
  // The other one's change arrives between the page's look for a draft and its own change.
  const theirs = { action: "rules.update", id: ids[0], value: denyPath("Theirs", "/c/") };
  let isBegun = false;
  await page.route("**/v1/firewalls/draft?**", async (route) => {
    if (!isBegun && route.request().method() === "PATCH") {
      isBegun = true;
      await send(owner, team, "PATCH", "/v1/firewalls/draft", theirs);
    }
    await route.continue();
  });
  await press(page, "Save to draft");
  const conflict = page.getByRole("alert");
  await conflict.locator("del").getByText("/c/").waitFor();
  const { rules } = await send(owner, team, "GET", "/v1/firewalls/draft");
  assert.deepEqual(
    rules.map(({ name }: { name: string }) => name),
    ["Theirs"],
  );
});

test("a version is rolled back to, after a look at what that changes", async (t) => {
  const { owner, team } = await openRules(denyPath("Kept", "/a/"));
  await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: false, rules: [], note: "A mistake" });
  const page = await open(t, owner, `teams/${team.slug}/firewall/versions`);
  const second = page.getByRole("row").filter({ hasText: "A mistake" });
  await choose(second, "Show changes");
  const changed = page.getByRole("region", { name: "What version 2 changed" });
  await changed.getByText("Removed", { exact: true }).waitFor();
  await assertAccessible(page, { name: "console-versions-compared" });
  await choose(page.getByRole("row").filter({ hasText: "Version 1" }), "Roll back to version 1…");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("When the path begins with /a/: deny the request.").waitFor();
  await dialog.getByLabel("Note").fill("Back to the rule");
  await dialog.getByRole("button", { name: "Roll back to version 1" }).click();
  await page.getByRole("row").filter({ hasText: "Version 1" }).getByText("Enforced", { exact: true }).waitFor();
  const active = await send(owner, team, "GET", "/v1/firewalls/active");
  assert.deepEqual([active.firewallEnabled, active.rules.length], [true, 1]);
});

test("two versions are selected by keyboard and compared, and the comparison can be handed on", async (t) => {
  const { owner, team } = await openRules(denyPath("First", "/a/"));
  for (const name of ["Second", "Third"])
    await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: [denyPath(name, "/a/")] });
  const page = await open(t, owner, `teams/${team.slug}/firewall/versions`);
  await page.setViewportSize({ width: 360, height: 740 });
  const tick = (version: number) => page.getByRole("checkbox", { name: `Select version ${version}` });
  await tick(3).press("Space");
  const bar = page.getByRole("toolbar");
  const refused = bar.getByRole("button", { name: "Compare", exact: true });
  assert.equal(await refused.getAttribute("aria-description"), "Select a second version");
  await tick(1).press("Space");
  assert.equal(await tick(2).getAttribute("aria-description"), "No more than 2 at a time");
  await tick(2).press("Space");
  assert.deepEqual(await Promise.all([3, 2, 1].map((version) => tick(version).isChecked())), [true, false, true]);
  const compare = bar.getByRole("button", { name: "Compare 1 and 3" });
  await compare.press("Enter");
  const section = page.getByRole("region", { name: "Version 1 to 3" });
  await section.getByText("Third").waitFor();
  assert.deepEqual(await section.getByRole("strong").allTextContents(), ["First", "Third"]);
  assert.equal(await page.locator(":focus").textContent(), "Version 1 to 3");
  await assertAccessible(page, { name: "console-versions-two" });
  await page.reload();
  await section.getByText("Third").waitFor();
  await tick(2).press("Space");
  await tick(3).press("Space");
  await bar.getByRole("button", { name: "Compare 2 and 3" }).press("Enter");
  const next = page.getByRole("region", { name: "Version 2 to 3" });
  await next.getByText("Second").waitFor();
  await next.getByRole("button", { name: "Close" }).press("Enter");
  assert.equal(await page.locator(":focus").textContent(), "Compare 2 and 3");
  assert.equal(await page.getByRole("region").count(), 0);
  assert.equal(new URL(page.url()).searchParams.get("compare"), null);
});

test("a rule that never gets its turn is named, and a VIEWER sees all and changes nothing", async (t) => {
  const { owner, team, ids } = await openRules(
    denyPath("All of it", "/a/"),
    denyPath("Part of it", "/a/b/", "challenge"),
  );
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, `teams/${team.slug}/firewall`);
  await cards(page).nth(1).getByText("Check this rule").first().click();
  await cards(page).nth(1).getByText("It never gets its turn: “All of it” before it decides").waitFor();
  for (const name of ["New rule", "Move All of it, 1 of 2"]) {
    const button = page.getByRole("button", { name });
    assert.equal(await button.getAttribute("aria-disabled"), "true", name);
    assert.equal(await button.getAttribute("aria-description"), "Your role may not change the firewall");
  }
  assert.ok(await page.getByRole("switch", { name: "All of it is on" }).isDisabled());
  await page.getByRole("button", { name: "Actions for All of it" }).click();
  await page.getByRole("menuitem", { name: "Delete…", disabled: true }).getByText("Your role may not").waitFor();
  await page.keyboard.press("Escape");
  await page.goto(page.url().replace("/firewall", `/firewall/rules/${ids[0]}`));
  assert.equal(
    await page.getByRole("button", { name: "Save to draft" }).getAttribute("aria-description"),
    "Your role may not change the firewall",
  );
});
