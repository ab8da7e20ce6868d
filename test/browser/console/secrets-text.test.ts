// Many secrets as one text in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { waitFor } from "../../harness/wait-for.ts";
import { press, startConsole } from "./console-world.ts";

/** The editor, once it is loaded. */
async function openEditor(page: Page): Promise<Locator> {
  await page.locator(".editor .cm-editor").waitFor();
  return page.getByRole("textbox", { name: "Text" });
}
/** Its lines. */
const textOf = async (editor: Locator) => (await editor.locator(".cm-line").allTextContents()).join("\n");

const { addMember, createOwner, open, request } = await startConsole();

test("a text becomes secrets as one change, is loaded again, and changes only what it changes", async (t) => {
  const { owner, team } = await createOwner();
  const reveal = async (name: string) =>
    (await request("GET", `/v3/secrets/${name}?teamId=${team.id}&decrypt=true`, { token: owner.token })).body;
  const page = await open(t, owner, `teams/${team.slug}/secrets-as-text`);
  const text = await openEditor(page);
  await text.fill('DATABASE_URL=postgres://x # where\nAPI_KEY="two\\nlines"\nbroken');
  await page.getByText("Line 3: expected NAME=VALUE").waitFor();
  const review = page.getByRole("button", { name: "Look at the changes" });
  assert.equal(await review.getAttribute("title"), "A line of the text means nothing here");
  await text.fill('DATABASE_URL=postgres://x # where\nAPI_KEY="two\\nlines"\n');
  await review.click();
  await page.getByRole("row", { name: /API_KEY a new secret 9 bytes/ }).waitFor();
  assert.equal(await page.getByRole("table").getByText("postgres").count(), 0, "values are masked");
  await press(page, "Store all");
  await page.getByText("All of them are stored").waitFor();
  assert.equal(await textOf(text), "");
  assert.equal((await reveal("API_KEY")).value, "two\nlines");

  await press(page, "Fill in the present values of the newest 100");
  await waitFor("the present values", async () => (await textOf(text)).includes("postgres") || undefined);
  await text.fill((await textOf(text)).replace("postgres://x", "postgres://y"));
  await review.click();
  await page.getByText("1 to store, 1 as they are").waitFor();
  // Somebody stores another version meanwhile: nothing of the text is stored.
  await request("PUT", `/v2/secrets/DATABASE_URL?teamId=${team.id}`, { token: owner.token, body: { value: "theirs" } });
  await press(page, "Store all");
  const refused = page.getByRole("alert").filter({ hasText: "version_conflict" });
  await refused.waitFor();
  assert.equal((await reveal("DATABASE_URL")).value, "theirs");
  await refused.getByRole("button").click();
  await page.getByRole("row", { name: /DATABASE_URL version 3/ }).waitFor();
  await press(page, "Store all");
  await page.getByText("All of them are stored").waitFor();
  assert.deepEqual([(await reveal("DATABASE_URL")).value, (await reveal("API_KEY")).version], ["postgres://y", 1]);
});

test("what was typed is not lost by leaving without a question", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/secrets-as-text`);
  const text = await openEditor(page);
  await text.pressSequentially("A=1");
  let asked = 0;
  page.on("dialog", (dialog) => {
    asked++;
    void dialog.dismiss();
  });
  await page.reload({ timeout: 2_000 }).catch(() => undefined);
  assert.equal(asked, 1);
  assert.equal(await textOf(text), "A=1");
});

test("a CONTRIBUTOR reads why nothing can be stored or revealed", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, await addMember(team, owner, "CONTRIBUTOR"), `teams/${team.slug}/secrets-as-text`);
  const review = page.getByRole("button", { name: "Look at the changes" });
  await review.waitFor();
  assert.equal(await review.getAttribute("title"), "Your role may not change secrets");
});
