// One environment: created, inherited from, rolled back and deleted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, pick, press, seesHeading, startConsole, view } from "./console-world.ts";

const { createOwner, open, request } = await startConsole();

const PATH = "/v1/environments/shop";

async function seed() {
  const { owner, team } = await createOwner();
  const send = (method: string, path: string, body?: unknown) =>
    request(method, `${path}?teamId=${team.id}`, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const read = async (name: string) => (await send("GET", `${PATH}/${name}`)).body;
  const set = async (environment: string, values: Readonly<Record<string, string>>) => {
    const entries = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));
    assert.equal((await send("PATCH", PATH, { environments: { [environment]: { set: entries } } })).status, 200);
  };
  return { owner, address: `teams/${team.slug}/environments`, read, send, set };
}

test("an environment is created, inherits from another one, and is deleted", async (t) => {
  const { owner, address, read, send, set } = await seed();
  await set("production", { LEVEL: "info" });
  await set("preview", { LEVEL: "debug" });
  const page = await open(t, owner, `${address}?project=shop`);
  const dialog = page.getByRole("dialog");
  await press(page, "New environment");
  await dialog.getByLabel("Name").fill("Not a name");
  await dialog.getByRole("button", { name: "New environment" }).click();
  await dialog.locator(".field-problem").filter({ hasText: "expected at most 32 of a-z" }).waitFor();
  await dialog.getByLabel("Name").fill("qa");
  await pick(dialog.getByLabel("Inherits from"), "preview");
  await dialog.getByRole("button", { name: "New environment" }).click();
  await page
    .getByRole("columnheader", { name: /^qa \d+ from preview$/ })
    .getByRole("link")
    .click();

  await page.getByRole("heading", { name: "qa", level: 1 }).waitFor();
  await view(page, "Environment", "Settings");
  const save = page.getByRole("button", { name: "Save", exact: true });
  assert.equal(await save.getAttribute("aria-description"), "Nothing is changed yet");
  await pick(page.getByLabel("Inherits from"), "production");
  // Somebody changes the environment meanwhile: what was chosen stays, and is stored when it is sent again.
  await set("qa", { THEIRS: "x" });
  const readAgain = page.waitForResponse(
    (response) => response.request().method() === "GET" && response.url().includes(`${PATH}/qa?`),
  );
  await save.click();
  await page.getByText("Somebody changed qa while you did").waitFor();
  assert.equal((await read("qa")).inheritsFrom, "preview");
  assert.equal(await page.getByLabel("Inherits from").innerText(), "production");
  await readAgain;
  await save.click();
  await page.locator('[type=submit][aria-description="Nothing is changed yet"]').waitFor();
  assert.equal((await read("qa")).inheritsFrom, "production");
  assert.equal(await page.getByText("Somebody changed qa while you did").count(), 0);
  // The next change is made to what is stored now.
  await view(page, "Environment", "Versions");
  await page.getByRole("row", { name: /^3 .* now inherits from production/ }).waitFor();
  await page.getByRole("row", { name: /^1 .* now inherits from preview/ }).waitFor();
  await view(page, "Environment", "Settings");
  await pick(page.getByLabel("Inherits from"), "nothing");
  await save.click();
  await page.locator('[type=submit][aria-description="Nothing is changed yet"]').waitFor();
  assert.equal((await read("qa")).inheritsFrom, null);
  await view(page, "Environment", "Versions");
  await page.getByRole("row", { name: /^4 .* now inherits from nothing/ }).waitFor();

  await view(page, "Environment", "Settings");
  await send("POST", PATH, { name: "child", inheritsFrom: "qa" });
  await press(page, "Delete");
  const confirm = dialog.getByRole("button", { name: "Delete" });
  assert.equal(await confirm.getAttribute("aria-description"), "Type qa to confirm");
  await dialog.getByLabel("Type qa to confirm").fill("qa");
  await confirm.click();
  await dialog.getByRole("alert").filter({ hasText: "environment_in_use" }).waitFor();
  await send("DELETE", `${PATH}/child`);
  await confirm.click();
  await seesHeading(page, "Environments");
  await page.getByRole("link", { name: "production", exact: true }).waitFor();
  await page.getByRole("link", { name: "qa", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "production", exact: true }).click();
  await view(page, "Environment", "Settings");
  const remove = page.getByRole("button", { name: "Delete" });
  await remove.waitFor();
  assert.equal(await remove.getAttribute("aria-description"), "Every project has this environment");
});

test("an earlier version is compared and brought back, unless somebody changed the environment meanwhile", async (t) => {
  const { owner, address, read, set } = await seed();
  await set("production", { LEVEL: "info", EXTRA: "1" });
  await set("production", { LEVEL: "debug" });
  const page = await open(t, owner, `${address}/production?project=shop&view=versions`);
  await choose(page.getByRole("row", { name: /^2 / }), "Show changes");
  await page.getByRole("listitem").filter({ hasText: "LEVEL: a plain value, another value" }).waitFor();
  await page.getByRole("button", { name: "Actions for version 2" }).click();
  await page.getByRole("menuitem", { name: "Roll back", description: "It is the newest", disabled: true }).waitFor();
  await page.keyboard.press("Escape");
  await choose(page.getByRole("row", { name: /^1 / }), "Roll back");
  const dialog = page.getByRole("dialog", { name: "Bring the entries of version 1 back?" });
  await dialog.getByRole("listitem").filter({ hasText: "LEVEL: a plain value, another value" }).waitFor();
  await set("production", { THEIRS: "x" });
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await dialog.getByText("Somebody changed production while you did").waitFor();
  // What they added would go.
  await dialog.getByRole("listitem").filter({ hasText: "Removed THEIRS" }).waitFor();
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await page.getByText("version 1 again").waitFor();
  const { entries } = await read("production");
  assert.deepEqual(
    entries.map(({ key, value }: { readonly key: string; readonly value: string }) => [key, value]),
    [
      ["EXTRA", "1"],
      ["LEVEL", "info"],
    ],
  );
  await view(page, "Environment", "Edit as .env");
  const editor = page.getByRole("textbox", { name: "Text" });
  await page.locator(".editor .cm-editor").waitFor();
  await editor.locator(".cm-line").filter({ hasText: "LEVEL=info" }).waitFor();
});

test("a version with a secret that is gone says so before it is brought back", async (t) => {
  const { owner, address, send } = await seed();
  const change = async (entry: object) => {
    const environments = { production: { set: { TOKEN: entry } } };
    assert.equal((await send("PATCH", PATH, { environments })).status, 200);
  };
  await send("POST", "/v2/secrets", { name: "GONE", value: "hidden", decryptable: true });
  await change({ secret: "GONE" });
  await change({ value: "plain" });
  assert.equal((await send("DELETE", "/v2/secrets/GONE")).status, 200);
  const page = await open(t, owner, `${address}/production?project=shop&view=versions`);
  await choose(page.getByRole("row", { name: /^1 / }), "Roll back");
  const dialog = page.getByRole("dialog", { name: "Bring the entries of version 1 back?" });
  await dialog
    .getByText("Version 1 of production of shop cannot be brought back: TOKEN (its secret is deleted)")
    .waitFor();
});
