// The webhooks of a team in the console, with a real receiver.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { LOOPBACK, startReceiver } from "../../webhooks/receiver.ts";
import { assertAccessible } from "../accessibility.ts";
import { pick, press, seesPage, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, open, query, request } = await startConsole(LOOPBACK);
const receiver = await startReceiver();

test("a webhook is created, tried out, repaired, given another secret and deleted", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/webhooks`);
  await page.getByText("The team has no webhooks yet").waitFor();
  await press(page, "New webhook");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(`${receiver.url}/hook`);
  await dialog.getByLabel("Every event").uncheck();
  const create = dialog.getByRole("button", { name: "New webhook" });
  assert.equal(await create.getAttribute("aria-description"), "No event is chosen yet");
  await dialog.getByLabel("Find a type of event").fill("secret-");
  await dialog.getByText("secret", { exact: false }).first().click();
  await dialog.getByLabel(/^secret-add /).check();
  await dialog.getByLabel(/^secret-delete /).check();
  await dialog.getByRole("button", { name: "New webhook" }).click();
  const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: `${receiver.url}/hook` }).click();

  receiver.respond(500);
  await press(page, "Send test");
  await page.getByText("The receiver responded with 500").waitFor();
  receiver.respond((response) => response.end("thanks"));
  await press(page, "Send test");
  await page.getByText("The receiver responded with 200").waitFor();
  const tests = page.getByRole("row").filter({ has: page.locator(".badge", { hasText: "Test" }) });
  await tests.nth(1).waitFor();
  assert.deepEqual(await tests.locator("td:first-child").allTextContents(), ["Delivered", "Failed"]);
  await press(page, "Show the test");
  await dialog.getByText("thanks").waitFor();
  await dialog.getByRole("button", { name: "Copy as curl" }).waitFor();
  await page.keyboard.press("j");
  await dialog.getByText("status 500").waitFor();
  await page.keyboard.press("k");
  await dialog.getByText("status 200").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const tried = receiver.received.at(-1) ?? assert.fail();
  const signed = new Webhook(secret).sign(String(tried.headers["webhook-id"]), new Date(clock.now), tried.text);
  assert.equal(tried.headers["webhook-signature"], signed, "the secret that was shown signs");

  const sent = receiver.received.length;
  await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body: { name: "A", value: "1" } });
  await receiver.until(({ length }) => length > sent);
  await page.reload();
  await page.getByRole("button", { name: /^Delivered/ }).click();
  assert.match(page.url(), /\?state=delivered$/);
  await page.getByRole("row").getByRole("link", { name: "secret-add" }).click();
  await dialog.getByRole("button", { name: "Send again" }).click();
  await receiver.until(({ length }) => length > sent + 1);
  await page.keyboard.press("Escape");

  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  const choose = async (action: string): Promise<void> => {
    await press(page, "More actions");
    await page.getByRole("menuitem", { name: action }).click();
  };
  await choose("Replace the secret…");
  await dialog.getByRole("button", { name: "Replace the secret" }).click();
  await dialog.getByText("fresh proof").waitFor();
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  assert.notEqual(await dialog.getByLabel("Secret", { exact: true }).inputValue(), secret);
  await page.keyboard.press("Escape");
  const before = receiver.received.length;
  await choose("Send again…");
  await dialog.getByLabel("Delivered").check();
  await dialog.getByLabel("From").fill("2020-01-01T00:00:00");
  await dialog.getByRole("button", { name: "Send again", exact: true }).click();
  await dialog.getByText(/deliveries are due/).waitFor();
  await receiver.until(({ length }) => length > before);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Verify signatures" }).click();
  await pick(page.getByLabel("Language"), "Python");
  assert.match(await page.getByLabel("Code that verifies a delivery").inputValue(), /^import base64, hashlib/);
  await choose("Deactivate");
  await page.getByText("Inactive").waitFor();
  await choose("Activate");
  await page.getByText("Healthy").waitFor();
  await choose("Delete…");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("The team has no webhooks yet").waitFor();
});

test("a webhook is changed, and of two who do so the second sees both versions", async (t) => {
  const { owner, team } = await createOwner();
  const send = (method: string, path: string, body: unknown) =>
    request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
  const created = await send("POST", "/v1/webhooks", { url: `${receiver.url}/one`, events: ["secret-*"] });
  const page = await open(t, owner, `teams/${team.slug}/webhooks/${created.body.id}`);
  await press(page, "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("ftp://example.com");
  await press(page, "Save");
  await dialog.locator(".field-problem").waitFor();
  await dialog.getByLabel("URL").fill(`${receiver.url}/two`);
  await dialog.getByLabel("Description").fill("Deployments");
  await send("PATCH", `/v1/webhooks/${created.body.id}`, { description: "from elsewhere" });
  await press(page, "Save");
  await dialog.getByRole("alert").getByText("from elsewhere").waitFor();
  await press(page, "Store mine");
  await page.getByText(`${receiver.url}/two`, { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Deployments", level: 1 }).waitFor();
});

test("a VIEWER reads why a webhook is not theirs to change", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, `teams/${team.slug}/webhooks`);
  const create = page.getByRole("button", { name: "New webhook" });
  await create.waitFor();
  assert.equal(await create.getAttribute("aria-description"), "Your role may not change webhooks");
});

test("the deliveries to all webhooks are filtered by webhook, state, response and time, page by page", async (t) => {
  const { owner, team } = await createOwner();
  const send = (method: string, path: string, body: unknown) =>
    request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
  const hooks: string[] = [];
  for (const name of ["one", "two"]) {
    const { body } = await send("POST", "/v1/webhooks", {
      url: `${receiver.url}/${name}`,
      events: ["secret-*"],
      active: false,
    });
    hooks.push(body.id);
  }
  for (let at = 0; at < 40; at++) await send("POST", "/v2/secrets", { name: `S${at}`, value: "x" });
  const failed = `status = 503, state = 'failed', attempts = 1, last_attempt_at = ${clock.now}`;
  await query(`update webhook_deliveries set ${failed} where webhook_id = '${hooks[1]}' and sequence % 10 = 0`);
  const page = await open(t, owner, `teams/${team.slug}/webhooks`);
  await page.getByRole("link", { name: "Deliveries", exact: true }).click();
  await seesPage(page, "Deliveries");
  const rows = page.locator("tbody tr");
  await rows.nth(49).waitFor();
  await press(page, "Show more");
  await rows.nth(79).waitFor();
  await pick(page.getByLabel("Response", { exact: true }), "5xx: failed");
  await rows.filter({ hasText: "503" }).first().waitFor();
  await rows.nth(10).waitFor({ state: "detached" });
  const count = await rows.count();
  assert.ok(count >= 4 && count === (await rows.filter({ hasText: `${receiver.url}/two` }).count()), String(count));
  await pick(page.getByLabel("Webhook", { exact: true }), `${receiver.url}/one`);
  await page.getByText("Nothing was sent").waitFor();
  await assertAccessible(page, { name: "console-deliveries-none" });
  await press(page, "Clear Response");
  await pick(page.getByLabel("Dates", { exact: true }), "Between two times");
  await page.getByLabel("From").fill("2099-01-01T00:00:00");
  await page.getByText("Nothing was sent").waitFor();
  assert.match(page.url(), /webhook=.*since=2099/);
  await page.reload();
  await page.getByText("Nothing was sent").waitFor();
  await press(page, "Clear Dates");
  await rows.nth(39).waitFor();
  await rows.first().getByRole("link", { name: "secret-add" }).click();
  await page.getByRole("dialog").getByText("It was not tried yet.").waitFor();
});

test("a delivery that is copied as curl sends the same request again, whatever is in its address and its body", async (t) => {
  const { owner, team } = await createOwner();
  const as = { token: owner.token };
  const body = { url: `${receiver.url}/it's?a[]={1,2}&b=$HOME`, events: ["team-name-update"] };
  const { body: webhook } = await request("POST", `/v1/webhooks?teamId=${team.id}`, { ...as, body });
  const isOf = ({ path }: { readonly path: string }) => path.startsWith("/it");
  const name = `It's "$HOME" \`id\` $(id) \\ Zürich 東京 !!`;
  await request("PATCH", `/v2/teams/${team.id}`, { ...as, body: { name } });
  await receiver.until((received) => received.some(isOf));
  const page = await open(t, owner, `teams/${team.slug}/webhooks/${webhook.id}`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("row").getByRole("link", { name: "team-name-update" }).click();
  await press(page, "Copy as curl");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  // Without the settings that the machine has for curl.
  await promisify(execFile)("bash", ["-c", command], { env: { ...process.env, HOME: "/nowhere" } });
  const [sent, copied, ...others] = receiver.received
    .filter(isOf)
    .map(({ path, text, headers: { connection: _connection, ...headers } }) => ({ path, text, headers }));
  assert.equal(JSON.parse(sent?.text ?? "{}").payload?.name, name);
  assert.deepEqual(copied, sent);
  assert.deepEqual(others, []);
});
