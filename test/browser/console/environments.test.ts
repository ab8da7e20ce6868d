// Environments in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { press, startConsole } from "./console-world.ts";

const { addMember, createOwner, open, request } = await startConsole();

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
  await press(page, "Look at the changes");
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
  await press(page, "Look at the changes");
  await page.getByText("Somebody changed production while you did").waitFor();
  await press(page, "Look at the changes");
  await page.getByRole("listitem").filter({ hasText: "LEVEL" }).waitFor();
  await press(page, "Store");
  await page.getByRole("row", { name: /^3 / }).waitFor();
  assert.deepEqual(
    (await read("production")).map(({ key }) => key),
    ["LEVEL", "OTHER", "THEIRS", "TOKEN"],
  );
});

test("a CONTRIBUTOR reads why nothing can be changed", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, await addMember(team, owner, "CONTRIBUTOR"), `teams/${team.slug}/environments`);
  const paste = page.getByRole("button", { name: "Paste entries" });
  await paste.waitFor();
  assert.equal(await paste.getAttribute("title"), "Your role may not change environments");
});
