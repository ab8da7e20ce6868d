// The documentation of a running server, in a real browser: its looks, its search, and addresses of earlier versions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { startWebApp } from "./browser-world.ts";

const browser = await openBrowser();
const { url } = await startWebApp();

for (const name of ["", "secrets", "errors", "reference-api-keys"]) {
  test(`the page "${name}" is accessible at each width and in each scheme`, async (t) => {
    const page = await browser.openPage(t);
    await page.goto(`${url}/docs/${name}`);
    await page.getByRole("combobox", { name: "Search the documentation" }).waitFor();
    await assertAccessible(page, { name });
  });
}

test("the search finds a setting, an error and an operation by the keyboard alone", async (t) => {
  const page = await browser.openPage(t);
  for (const [asked, leadsTo, title] of [
    ["disk reserve", "configuration#REEVE_DISK_RESERVE", "Configuration"],
    ["last_owner", "errors#last_owner", "Error codes"],
    ["reveal secret value", /\/docs\/reference-secrets#\w+$/, "Secrets"],
  ] as const) {
    await page.goto(`${url}/docs/`);
    await page.keyboard.press("/");
    await page.keyboard.type(asked);
    const first = page.getByRole("option").first();
    await first.waitFor();
    assert.equal(await first.getAttribute("aria-selected"), "true");
    if (typeof leadsTo !== "string") {
      await page
        .getByRole("option", { name: `${title} (API)` })
        .first()
        .click();
      await page.waitForURL(leadsTo);
    } else {
      await page.keyboard.press("Enter");
      await page.waitForURL(`${url}/docs/${leadsTo}`);
    }
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
  }
});

test("the search says that nothing was found, and that it could not be loaded", async (t) => {
  const page = await browser.openPage(t);
  const search = page.getByRole("combobox");
  await page.route("**/search.json", (route) => route.abort());
  await page.goto(`${url}/docs/gate`);
  await search.fill("rate limit");
  await page.getByText("The search could not be loaded. Try again.").waitFor();
  await page.unroute("**/search.json");
  await search.fill("xyzzyplugh");
  await page.getByText("Nothing is about “xyzzyplugh”.").waitFor();
  await search.press("Escape");
  assert.equal(await search.inputValue(), "");
});

test("addresses of the reference of earlier versions lead to what they were about", async (t) => {
  const page = await browser.openPage(t);
  for (const [old, now] of [
    ["docs#error-last_owner", "docs/errors#last_owner"],
    ["docs#createTeam", "docs/reference-teams#createTeam"],
    ["docs#event-team-delete", "docs/reference#event-team-delete"],
  ] as const) {
    await page.goto(`${url}/${old}`);
    await page.waitForURL(`${url}/${now}`);
  }
});

test("a block is copied as it is written", async (t) => {
  const page = await browser.openPage(t);
  await page.goto(`${url}/docs/install`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const block = page.locator(".block").first();
  await block.hover();
  await block.getByRole("button", { name: "Copy" }).click();
  await block.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), await block.locator("code").textContent());
});
