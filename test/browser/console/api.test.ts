// The API reference in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { press, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, open, query, request, url } = await startConsole();

test("a call is found by a search, tried, and its result is shown", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, "api");
  await page.getByRole("searchbox").fill("teams member:read");
  await page.getByText(/^\d calls$/).waitFor();
  assert.match(page.url(), /\?search=/);
  await page.getByRole("searchbox").fill("nothing is called that");
  await page.getByText("No call matches").waitFor();
  await page.getByRole("link", { name: "Show every call" }).click();
  await page.getByRole("searchbox").fill("v2/teams/{teamId}");
  await page.getByRole("link", { name: "GET Get a team by id or slug /v2/teams/{teamId}", exact: true }).click();
  await page.getByRole("heading", { name: "Get a team by id or slug", level: 1 }).waitFor();
  await page.getByRole("combobox", { name: "teamId" }).fill(team.slug);
  await press(page, "Send");
  await page.getByText("Status 200").waitFor();
  const shown = await page.getByLabel("Body of the response").inputValue();
  assert.equal(JSON.parse(shown).id, team.id);
  await page.getByText("x-request-id").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Get a team by id or slug", level: 1 }).waitFor();
});

test("a change is sent once it is confirmed, by keyboard alone, and a refusal is shown beside its field", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, "api/createSecret");
  const body = page.getByLabel("Body (JSON)");
  await page.getByRole("combobox", { name: "teamId" }).fill(team.slug);
  await body.fill(`{"name": "API_KEY"`);
  await press(page, "Send");
  await page.getByText("This is not JSON:").waitFor();
  // Next to the response is an example of it, with what was sent.
  assert.match((await page.locator("details pre").textContent()) ?? "", /"name": "DATABASE_URL"/);
  await body.fill(`{"name": "API_KEY"}`);
  const send = page.getByRole("button", { name: "Send", exact: true });
  await send.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText(`/v2/secrets?teamId=${team.slug}`).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByText(/^Status/).count(), 0, "nothing was sent");
  // The dialog gives the focus back.
  const dialog = page.getByRole("dialog");
  // A dialog that is closed is gone a moment later.
  const isGone = () => page.locator("dialog").waitFor({ state: "detached" });
  await isGone();
  const confirm = async () => {
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    for (const key of ["Tab", "Enter"]) await page.keyboard.press(key);
  };
  await confirm();
  await page.getByRole("alert").filter({ hasText: "value: is required" }).waitFor();
  await body.fill(`{"name": "API_KEY", "value": "x"}`);
  await isGone();
  await send.focus();
  await confirm();
  await page.getByText("Status 200").waitFor();
  const { body: found } = await request("GET", `/v2/secrets?teamId=${team.id}`, { token: owner.token });
  assert.equal(found.secrets[0].name, "API_KEY");
});

test("a call that needs a fresh proof leads to it, and is sent again afterwards", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, "api/createApiKey");
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  await page.getByRole("combobox", { name: "teamId" }).fill(team.slug);
  await press(page, "Send");
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Status 403").waitFor();
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Another way" }).click();
  await (await opened).getByRole("heading", { name: "Confirm it is you" }).waitFor();
  // As the page that was opened does with a right password.
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await (await opened).close();
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await page.getByText("Status 200").waitFor();
});

test("a VIEWER reads what the permission needs, and the server's refusal", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, "api/createInvite");
  await page.getByText("Roles with this permission: OWNER.").waitFor();
  await page.getByRole("combobox", { name: "teamId" }).fill(team.slug);
  await press(page, "Send");
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Status 403").waitFor();
  assert.match(await page.getByLabel("Body of the response").inputValue(), /"code": "forbidden"/);
});

test("a live stream is shown as it comes, until it is stopped", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, "api/streamEvents");
  await page.getByRole("combobox", { name: "teamId" }).fill(team.slug);
  await press(page, "Send");
  await page.getByText("the body is coming").waitFor();
  await request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name: "Renamed" } });
  const body = page.locator(".outcome textarea");
  while (!(await body.inputValue()).includes("team-name-update")) await setTimeout(20);
  await press(page, "Stop");
  await page.getByText("the body is coming").waitFor({ state: "detached" });
});

test("an example is shown in each language, and copied", async (t) => {
  const { owner } = await createOwner();
  const page = await open(t, owner, "api/createTeam");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("radio", { name: "@vercel/sdk" }).check();
  assert.match(page.url(), /\?in=sdk$/);
  await page.getByText("vercel.teams.createTeam({").waitFor();
  await page.locator("section", { hasText: "Examples" }).getByRole("button", { name: "Copy" }).click();
  const copied: string = await page.evaluate("navigator.clipboard.readText()");
  assert.ok(copied.includes(`serverURL: "${url}/"`), copied);
});

test("an unknown call, and a server that is gone, are said", async (t) => {
  const { owner } = await createOwner();
  const page = await open(t, owner, "api/noSuchCall");
  await page.getByText("There is no such call").waitFor();
  await page.route("**/openapi.json", (route) => route.abort());
  await page.reload();
  await page.getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();
});
