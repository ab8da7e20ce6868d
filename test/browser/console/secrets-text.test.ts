// Many secrets as one text in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { waitFor } from "../../harness/wait-for.ts";
import { press, seesHeading, startConsole } from "./console-world.ts";

/** The editor, once it is loaded. */
async function openEditor(page: Page): Promise<Locator> {
  await page.locator(".editor .cm-editor").waitFor();
  return page.getByRole("textbox", { name: "Text" });
}
/** Its lines. */
const textOf = async (editor: Locator) => (await editor.locator(".cm-line").allTextContents()).join("\n");

const { addMember, clock, createOwner, open, request } = await startConsole();

test("a text becomes secrets as one change, is loaded again, and changes only what it changes", async (t) => {
  const { owner, team } = await createOwner();
  const reveal = async (name: string) =>
    (await request("GET", `/v3/secrets/${name}?teamId=${team.id}&decrypt=true`, { token: owner.token })).body;
  const page = await open(t, owner, `teams/${team.slug}/secrets-as-text`);
  const text = await openEditor(page);
  await text.fill('DATABASE_URL=postgres://x # where\nAPI_KEY="two\\nlines"\nbroken');
  await page.getByText("Line 3: expected NAME=VALUE").waitFor();
  const review = page.getByRole("button", { name: "Review changes" });
  assert.equal(await review.getAttribute("aria-description"), "A line of the text means nothing here");
  await text.fill('DATABASE_URL=postgres://x # where\nAPI_KEY="two\\nlines"\n');
  await review.click();
  await page.getByRole("row", { name: /API_KEY a new secret 9 bytes/ }).waitFor();
  assert.equal(await page.getByRole("table").getByText("postgres").count(), 0, "values are masked");
  await press(page, "Save all");
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
  await press(page, "Save all");
  const refused = page.getByRole("alert").filter({ hasText: "version_conflict" });
  await refused.waitFor();
  assert.equal((await reveal("DATABASE_URL")).value, "theirs");
  await refused.getByRole("button").click();
  await page.getByRole("row", { name: /DATABASE_URL version 3/ }).waitFor();
  await press(page, "Save all");
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
  await page.getByRole("link", { name: "Members", exact: true }).click();
  assert.equal(asked, 2, "a link of the console");
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByLabel("Search pages, things and actions").fill("members");
  await page.keyboard.press("Enter");
  await waitFor("the question", () => asked === 3 || undefined);
  assert.equal(await textOf(text), "A=1");
  assert.match(page.url(), /secrets-as-text$/);
  page.removeAllListeners("dialog");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Members", exact: true }).click();
  await seesHeading(page, "Members");
});

test("what somebody else stored since the values were filled in is told, and an ended secret is left out", async (t) => {
  const { owner, team } = await createOwner();
  const send = (method: string, path: string, body: unknown) =>
    request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
  await send("POST", "/v2/secrets", { name: "KEPT", value: "first", decryptable: true });
  await send("POST", "/v2/secrets", { name: "ENDED", value: "x", decryptable: true, expiresAt: clock.now + 60_000 });
  clock.advance(61_000);
  const page = await open(t, owner, `teams/${team.slug}/secrets-as-text`);
  const text = await openEditor(page);
  await press(page, "Fill in the present values of the newest 100");
  await page.getByText("1 are left out").waitFor();
  assert.equal(await textOf(text), "KEPT=first\n");
  await send("PUT", "/v2/secrets/KEPT", { value: "theirs" });
  await text.fill("KEPT=mine\n");
  await press(page, "Review changes");
  await page.getByText("somebody else stored version 2 meanwhile").waitFor();
});

test("back asks as well, and present values do not replace what was typed", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  await page.getByRole("link", { name: "Edit as .env" }).click();
  const text = await openEditor(page);
  await text.pressSequentially("A=1");
  const load = page.getByRole("button", { name: "Fill in the present values of the newest 100" });
  assert.equal(await load.getAttribute("aria-description"), "They would replace what is in the text");
  let asked = 0;
  page.on("dialog", (dialog) => {
    asked++;
    void dialog.dismiss();
  });
  await page.evaluate("history.back()");
  await waitFor("the question", () => asked === 1 || undefined);
  assert.equal(await textOf(text), "A=1");
});

test("a CONTRIBUTOR reads why nothing can be stored or revealed", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, await addMember(team, owner, "CONTRIBUTOR"), `teams/${team.slug}/secrets-as-text`);
  const review = page.getByRole("button", { name: "Review changes" });
  await review.waitFor();
  assert.equal(await review.getAttribute("aria-description"), "Your role may not change secrets");
});
