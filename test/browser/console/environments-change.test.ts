// Entries changed by text: what is wrong with a line, what two persons change at once, and all of it by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible } from "../accessibility.ts";
import { pick, press, startConsole, view } from "./console-world.ts";

const { addMember, createOwner, open, request } = await startConsole();

const PATH = "/v1/environments/default";

async function seed() {
  const { owner, team } = await createOwner();
  const send = (method: string, path: string, body?: unknown) =>
    request(method, `${path}${path.includes("?") ? "&" : "?"}teamId=${team.id}`, {
      token: owner.token,
      ...(body === undefined ? {} : { body }),
    });
  const read = async (name: string) =>
    Object.fromEntries(
      ((await send("GET", `${PATH}/${name}`)).body.entries as { key: string; value?: string; kind: string }[]).map(
        ({ key, value, kind }) => [key, value ?? kind],
      ),
    );
  return { owner, team, send, read, address: `teams/${team.slug}/environments` };
}

/** The editor of an environment, once it is loaded. */
async function editorOf(page: Page) {
  await page.locator(".editor .cm-editor").waitFor();
  return page.getByRole("textbox", { name: "Text" });
}

test("what is wrong with pasted entries names its line, before and after the server has seen it", async (t) => {
  const { owner, address, read } = await seed();
  const page = await open(t, owner, address);
  await press(page, "Paste entries");
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Entries");
  const look = dialog.getByRole("button", { name: "Review changes" });
  const sees = (problem: string) => dialog.locator(".field-problem").filter({ hasText: problem }).waitFor();
  await field.fill("A=1\n\n9-LIVES=2");
  await sees("Line 3: expected letters, digits and _");
  assert.match((await look.getAttribute("aria-description")) ?? "", /^Line 3/);
  await field.fill('A=1\nB="two\nlines"\nbroken');
  await sees("Line 4: expected NAME=VALUE");
  await field.fill('A=1\nB="two\nlines"\nC=@secret:NOWHERE');
  await dialog.getByLabel("A plain value").check();
  await look.click();
  await sees("Line 4: expected the name or id of a secret, there is no such one");
  assert.match(await field.inputValue(), /NOWHERE/);
  await field.fill('A=1\nB="two\nlines"\nC="@secret:NOWHERE"');
  await look.click();
  await press(page, "Store");
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(await read("production"), { A: "1", B: "two\nlines", C: "@secret:NOWHERE" });
});

test("a text shows what it changes line by line, marks wrong lines where they are, and is saved by keyboard", async (t) => {
  const { owner, address, read, send } = await seed();
  const set = { LEVEL: { value: "info" }, OLD: { value: "1" }, TOKEN: { secretValue: "hush", isSensitive: true } };
  assert.equal((await send("PATCH", PATH, { environments: { preview: { set } } })).status, 200);
  const page = await open(t, owner, `${address}/preview`);
  const editor = await editorOf(page);
  const review = page.getByRole("region", { name: "Review changes" });
  await review.getByText("Nothing would change.").waitFor();
  const lines = (await editor.locator(".cm-line").allTextContents()).filter((line) => line.startsWith("TOKEN="));
  await editor.fill(["LEVEL=debug", "9-LIVES=1", ...lines, "broken", "NEW=2"].join("\n"));
  assert.deepEqual(await editor.locator(".cm-wrong").allTextContents(), ["9-LIVES=1", "broken"]);
  assert.match(
    (await editor.locator(".cm-wrong").first().getAttribute("data-reason")) ?? "",
    /^expected letters, digits/,
  );
  const save = page.getByRole("button", { name: "Save as version 2" });
  assert.match((await save.getAttribute("aria-description")) ?? "", /^Line 2: expected letters/);
  await editor.fill(["NEW=@secret:NOWHERE", "LEVEL=debug", ...lines].join("\n"));
  assert.deepEqual(await review.locator("del").allTextContents(), ["LEVEL=info", "OLD=1"]);
  assert.deepEqual(await review.locator("ins").allTextContents(), ["NEW=@secret:NOWHERE", "LEVEL=debug"]);
  assert.deepEqual(await review.locator(".badge").allInnerTexts(), ["1 added", "1 changed", "1 removed"]);
  await assertAccessible(page, { name: "console-environment-text" });
  await save.press("Enter");
  await editor.locator(".cm-wrong").filter({ hasText: "NOWHERE" }).waitFor();
  await editor.fill(["NEW=2", "LEVEL=debug", ...lines].join("\n"));
  await review.locator("ins").getByText("NEW=2").waitFor();
  await editor.locator(".cm-wrong").waitFor({ state: "detached" });
  // A look at the table loses nothing.
  await view(page, "Environment", "Variables");
  await page
    .getByRole("table", { name: "Entries of preview" })
    .getByRole("row", { name: /^LEVEL info/ })
    .waitFor();
  await assertAccessible(page, { name: "console-environment-table" });
  await view(page, "Environment", "Edit as .env");
  await page.getByText("3 unsaved changes").waitFor();
  await save.press("Enter");
  await page.getByText("Stored as version 2.").waitFor();
  assert.deepEqual(await read("preview"), { LEVEL: "debug", NEW: "2", TOKEN: "secret" });
  await (await editorOf(page)).fill("");
  await press(page, "Discard");
  await page.getByText("No unsaved changes").waitFor();
});

test("of two persons who change one environment the second is told, and loses nothing", async (t) => {
  const { owner, team, address, read, send } = await seed();
  // A developer changes the environments of a project, and does not begin one.
  await send("PUT", "/v1/firewalls?projectId=default", { firewallEnabled: true });
  const other = await addMember(team, owner, "DEVELOPER");
  const [mine, theirs] = [await open(t, owner, `${address}/preview`), await open(t, other, `${address}/preview`)];
  await (await editorOf(mine)).fill("LEVEL=mine\nMINE=1\n");
  await (await editorOf(theirs)).fill("LEVEL=theirs\nTHEIRS=1\n");
  for (const page of [mine, theirs]) {
    await page.getByRole("region", { name: "Review changes" }).getByText("2 added").waitFor();
  }
  await press(theirs, "Save as version 1");
  await theirs.getByText("Stored as version 1.").waitFor();
  const readAgain = mine.waitForResponse((response) => response.url().includes(`${PATH}/preview?`));
  await press(mine, "Save as version 1");
  await mine.getByText("Somebody changed preview while you did").waitFor();
  assert.deepEqual(await read("preview"), { LEVEL: "theirs", THEIRS: "1" });
  const lines = await (await editorOf(mine)).locator(".cm-line").allTextContents();
  assert.deepEqual(lines.slice(0, 2), ["LEVEL=mine", "MINE=1"]);
  await readAgain;
  await press(mine, "Save as version 2");
  await mine.getByText("Stored as version 2.").waitFor();
  assert.deepEqual(await read("preview"), { LEVEL: "mine", MINE: "1", THEIRS: "1" });
  // The text of a person who has typed nothing since is what is stored, as soon as it is read again.
  await view(theirs, "Environment", "Settings");
  await pick(theirs.getByLabel("Inherits from"), "production");
  await press(theirs, "Save");
  await theirs.getByText("Somebody changed preview while you did").waitFor();
  await view(theirs, "Environment", "Edit as .env");
  await (await editorOf(theirs)).locator(".cm-line").filter({ hasText: "LEVEL=mine" }).waitFor();
});

test("a form with something typed stays when somebody creates and deletes environments", async (t) => {
  const { owner, address, read, send } = await seed();
  await send("POST", PATH, { name: "gone" });
  const page = await open(t, owner, address);
  await page.getByRole("link", { name: "gone", exact: true }).waitFor();
  await press(page, "Paste entries");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Entries").fill("A=1");
  await dialog.getByLabel("A plain value").check();
  await dialog.getByLabel("gone").check();
  await send("POST", PATH, { name: "new" });
  await send("DELETE", `${PATH}/gone`);
  await press(page, "Review changes");
  await dialog.getByText("expected one of production, preview, development, new").waitFor();
  await dialog.getByLabel("new", { exact: true }).check();
  assert.equal(await dialog.getByLabel("gone").count(), 0);
  assert.equal(await dialog.getByLabel("Entries").inputValue(), "A=1");
  await press(page, "Review changes");
  await press(page, "Store");
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual([await read("production"), await read("new")], [{ A: "1" }, { A: "1" }]);
});

test("many keys are shown step by step, and found by a part of their name", async (t) => {
  const { owner, address, send } = await seed();
  const set = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`KEY_${at}`, { value: `value ${at}` }]));
  await send("PATCH", PATH, { environments: { production: { set }, preview: { set } } });
  const page = await open(t, owner, address);
  await page.getByText("200 of 500 keys").waitFor();
  assert.equal(await page.locator(".grid tbody tr").count(), 200);
  await press(page, "Show more");
  await page.getByText("400 of 500 keys").waitFor();
  await page.getByLabel("Filter keys").fill("key_49");
  await page.getByText("400 of 500 keys").waitFor({ state: "detached" });
  assert.equal(await page.locator(".grid tbody tr").count(), 11);
  await page.getByLabel("Filter keys").fill("nothing");
  await page.getByText("No key fits.").waitFor();
});
