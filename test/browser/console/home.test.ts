// The home of a team in the console: what needs somebody, with the action beside it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { uniqueName } from "../../harness/test-app.ts";
import { assertAccessible } from "../accessibility.ts";
import { seesHeading, seesPage, startConsole } from "./console-world.ts";

/** What the page reads of each kind at once. */
const NEWER = 100;

const { addMember, app, clock, createOwner, createUser, open, query, request, send } = await startConsole();

async function openNeedy() {
  const { owner, team } = await createOwner();
  const stranger = await createUser();
  await request("POST", `/v1/teams/${team.id}/request`, { token: stranger.token });
  await send(owner, team, "POST", "/v2/secrets", { name: "ENDS", value: "x", expiresAt: clock.now + HOUR_MS });
  await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: [] });
  await send(owner, team, "PATCH", "/v1/firewalls/draft", { action: "ja4Enabled", value: true });
  await send(owner, team, "POST", "/v1/attack-challenge-mode", {
    attackModeEnabled: true,
    attackModeActiveUntil: clock.now + HOUR_MS,
  });
  return { owner, team, stranger };
}

test("what needs somebody is listed, and what was done about it goes away", async (t) => {
  const { owner, team, stranger } = await openNeedy();
  const page = await open(t, owner, `teams/${team.slug}`);
  const needs = page.locator(".needs > li");
  const need = (text: string) => needs.filter({ hasText: text });
  await need(`${stranger.username} asks to join`).waitFor();
  await need("ENDS ends in 1 hour").getByText("Version 1, changed").waitFor();
  await assertAccessible(page, { name: "console-home-needs" });
  assert.equal(await needs.count(), 4);
  await need("asks to join").getByRole("button", { name: "Accept" }).click();
  await need("asks to join").waitFor({ state: "detached" });
  const { body } = await request("GET", `/v1/teams/${team.id}/members/${stranger.id}`, { token: owner.token });
  assert.equal(body.confirmed, true);
  await need("has unpublished changes").getByRole("link").click();
  await seesHeading(page, "Review changes");
  await page.getByRole("button", { name: "Publish" }).click();
  await seesPage(page, "Versions");
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await need("Attack mode is on").getByRole("link").click();
  await seesHeading(page, "Attack mode");
  await page.goBack();
  await need("Attack mode is on").waitFor();
  assert.equal(await need("unpublished").count(), 0);
});

test("webhooks with their deliveries, secrets that end, and who did what are on the home", async (t) => {
  const { owner, team } = await openNeedy();
  await send(owner, team, "POST", "/v1/webhooks", {
    url: "https://hooks.example.com/x",
    events: ["team-delete"],
    description: "Change feed",
  });
  await send(owner, team, "POST", "/v2/secrets", { name: "LATER", value: "x", expiresAt: clock.now + 40 * DAY_MS });
  const page = await open(t, owner, `teams/${team.slug}`);
  const panel = (title: string) => page.locator(".panel", { has: page.getByRole("heading", { name: title }) });
  await panel("Webhooks").getByText("Healthy").waitFor();
  await panel("Webhooks").getByRole("img", { name: "In 24 hours: 0 delivered, 0 failed, 0 waiting" }).waitFor();
  await panel("Secrets that end soon").getByRole("link", { name: "ENDS" }).waitFor();
  assert.equal(await panel("Secrets that end soon").getByText("LATER", { exact: true }).count(), 0);
  await panel("Webhooks").getByText("hooks.example.com", { exact: true }).waitFor();
  const created = panel("Recent activity").getByRole("listitem").filter({ hasText: "created secret LATER" });
  assert.equal(await created.getByRole("strong").textContent(), owner.username);
  assert.match((await created.getByRole("link", { name: "LATER" }).getAttribute("href")) ?? "", /\/secrets\/LATER$/);
  await assertAccessible(page, { name: "console-home" });
  await panel("Webhooks").getByRole("link", { name: "Change feed" }).click();
  await seesHeading(page, "Change feed");
});

test("who asked and what ends is there also where a hundred newer ones have come since", async (t) => {
  const { owner, team } = await createOwner();
  const stranger = await createUser();
  await request("POST", `/v1/teams/${team.id}/request`, { token: stranger.token });
  await send(owner, team, "POST", "/v2/secrets", {
    name: "OLD_CERTIFICATE",
    value: "x",
    expiresAt: clock.now + 8 * DAY_MS,
  });
  const values = Array.from({ length: NEWER }, (_, at) => ({ name: `NEWER_${at}`, value: "x" }));
  await send(owner, team, "PATCH", "/v1/secrets/values", { values });
  const emails = values.map((_, at) => ({ email: `${uniqueName("newer")}-${at}@example.com`, role: "MEMBER" }));
  for (let at = 0; at < NEWER; at += 10)
    await send(owner, team, "POST", `/v1/teams/${team.id}/members`, emails.slice(at, at + 10));
  clock.advance(2 * DAY_MS);
  while ((await app.runner.changes.announceExpiry(null, clock.now)) > 0);
  const page = await open(t, owner, `teams/${team.slug}`);
  await page.getByText(`${stranger.username} asks to join`).waitFor();
  await page.getByText("OLD_CERTIFICATE ends").waitFor();
});

test("the navigation counts what needs somebody on each page, and what was done about it is no longer counted", async (t) => {
  const { owner, team } = await openNeedy();
  const webhook = await send(owner, team, "POST", "/v1/webhooks", {
    url: "https://hooks.example.com/x",
    events: ["team-delete"],
  });
  await query(`update webhook_queues set failing_since = ${clock.now} where webhook_id = '${webhook.id}'`);
  const page = await open(t, owner, `teams/${team.slug}/members`);
  const nav = page.getByRole("navigation", { name: "Pages of the team" });
  const counted = async (name: string, expected: string | null) => {
    const link = nav.getByRole("link", { name, exact: true });
    const text = expected === null ? "" : `${expected} need${expected === "1" ? "s" : ""} attention`;
    await waitFor(`${name}: ${expected ?? "no count"}`, async () => {
      const seen = await link.evaluate((one) => [one.textContent, one.getAttribute("aria-description") ?? ""]);
      return (seen[0] === `${name}${expected ?? ""}` && seen[1] === text) || undefined;
    });
  };
  await counted("Home", "5");
  await counted("Members", "1");
  await counted("Projects", "2");
  await counted("Secrets", "1");
  await counted("Webhooks", "1");
  await counted("API keys", null);
  await assertAccessible(page, { name: "console-counts" });
  await page.getByRole("button", { name: /^Accept as/ }).click();
  await counted("Members", null);
  await counted("Home", "4");
});

test("a VIEWER sees what needs somebody, and why others have to act; a quiet team has nothing", async (t) => {
  const { owner, team } = await openNeedy();
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, `teams/${team.slug}`);
  const accept = page.getByRole("button", { name: "Accept" });
  await accept.waitFor();
  assert.equal(await accept.getAttribute("aria-description"), "Only an Owner may do this");
  const quiet = await createOwner();
  const other = await open(t, quiet.owner, `teams/${quiet.team.slug}`);
  await other.getByText("Nothing needs attention.").waitFor();
});

test("a new team has its first steps on the home, until most are done or they are hidden", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}`);
  const steps = page.locator(".panel", { has: page.getByRole("heading", { name: `Set up ${team.slug}` }) });
  await steps.getByText("0 of 4 done").waitFor();
  await assertAccessible(page, { name: "console-home-first-steps" });
  await send(owner, team, "POST", "/v2/secrets", { name: "FIRST", value: "x" });
  await page.reload();
  await steps.getByText("1 of 4 done").waitFor();
  await steps.getByText("Store your first secret (done)").waitFor();
  await steps.getByRole("link", { name: "Invite" }).click();
  await seesHeading(page, "Members");
  await page.goBack();
  await steps.getByRole("button", { name: "Hide" }).click();
  await steps.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("Nothing needs attention.").waitFor();
  assert.equal(await steps.count(), 0);
});

test("requests of the last day are on the home, and each sum leads to what is behind it", async (t) => {
  const { owner, team } = await openNeedy();
  const of = { host: "shop.example.com", at: clock.now - HOUR_MS };
  const counts = [
    { ...of, action: "allow", count: 900 },
    { ...of, action: "deny", ip: "192.0.2.1", count: 30 },
  ];
  await send(owner, team, "POST", "/v1/firewalls/traffic", { counts });
  const page = await open(t, owner, `teams/${team.slug}`);
  const panel = page.locator(".panel", { has: page.getByRole("heading", { name: /^Requests / }) });
  await panel.getByRole("link", { name: "900" }).waitFor();
  await panel.getByRole("img", { name: "Requests that were not simply allowed, by hour: at most 30." }).waitFor();
  await assertAccessible(page, { name: "console-home-requests" });
  await panel.getByRole("link", { name: "30", exact: true }).click();
  await seesHeading(page, "Decisions");
  assert.match(page.url(), /action=deny/);
});
