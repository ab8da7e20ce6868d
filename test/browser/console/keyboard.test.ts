// The main task of each page by keyboard alone: what is needed can be reached by Tab, and is used by keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { uniqueName } from "../../harness/test-app.ts";
import { seesHeading, seesPage, startConsole } from "./console-world.ts";

const { createOwner, open, request } = await startConsole();

/** More than any page of these tests has. */
const MOST_STOPS = 120;

/** What a screen reader would call the element that has the focus, without what else is read. */
const NAME = `(() => {
  const element = document.activeElement;
  const name = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  return name.trim();
})()`;

function keysOf(page: Page) {
  const { keyboard } = page;
  return {
    press: (key: string) => keyboard.press(key),
    /** Goes on by Tab until this has the focus. */
    async to(name: string): Promise<void> {
      const seen: string[] = [];
      for (let stops = 0; stops < MOST_STOPS; stops++) {
        const focused: string = await page.evaluate(NAME);
        if (focused === name) return;
        seen.push(focused.slice(0, 30));
        await keyboard.press("Tab");
      }
      assert.fail(`Tab never reaches ${name}: ${seen.join(" | ")}`);
    },
    type: (text: string) => keyboard.type(text),
  };
}

/** Opens a page of a new team. */
async function openPage(t: Parameters<typeof open>[0], path: string) {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/${path}`);
  await page.locator("main").getByRole("button").or(page.locator("main").getByRole("link")).first().waitFor();
  const read = async (address: string) =>
    (await request("GET", `${address}?teamId=${team.id}`, { token: owner.token })).body;
  return { owner, team, page, read, ...keysOf(page) };
}

test("somebody is invited", async (t) => {
  const { page, to, type, press, read, team } = await openPage(t, "members");
  await to("Invite people");
  await press("Enter");
  await to("E-mail addresses");
  const email = `${uniqueName("grace")}@example.com`;
  await type(email);
  await to("Invite");
  await press("Enter");
  await page.getByRole("dialog").getByLabel(email).waitFor();
  await press("Escape");
  await page.getByRole("row", { name: `${email} invited` }).waitFor();
  assert.equal((await read(`/v2/teams/${team.id}/members`)).members[0].email, email);
});

test("a secret is created, and its value replaced", async (t) => {
  const { page, to, type, press, read } = await openPage(t, "secrets");
  await to("New secret");
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  await type("API_KEY");
  await to("Value");
  await type("first");
  await to("Create secret");
  await press("Enter");
  await to("New version");
  await press("Enter");
  await to("Value");
  await type("second");
  await to("Save");
  await press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal((await read("/v3/secrets/API_KEY")).version, 2);
});

test("entries are pasted into two environments, and one of them is changed", async (t) => {
  const { page, to, type, press, read } = await openPage(t, "environments");
  await to("Paste entries");
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  await type("LEVEL=info\nRETRIES=3");
  await to("A new secret value");
  await press("ArrowDown");
  await to("preview");
  await press("Space");
  await to("Review changes");
  await press("Enter");
  await page.getByRole("dialog").getByRole("heading", { name: "preview" }).waitFor();
  await to("Store");
  await press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await to("RETRIES");
  await press("Enter");
  await seesHeading(page, "RETRIES");
  await page.getByRole("button", { name: "Actions for production" }).waitFor();
  await to("Actions for production");
  await press("Enter");
  await page.getByRole("menuitem", { name: "Change" }).and(page.locator(":focus")).waitFor();
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  await press("ControlOrMeta+a");
  await type("5");
  await to("Review changes");
  await press("Enter");
  await page.getByText("another value").waitFor();
  await to("Back");
  await press("Enter");
  // Where the look began.
  await page.getByRole("button", { name: "Review changes" }).and(page.locator(":focus")).waitFor();
  await press("Enter");
  await page.getByText("another value").waitFor();
  await to("Store");
  await press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const values = async (name: string) =>
    (await read(`/v1/environments/default/${name}`)).entries.map((one: { readonly value: string }) => one.value);
  assert.deepEqual(
    [await values("production"), await values("preview")],
    [
      ["info", "5"],
      ["info", "3"],
    ],
  );
});

test("a rule is built, and published", async (t) => {
  const { page, to, type, press, read } = await openPage(t, "firewall");
  await to("New rule");
  await press("Enter");
  await seesHeading(page, "New rule");
  await page.getByLabel("Name", { exact: true }).waitFor();
  await to("Name");
  await type("Panel");
  await to("Value of condition 1");
  await type("/admin/");
  await to("Add condition");
  await press("Enter");
  // The focus is in what was added.
  await to("Value of condition 2");
  await type("/admin/more");
  await to("Remove condition 1");
  await press("Enter");
  await to("Add condition");
  await press("Enter");
  await to("Value of condition 2");
  await type("/admin/");
  await to("Deny");
  await press("ArrowRight");
  await to("Save to draft");
  await press("Enter");
  await page.getByRole("link", { name: "Review and publish" }).waitFor();
  await to("Review and publish");
  await press("Enter");
  await page.getByRole("button", { name: "Publish" }).waitFor();
  await to("Note");
  await type("By keys");
  await press("Enter");
  await seesPage(page, "Versions");
  const { rules, note } = await read("/v1/firewalls/active");
  const values = rules[0].conditionGroup[0].conditions.map(({ value }: { value: string }) => value);
  assert.deepEqual(
    [values, rules[0].action.mitigate.action, note],
    [["/admin/more", "/admin/"], "challenge", "By keys"],
  );
});

test("an API key is created", async (t) => {
  const { page, to, type, press } = await openPage(t, "keys");
  await to("New API key");
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  await type("deployer");
  await press("Enter");
  await page.getByRole("dialog").getByLabel("Key").waitFor();
  await press("Escape");
  await page.getByRole("row").filter({ hasText: "deployer" }).waitFor();
});

test("a client is put on the bypass list", async (t) => {
  const { page, to, type, press } = await openPage(t, "firewall/bypasses");
  await to("New bypass");
  await press("Enter");
  await to("Address or network");
  await type("192.0.2.7");
  await press("Enter");
  await page.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
});

test("a team gets another name", async (t) => {
  const { page, team, to, type, press, read } = await openPage(t, "settings");
  await to("Name");
  await press("ControlOrMeta+a");
  await type("The Compilers");
  await press("Enter");
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("The Compilers").waitFor();
  assert.equal((await read(`/v2/teams/${team.id}`)).name, "The Compilers");
});

test("events are filtered, and one is opened", async (t) => {
  const { page, to, press, owner, team } = await openPage(t, "events");
  await request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name: "Renamed" } });
  await page.reload();
  await page.locator("tbody a").nth(1).waitFor();
  const first = page.locator("tbody a").first();
  await to(((await first.textContent()) ?? "").trim());
  await press("Enter");
  const drawer = page.getByRole("dialog");
  await drawer.getByText("Chain").waitFor();
  const address = page.url();
  await press("j");
  await page.waitForURL((now) => now.href !== address);
  await press("Escape");
  await drawer.waitFor({ state: "detached" });
  await page.locator("tbody a:focus").waitFor();
});

test("a trust rule is created, and a token is tried", async (t) => {
  const { page, to, type, press, read } = await openPage(t, "trust-rules");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await to("New trust rule");
  await press("Enter");
  await to("Name");
  await type("Deployments");
  await to("Owner");
  await type("acme");
  await to("Id of the owner");
  await type("1234567");
  await to("Repository");
  await type("shop");
  await to("New trust rule");
  await press("Enter");
  const job = page.getByRole("dialog", { name: "A job that uses Deployments" });
  await job.waitFor();
  await to("Copy");
  await press("Enter");
  await job.getByRole("button", { name: "Copied" }).waitFor();
  await press("Escape");
  await job.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Deployments", exact: true }).waitFor();
  const { trusts } = await read("/v1/identity/trusts");
  assert.deepEqual(trusts[0].claims.sub, [
    "repo:acme/shop:environment:production",
    "repo:acme@1234567/shop@*:environment:production",
  ]);
  await to("Try a token");
  await press("Enter");
  await to("Token");
  await type("x");
  await to("Try it");
  await press("Enter");
  await page.getByText("This token is not exchanged").waitFor();
});
