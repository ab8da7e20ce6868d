// Environments in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "../accessibility.ts";
import { choose, press, startConsole, view } from "./console-world.ts";

const { createOwner, open, request } = await startConsole();

test("lines are pasted into two environments, and changed as text without touching what others stored", async (t) => {
  const { owner, team } = await createOwner();
  const path = `/v1/environments/default`;
  const change = (environments: unknown) =>
    request("PATCH", `${path}?teamId=${team.id}`, { token: owner.token, body: { environments } });
  const read = async (name: string) =>
    (await request("GET", `${path}/${name}?teamId=${team.id}`, { token: owner.token })).body.entries as {
      key: string;
      kind: string;
      value?: string;
    }[];
  const page = await open(t, owner, `teams/${team.slug}/environments`);
  await press(page, "Paste entries");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Entries").fill("TOKEN=hush-hush\nOTHER=quiet");
  await dialog.getByLabel("preview").check();
  await press(page, "Review changes");
  await dialog.getByText("default.production.TOKEN").or(dialog.getByText("Added")).first().waitFor();
  assert.equal(await dialog.locator("li").getByText("hush-hush").count(), 0, "values are masked");
  await press(page, "Store");
  await page.getByRole("link", { name: "TOKEN", exact: true }).first().waitFor();
  assert.deepEqual(
    (await read("preview")).map(({ key, kind }) => [key, kind]),
    [
      ["OTHER", "secret"],
      ["TOKEN", "secret"],
    ],
  );

  await page.getByRole("link", { name: "production", exact: true }).click();
  await page.locator(".editor .cm-editor").waitFor();
  const editor = page.getByRole("textbox", { name: "Text" });
  const text = (await editor.locator(".cm-line").allTextContents()).join("\n");
  assert.match(text, /TOKEN=@secret:/);
  await editor.fill(`${text}LEVEL=info\n`);
  await change({ production: { set: { THEIRS: { value: "kept" } } } });
  await page.getByText("1 unsaved change").waitFor();
  await press(page, "Save as version 2");
  await page.getByText("Somebody changed production while you did").waitFor();
  await page.getByRole("list", { name: "Changes" }).getByText("LEVEL=info").waitFor();
  await press(page, "Save as version 3");
  await page.getByText("Stored as version 3.").waitFor();
  await view(page, "Environment", "Versions");
  await page.getByRole("row", { name: /^3 / }).waitFor();
  assert.deepEqual(
    (await read("production")).map(({ key }) => key),
    ["LEVEL", "OTHER", "THEIRS", "TOKEN"],
  );
});

test("many environments, long keys and values of several lines fit every page and dialog", async (t) => {
  const { owner, team } = await createOwner();
  const send = async (method: string, path: string, body: unknown) => {
    const response = await request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
    assert.ok(response.status < 300, response.text);
  };
  const path = "/v1/environments/default";
  for (const name of ["demo", "load-test", "qa", "staging", "a-name-of-thirty-two-letters-here"]) {
    await send("POST", path, { name: name.slice(0, 32), inheritsFrom: "production" });
  }
  const key = `A_KEY_${"OF_SIXTY_LETTERS_".repeat(4)}`.slice(0, 60);
  const set = {
    [key]: { secretValue: "x", isSensitive: true, comment: "A comment that says at some length what this is for" },
    GREETING: { value: `first line\nsecond line\n${"and a long one".repeat(30)}` },
  };
  await send("PATCH", path, { environments: { production: { set } } });
  await send("PATCH", path, { environments: { production: { remove: ["GREETING"] }, preview: { set } } });
  const page = await open(t, owner, `teams/${team.slug}/environments`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("columnheader", { name: "demo" }).waitFor();
  await assertAccessible(page);
  const check = async (name: string) => {
    await assertAccessible(page, { name });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };
  page.on("dialog", (question) => void question.accept());
  await press(page, "New environment");
  await check("create an environment");
  await press(page, "Paste entries");
  await dialog.getByLabel("Entries").fill(`${key}=1\n-`);
  await check("paste entries");
  await page.getByRole("link", { name: key, exact: true }).click();
  await page.getByRole("rowheader", { name: "demo" }).waitFor();
  await assertAccessible(page);
  await choose(page.getByRole("row", { name: /^production / }), "Remove");
  await check("remove an entry");
  await choose(page.getByRole("row", { name: /^production / }), "Change");
  await dialog.getByLabel("staging").check();
  await assertAccessible(page, { name: "change an entry" });
  await press(page, "Review changes");
  await dialog.getByRole("heading", { name: "staging" }).waitFor();
  await check("look at changes");
  await page.getByRole("link", { name: "demo", exact: true }).click();
  for (const name of ["Variables", "Versions", "Reads"]) {
    await view(page, "Environment", name);
    await assertAccessible(page, { name: `console-environment-${name}` });
  }
  await view(page, "Environment", "Settings");
  await page.getByLabel("Inherits from").waitFor();
  await assertAccessible(page);
  await press(page, "Delete");
  await check("delete an environment");
  await page.goto(page.url().replace("/demo?", "/production?").replace("view=settings", "view=versions"));
  await choose(page.getByRole("row", { name: /^1 / }), "Roll back");
  await dialog.getByRole("listitem").filter({ hasText: "GREETING" }).waitFor();
  await check("roll back");
});
