// The settings of a team in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { uniqueName } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { assertAccessible } from "../accessibility.ts";
import { press, seesHeading, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, createUser, open, query, request } = await startConsole();

test("a team is renamed, and its page is found under the new slug", async (t) => {
  const [{ owner, team }, taken] = [await createOwner(), await createOwner()];
  const page = await open(t, owner, `teams/${team.slug}/settings`);
  await page.getByLabel("Slug").fill(taken.team.slug);
  await press(page, "Save");
  await page.getByRole("alert").waitFor();
  const slug = uniqueName("renamed");
  await page.getByLabel("Slug").fill(slug);
  await page.getByLabel("Description").fill("What it is for");
  await press(page, "Save");
  await page.waitForURL(new RegExp(`/teams/${slug}/settings$`));
  await page.getByText(`links with ${team.slug} no longer work`).waitFor();
  await press(page, "Undo");
  await page.waitForURL(new RegExp(`/teams/${team.slug}/settings$`));
  const old = (await request("GET", `/v2/teams/${team.slug}`, { token: owner.token })).body;
  assert.deepEqual([old.id, old.description], [team.id, null]);
  await page.getByLabel("Description").fill("What it is for");
  await press(page, "Save");
  await page.getByText("The profile was changed").waitFor();
  await page.reload();
  assert.equal(await page.getByLabel("Description").inputValue(), "What it is for");
});

test("nothing is typed into a form that is about to show what was stored", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/settings`);
  const name = page.getByLabel("Name");
  await name.fill("Saved");
  const held = Promise.withResolvers<void>();
  await page.route(new RegExp(`/v2/teams/${team.slug}$`), async (route) => {
    await held.promise;
    await route.continue();
  });
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
  await press(page, "Save");
  await saved;
  await waitFor("the name to be held", async () => !(await name.isEditable()) || undefined);
  held.resolve();
  await name.fill("Typed after");
  await press(page, "Save");
  const nameNow = async () => (await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).body.name;
  await waitFor("the second name", async () => (await nameNow()) === "Typed after" || undefined);
});

test("of two who change a team at once, the second sees both versions and chooses", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/settings`);
  const rename = (name: string) => request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name } });
  const nameNow = async () => (await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).body.name;
  await page.getByLabel("Name").fill("Mine");
  await rename("Theirs");
  await press(page, "Save");
  const conflict = page.getByRole("alert");
  await conflict.getByText("Theirs").waitFor();
  await conflict.getByRole("cell", { name: "Mine" }).waitFor();
  assert.equal(await nameNow(), "Theirs");
  await press(page, "Store mine");
  await conflict.waitFor({ state: "detached" });
  await waitFor("the name that was kept", async () => (await nameNow()) === "Mine" || undefined);

  await page.getByLabel("Name").fill("Mine again");
  await rename("Theirs again");
  await press(page, "Save");
  await press(page, "Show what is stored");
  await conflict.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Name").inputValue(), "Theirs again");
});

test("the join link is handed on, replaced and switched off", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/settings`);
  const link = page.getByLabel("Join link");
  const first = await link.inputValue();
  const stranger = await createUser();
  const visitor = await open(t, stranger, "");
  await visitor.goto(first);
  await visitor.getByRole("button", { name: `Join as ${stranger.username}` }).click();
  await seesHeading(visitor, "Teams");
  await press(page, "New link");
  await waitFor("another link", async () => ((await link.inputValue()) === first ? undefined : true));
  const isOn = page.getByRole("checkbox", { name: "People can join by link" });
  await isOn.click();
  await page.getByText("Off", { exact: true }).waitFor();
  assert.equal(await link.count(), 0);
});

test("the join link is shown after a fresh proof", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  await page.goto(page.url().replace(/members$/, "settings"));
  await page.getByRole("heading", { name: "Join link" }).waitFor();
  const panel = page.locator("section", { hasText: "Join link" });
  await panel.getByText("Confirm it is you").waitFor();
  assert.equal(await page.getByLabel("Join link").count(), 0);
  await assertAccessible(page, { name: "console-join-link-proof" });
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await page.getByLabel("Join link").waitFor();
});

test("a team is deleted after its slug was typed and a fresh proof was given", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/settings`);
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  await press(page, "Delete team");
  const dialog = page.getByRole("dialog");
  const go = dialog.getByRole("button", { name: "Delete team" });
  assert.equal(await go.getAttribute("aria-disabled"), "true");
  const word = dialog.getByLabel(`Type ${team.slug} to confirm`);
  await word.fill("another word");
  let sent = 0;
  page.on("request", (asked) => {
    if (asked.method() === "DELETE") sent++;
  });
  await word.press("Enter");
  await word.fill(team.slug);
  assert.equal(sent, 0, "Enter does not press a button that is off");
  await go.click();
  await dialog.getByText("fresh proof").waitFor();
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await page.getByText("You are in no team yet").waitFor();
});

test("a VIEWER reads why the settings are not theirs to change, and sees no link", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, await addMember(team, owner, "VIEWER"), `teams/${team.slug}/settings`);
  const save = page.getByRole("button", { name: "Save" });
  await save.waitFor();
  assert.equal(await save.getAttribute("aria-description"), "Only an Owner may change the team");
  assert.equal(await page.getByLabel("Join link").count(), 0);
});

test("a team is left from its settings, but not by its only Owner, who reads why", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/settings`);
  const leave = page.getByRole("button", { name: "Leave team", exact: true });
  await page.locator("[aria-description='You are its only Owner: make somebody else one first']").and(leave).waitFor();
  const second = await addMember(team, owner, "OWNER", uniqueName("second"));
  await page.reload();
  await page.getByText(`${second.username} stays as its Owner.`).waitFor();
  await leave.click();
  await page.getByRole("dialog").getByRole("button", { name: "Leave team" }).click();
  await seesHeading(page, "Teams");
  await page.getByText("You are in no team yet").waitFor();
  const { body } = await request("GET", `/v2/teams/${team.id}/members`, { token: second.token });
  assert.deepEqual(
    body.members.map(({ uid }: { uid: string }) => uid),
    [second.id],
  );
});
