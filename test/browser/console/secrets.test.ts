// The secrets of a team in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { DAY_MS, MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, press, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, open, query, request } = await startConsole();

/** Chooses an action in the menu of the page. */
async function chooseOf(page: Page, action: string): Promise<void> {
  await press(page, "More actions");
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

test("a secret is created, revealed, replaced, brought back, renamed, deleted and restored", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  await page.getByText("The team has no secrets yet").waitFor();
  await press(page, "New secret");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("not a name");
  await dialog.getByLabel("Value", { exact: true }).fill(" first ");
  await dialog.getByRole("button", { name: "Create secret" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Name").fill("API_KEY");
  await dialog.getByRole("button", { name: "Create secret" }).click();
  await press(page, "Reveal");
  assert.equal(await page.getByLabel("Value", { exact: true }).inputValue(), " first ", "spaces are part of a value");
  await press(page, "Hide");
  await press(page, "New version");
  await page.getByRole("dialog").getByLabel("Value").fill("second");
  await press(page, "Save");
  await choose(page.getByRole("row", { name: /^1 / }), "Restore");
  await page.getByText("version 1 again").waitFor();
  await chooseOf(page, "Rename");
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("API_TOKEN");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByText("former name that still reads it").waitFor();
  assert.match(page.url(), /\/secrets\/API_TOKEN$/);
  await chooseOf(page, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await press(page, "Undo");
  await choose(page.getByRole("row", { name: /API_TOKEN/ }), "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("API_TOKEN was deleted").waitFor();
  await chooseOf(page, "Deleted secrets");
  await choose(page.getByRole("row", { name: /^API_TOKEN/ }), "Restore");
  await page.getByText("Nothing was deleted lately").waitFor();
  const url = `/v3/secrets/API_KEY?teamId=${team.id}&decrypt=true`;
  assert.equal((await request("GET", url, { token: owner.token })).body.value, " first ");
});

test("a secret is found by part of its name, by a link too", async (t) => {
  const { owner, team } = await createOwner();
  for (const name of ["DATABASE_URL", "API_KEY"]) {
    const body = { name, value: "x" };
    await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
  }
  const page = await open(t, owner, `teams/${team.slug}/secrets?search=data`);
  await page.getByText("DATABASE_URL").waitFor();
  assert.equal(await page.getByText("API_KEY").count(), 0);
  await page.getByLabel("Search secrets").fill("nothing");
  await page.getByText("No secret matches").waitFor();
  await page.getByLabel("Search secrets").fill("");
  await page.getByText("API_KEY").waitFor();
});

test("secrets are sorted by their heads, and several are tagged and deleted at once", async (t) => {
  const { owner, team } = await createOwner();
  const create = (body: unknown) => request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
  for (const name of ["B_KEY", "A_KEY", "C_KEY"]) await create({ name, value: "x" });
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  const names = async () => await page.locator("tbody th code").allTextContents();
  await page.getByRole("row", { name: /A_KEY/ }).waitFor();
  assert.deepEqual(await names(), ["C_KEY", "A_KEY", "B_KEY"], "newest first");
  const head = page.getByRole("columnheader", { name: "Name" });
  await head.getByRole("button").click();
  await page.locator("tbody tr:first-child", { hasText: "A_KEY" }).waitFor();
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  await head.getByRole("button").click();
  await page.locator("tbody tr:first-child", { hasText: "C_KEY" }).waitFor();
  await page.reload();
  await page.locator("tbody tr:first-child", { hasText: "C_KEY" }).waitFor();
  assert.deepEqual(await names(), ["C_KEY", "B_KEY", "A_KEY"]);
  await page.getByLabel("Select A_KEY").check();
  await page.getByLabel("Select B_KEY").check();
  const bar = page.getByRole("toolbar", { name: "Selected: Secrets" });
  await bar.getByText("2 selected").waitFor();
  await assertAccessible(page, { name: "console-selected-secrets" });
  await bar.getByRole("button", { name: "Tag" }).click();
  await page.getByRole("dialog").getByLabel("Tags").fill("shop, mail");
  await press(page, "Add tags");
  await bar.waitFor({ state: "detached" });
  await page
    .getByRole("row", { name: /^Select A_KEY/ })
    .getByText("mail")
    .waitFor();
  await page.getByLabel("Select all").check();
  await page.getByLabel("Select C_KEY").uncheck();
  await bar.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("row", { name: /A_KEY/ }).waitFor({ state: "detached" });
  assert.deepEqual(await names(), ["C_KEY"]);
});

test("tags, description and end are set, and of two who change them the second sees both versions", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  await press(page, "New secret");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("CERTIFICATE");
  await dialog.getByLabel("Value", { exact: true }).fill("x");
  await dialog.getByText("Description, tags and end").click();
  await dialog.getByLabel("Tags").fill("edge, tls");
  await dialog.getByLabel("Ends").fill("2001-01-01T00:00");
  await dialog.getByRole("button", { name: "Create secret" }).click();
  await dialog.locator(".field-problem").filter({ hasText: "future" }).waitFor();
  await dialog.getByLabel("Ends").fill("2099-12-31T23:30");
  await dialog.getByRole("button", { name: "Create secret" }).click();
  await page.locator("dd .tag").filter({ hasText: "tls" }).waitFor();
  await press(page, "Edit settings");
  assert.equal(await dialog.getByLabel("Ends").inputValue(), "2099-12-31T23:30", "in the zone of the browser");
  await dialog.getByLabel("Description").fill("typed here");
  const url = `/v2/secrets/CERTIFICATE?teamId=${team.id}`;
  // To the second, which the field of the form does not show.
  const exact = Date.UTC(2099, 5, 1, 12, 30, 59);
  await request("PATCH", url, { token: owner.token, body: { description: "from elsewhere", expiresAt: exact } });
  await press(page, "Save");
  await dialog.getByRole("alert").getByText("from elsewhere").waitFor();
  await press(page, "Store mine");
  await page.locator(".lead").filter({ hasText: "typed here" }).waitFor();
  const read = async () => (await request("GET", url.replace("v2", "v3"), { token: owner.token })).body;
  assert.equal((await read()).expiresAt, exact, "what was not typed anew stays as it is");
  await press(page, "Edit settings");
  assert.equal(
    await dialog.getByRole("button", { name: "Save" }).getAttribute("aria-description"),
    "Nothing is changed yet",
  );
  await dialog.getByLabel("The value can be revealed later").uncheck();
  await dialog.getByLabel("Ends").fill("");
  await dialog.getByLabel("Versions kept").fill("3");
  await press(page, "Save");
  await page.getByText("The newest 3 are kept").waitFor();
  const { decryptable, description, expiresAt, maxVersions, tags } = await read();
  assert.deepEqual(
    [decryptable, description, expiresAt, maxVersions, tags],
    [false, "typed here", null, 3, ["edge", "tls"]],
  );
});

test("a former name that still reads the secret is removed", async (t) => {
  const { owner, team } = await createOwner();
  const send = (method: string, path: string, body: unknown) =>
    request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
  await send("POST", "/v2/secrets", { name: "OLD", value: "x" });
  await send("PATCH", "/v2/secrets/OLD", { name: "NEW", keepAlias: true });
  const page = await open(t, owner, `teams/${team.slug}/secrets/NEW`);
  await choose(page.getByRole("row", { name: /^OLD / }), "Remove name");
  await page.getByRole("dialog").getByRole("button", { name: "Remove name" }).click();
  await page.getByText("former name", { exact: true }).waitFor();
  const found = await request("GET", `/v3/secrets/OLD?teamId=${team.id}`, { token: owner.token });
  assert.equal(found.status, 404);
});

test("a value is not revealed without a fresh proof, and then is, without losing the page", async (t) => {
  const { owner, team } = await createOwner();
  const body = { name: "API_KEY", value: "swordfish", decryptable: true };
  await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
  const page = await open(t, owner, `teams/${team.slug}/secrets/API_KEY`);
  const password = "correct horse battery staple";
  const set = await page.evaluate(async (words) => {
    const headers = { "content-type": "application/json" };
    const sent = { method: "PUT", headers, body: JSON.stringify({ password: words }) };
    return (await fetch("/v1/user/password", sent)).status;
  }, password);
  assert.equal(set, 200);
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  await press(page, "Reveal");
  const field = page.getByLabel("Your password");
  await field.fill("wrong");
  await press(page, "Confirm");
  await page.getByRole("alert").filter({ hasText: "wrong" }).first().waitFor();
  await assertAccessible(page, { name: "console-secret-proof" });
  await field.fill(password);
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Value", { exact: true }).inputValue(), "swordfish");
});

test("a VIEWER sees names, and why there is no value to see", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  await request("POST", `/v2/secrets?teamId=${team.id}`, {
    token: owner.token,
    body: { name: "API_KEY", value: "x", decryptable: true },
  });
  const page = await open(t, viewer, `teams/${team.slug}/secrets`);
  await page.getByRole("link", { name: "API_KEY" }).click();
  const reveal = page.getByRole("button", { name: "Reveal" });
  await page.getByRole("table", { name: "Versions" }).waitFor();
  assert.equal(await reveal.getAttribute("aria-description"), "Your role may not reveal values");
});

test("two versions are compared after a fresh proof, and each look says who looked", async (t) => {
  const { owner, team } = await createOwner();
  const send = (method: string, path: string, body: unknown) =>
    request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
  await send("POST", "/v2/secrets", { name: "CONFIG", value: "host=a\nport=1", decryptable: true });
  await send("PUT", "/v2/secrets/CONFIG", { value: "host=a\nport=2" });
  const page = await open(t, owner, `teams/${team.slug}/secrets/CONFIG`);
  await page.getByText("Nobody has read it").waitFor();
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  await choose(page.getByRole("row", { name: /^1 / }), "Compare");
  const dialog = page.getByRole("dialog", { name: "Version 1 and version 2" });
  await dialog.getByRole("button", { name: "Reveal both values" }).click();
  await dialog.getByText("fresh proof").waitFor();
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await dialog.locator("del").getByText("port=1").waitFor();
  await dialog.locator("ins").getByText("port=2").waitFor();
  assert.equal(await dialog.getByText("host=a").count(), 1);
  await dialog.getByRole("button", { name: "Hide" }).click();
  await dialog.getByText("port=1").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.reload();
  const looks = page.getByRole("table", { name: "Read by" }).locator("tbody tr");
  await looks.first().waitFor();
  assert.deepEqual((await looks.locator("td:nth-of-type(1)").allTextContents()).toSorted(), ["1", "2"]);
});

test("filters narrow the list by tag, by use and by end, and survive a reload", async (t) => {
  const { owner, team } = await createOwner();
  const store = async (name: string, more: object) =>
    await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body: { name, value: "x", ...more } });
  await store("SOON", { tags: ["shop"], expiresAt: clock.now + 3 * DAY_MS });
  await store("LATER", { tags: ["shop"], expiresAt: clock.now + 60 * DAY_MS });
  await store("NEVER", { tags: ["billing"] });
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  const names = page.locator("tbody th");
  const sees = async (...expected: string[]) => {
    for (const name of expected) await names.getByText(name, { exact: true }).waitFor();
    await waitFor("the others to be gone", async () => ((await names.count()) === expected.length ? true : undefined));
  };
  await sees("SOON", "LATER", "NEVER");
  await pick(page.getByLabel("Tag", { exact: true }), "shop");
  await sees("SOON", "LATER");
  await pick(page.getByLabel("Ends", { exact: true }), "Within 7 days");
  await sees("SOON");
  await assertAccessible(page, { name: "console-secrets-filtered" });
  await page.reload();
  await sees("SOON");
  await press(page, "Clear Tag");
  await press(page, "Clear Ends");
  // A place that no project is named after yet is typed.
  await page.getByLabel("Used in", { exact: true }).click();
  await page.getByRole("combobox", { name: "Search" }).fill("shop/production");
  await page.keyboard.press("Enter");
  await page.getByText("No secret matches").waitFor();
  await press(page, "Clear Used in");
  await sees("SOON", "LATER", "NEVER");
});
