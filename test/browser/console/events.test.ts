// The events of a team in the console.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Route } from "playwright-core";
import { choose, pick, press, startConsole } from "./console-world.ts";

const client = await startConsole();
const { createOwner, open, query, request } = client;

test("events are filtered by a link, show what changed, and go on to the next page", async (t) => {
  const { owner, team } = await createOwner();
  const rename = (name: string) => request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name } });
  for (let count = 0; count < 60; count++) assert.equal((await rename(`Name ${count}`)).status, 200);
  const page = await open(t, owner, `teams/${team.slug}/events`);
  const items = page.locator("tbody tr:not(.group)");
  await items.nth(49).waitFor();
  assert.equal(await items.count(), 50);
  await page.getByRole("button", { name: "Show more" }).click();
  await items.nth(60).waitFor();
  await items.first().getByRole("rowheader").getByRole("link").click();
  const drawer = page.getByRole("dialog");
  await drawer.locator("del", { hasText: "Name 58" }).waitFor();
  await drawer.locator("ins", { hasText: "Name 59" }).waitFor();
  await page.keyboard.press("j");
  await drawer.locator("ins", { hasText: "Name 58" }).waitFor();
  await page.reload();
  await drawer.locator("ins", { hasText: "Name 58" }).waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  const type = await items.first().locator("code").textContent();
  await pick(page.getByLabel("Type", { exact: true }), type ?? "");
  await page.waitForURL(new RegExp(`\\?type=${type}$`));
  await items.first().getByRole("link", { name: "Name 59", exact: true }).click();
  await page.waitForURL(new RegExp(`\\?entity=${team.id}$`));
  await page.goto(page.url().replace(/\?.*/, "?type=secret-reveal"));
  await page.getByText("Nothing of this kind has happened").waitFor();
});

test("events are followed when they happen, by a link too", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/events`);
  await page.getByText(`created team ${team.slug}`).waitFor();
  const streaming = page.waitForResponse((response) => response.url().includes("/v3/events/stream"));
  await page.getByRole("button", { name: "Follow", exact: true }).click();
  assert.equal((await streaming).status(), 200);
  await page.waitForURL(/live=on/);
  const body = { name: "Seen at once" };
  await request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body });
  await page.getByText("changed the team's name to Seen at once").waitFor();
  await page.getByRole("button", { name: "Stop following" }).click();
  await page.getByRole("button", { name: "Follow", exact: true }).waitFor();
});

test("what happens between reading the events and following them is not missed", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}`);
  const act = async (route: Route) => {
    await request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name: "In between" } });
    await route.continue();
  };
  await page.route("**/v3/events/stream?**", act, { times: 1 });
  await page.goto(`${page.url()}/events?live=on`);
  await page.getByText("changed the team's name to In between").waitFor();
});

test("the whole chain is verified in the browser, which finds what was changed behind it", async (t) => {
  const { owner, team } = await createOwner();
  const rename = (name: string) => request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name } });
  for (let count = 0; count < 5; count++) await rename(`Name ${count}`);
  const page = await open(t, owner, `teams/${team.slug}/events`);
  const verify = page.getByRole("button", { name: "Verify the chain" });
  const dialog = page.getByRole("dialog", { name: "Verify the chain" });
  await verify.click();
  await dialog.getByText(/^All \d+ events are what they were/).waitFor();
  await page.keyboard.press("Escape");
  await query(`update events set text = 'forged' where owner_id = '${team.id}' and sequence = 3`);
  await verify.click();
  await dialog.getByText("Event 3 is not what was recorded").waitFor();
});

test("what the filters leave is saved as a file", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/events?type=team`);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const download = await saving;
  const lines = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\r\n");
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? "", new RegExp(`created team ${team.slug}`));
});

test("checkpoints are made and saved, and the chain is compared with those that were kept", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/events`);
  await page.getByRole("link", { name: "Checkpoints" }).click();
  await page.getByText("There is no checkpoint yet").waitFor();
  await press(page, "Make one of the newest event");
  const download = page.waitForEvent("download");
  await choose(page.getByRole("row").filter({ hasText: "on demand" }), "Save as a file");
  const kept = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  await request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name: "Renamed" } });
  const text = page.getByLabel("Checkpoints", { exact: true });
  await text.fill("{ nothing }");
  await page.getByText("Something in the text is no checkpoint").waitFor();
  const compare = async (...checkpoints: object[]) => {
    await text.fill(checkpoints.map((one) => JSON.stringify(one)).join("\n"));
    await press(page, "Compare");
  };
  await compare(kept);
  await page.getByText(`Event ${kept.sequence}: the chain is what it was.`).waitFor();
  const forged = { ...kept, hash: kept.hash.replace(/^./, (digit: string) => (digit === "0" ? "1" : "0")) };
  await compare(forged, { ...kept, ownerId: "team_other" });
  await page.getByText("the signature is not right").waitFor();
  await page.getByText("the chain of somebody else").waitFor();
  // Anyone who rewrites the store can rewrite all hashes, and not what was kept.
  await query(
    `update events set hash = '${"0".repeat(64)}' where owner_id = '${team.id}' and sequence = ${kept.sequence}`,
  );
  await compare(kept);
  await page.getByText(`Event ${kept.sequence} is not what was recorded`).waitFor();
});

test("events are filtered by time and person, chosen in a field or at an event", async (t) => {
  const { owner, team } = await createOwner();
  const rename = (name: string, token: string) => request("PATCH", `/v2/teams/${team.id}`, { token, body: { name } });
  await rename("Theirs", owner.token);
  await rename("Ours", client.admin.token);
  const page = await open(t, owner, `teams/${team.slug}/events`);
  const [theirs, ours] = [page.getByText("name to Theirs"), page.getByText("name to Ours")];
  await ours.click();
  await page.getByRole("dialog").getByRole("button", { name: "Only theirs" }).click();
  await page.keyboard.press("Escape");
  await theirs.waitFor({ state: "hidden" });
  await ours.waitFor();
  await page.waitForURL(new RegExp(`person=${client.admin.id}`));
  await pick(page.getByLabel("Person", { exact: true }), owner.username);
  await ours.waitFor({ state: "hidden" });
  await theirs.waitFor();
  await pick(page.getByLabel("Dates", { exact: true }), "Between two times");
  await page.getByLabel("Until").fill("2001-01-01T00:00");
  await page.getByText("Nothing of this kind has happened").waitFor();
  assert.equal(await page.getByRole("button", { name: "Follow", exact: true }).getAttribute("aria-disabled"), "true");
  await page.getByLabel("Until").fill("");
  await theirs.waitFor();
});
