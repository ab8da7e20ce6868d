// API keys in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, press, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, createUser, open, request } = await startConsole();

test("a key is created, shown once, used and deleted", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/keys`);
  await page.getByText("The team has no API keys yet").waitFor();
  await press(page, "New API key");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("x".repeat(300));
  await dialog.getByRole("button", { name: "New API key" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Name").fill("deployer");
  await dialog.getByRole("button", { name: "New API key" }).click();
  const token = await dialog.getByLabel("Key").inputValue();
  const path = `/v2/teams/${team.id}`;
  assert.equal((await request("GET", path, { token })).status, 200);
  await page.keyboard.press("Escape");
  await page.reload();
  await page.getByText("deployer").waitFor();
  assert.equal((await page.content()).includes(token), false);
  await choose(page.getByRole("row", { name: /^deployer/ }), "Delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("The team has no API keys yet").waitFor();
  assert.equal((await request("GET", path, { token })).status, 401);
});

test("a key is for its networks alone, and gets another value while the present one goes on", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/keys`);
  await press(page, "New API key");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("deployer");
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByLabel("Networks").fill("the office");
  await dialog.getByRole("button", { name: "New API key" }).click();
  await dialog.locator(".field-problem").waitFor();
  await dialog.getByLabel("Networks").fill("127.0.0.0/8 ::1/128");
  await dialog.getByRole("button", { name: "New API key" }).click();
  const first = await dialog.getByLabel("Key").inputValue();
  await page.keyboard.press("Escape");
  await page.getByText("It works only from 127.0.0.0/8 and ::1/128.").waitFor();
  const rotate = async (hours: string) => {
    await choose(page.getByRole("row", { name: /^deployer/ }), "Rotate");
    await dialog.getByLabel("Hours for which").fill(hours);
    await dialog.getByRole("button", { name: "Rotate" }).click();
  };
  let sent = 0;
  page.on("request", (asked) => {
    if (asked.url().includes("/rotate")) sent++;
  });
  await choose(page.getByRole("row", { name: /^deployer/ }), "Rotate");
  await dialog.getByLabel("Hours for which").fill("1");
  // Anyone who presses Enter twice has one new value, and sees it.
  await page.evaluate(`{
    const form = document.querySelector("dialog form");
    form.requestSubmit();
    setTimeout(() => form.querySelector("[type=submit]").click(), 0);
  }`);
  await dialog.getByLabel("Key").waitFor();
  assert.equal(sent, 1);
  const second = await dialog.getByLabel("Key").inputValue();
  await page.keyboard.press("Escape");
  const statuses = () =>
    Promise.all([first, second].map(async (token) => (await request("GET", `/v2/teams/${team.id}`, { token })).status));
  assert.deepEqual(await statuses(), [200, 200]);
  await rotate("0");
  await dialog.getByRole("alert").filter({ hasText: "Code rotation_pending" }).waitFor();
  await dialog.getByLabel("Also when the last rotation").check();
  await dialog.getByRole("button", { name: "Rotate" }).click();
  await dialog.getByLabel("Key").waitFor();
  assert.deepEqual(await statuses(), [401, 401]);
});

test("a key connects a gate and nothing else, or has the permissions that are chosen", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/keys`);
  const dialog = page.getByRole("dialog");
  const create = dialog.getByRole("button", { name: "New API key" });
  const begin = async (name: string) => {
    await press(page, "New API key");
    await dialog.getByLabel("Name").fill(name);
  };
  const finish = async () => {
    await create.click();
    const value = await dialog.getByLabel("Key", { exact: true }).inputValue();
    await page.keyboard.press("Escape");
    return value;
  };
  const mayRead = async (token: string, path: string) => (await request("GET", path, { token })).status === 200;
  await begin("gate");
  // The role that the form begins with has no such permission, so one that has it is chosen.
  await dialog.getByLabel("Connect a gate").check();
  assert.equal(await dialog.getByLabel("Role", { exact: true }).getAttribute("data-value"), "SECURITY");
  const gate = await finish();
  const row = page.getByRole("row").filter({ hasText: "gate" });
  await row.getByText("It may connect a gate, and nothing else.").waitFor();
  assert.equal(await mayRead(gate, "/v2/secrets"), false);

  await begin("reader");
  await dialog.getByLabel("Chosen permissions").check();
  await create.click();
  await dialog.locator(".field-problem").waitFor();
  assert.equal(
    await dialog.getByLabel("connect a gate", { exact: true }).count(),
    0,
    "the role VIEWER has no such one",
  );
  await dialog.getByLabel("see names of secrets").check();
  await assertAccessible(page, { name: "create-key" });
  const reader = await finish();
  await page.getByText("It may see names of secrets, and nothing else.").waitFor();
  assert.deepEqual([await mayRead(reader, "/v2/secrets"), await mayRead(reader, "/v3/events")], [true, false]);
  await assertAccessible(page, { name: "keys-with-permissions" });
});

test("who may not see keys is not led to them, and reads why", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, `teams/${team.slug}/keys`);
  await page.getByText("Your role does not show this page").waitFor();
  assert.equal(await page.getByRole("link", { name: "API keys" }).count(), 0);
  assert.equal(await page.getByRole("link", { name: "Events", exact: true }).count(), 1);
});

test("an administrator may in every team what its OWNERs may", async (t) => {
  const { team } = await createOwner();
  const admin = await createUser();
  await request("PATCH", `/v1/users/${admin.id}`, { body: { admin: true } });
  const page = await open(t, admin, `teams/${team.slug}/keys`);
  const create = page.getByRole("button", { name: "New API key" });
  await create.waitFor();
  assert.equal(await create.getAttribute("aria-disabled"), null);
});

test("what a key may do is shown in words before it is made, and is what it may do", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/keys`);
  await press(page, "New API key");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It may do everything that the role VIEWER may. It works from any address.").waitFor();
  await dialog.getByLabel("Name").fill("build");
  await pick(dialog.getByLabel("Role", { exact: true }), "Developer");
  await dialog.getByText("It may do everything that the role DEVELOPER may.").waitFor();
  await dialog.getByLabel("Chosen permissions").check();
  for (const permission of ["see names of secrets", "reveal values", "see events"]) {
    await dialog.getByLabel(permission).check();
  }
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByLabel("Secrets and variables").fill("a b!");
  await dialog.getByRole("button", { name: "New API key" }).click();
  await dialog.locator(".field-problem").waitFor();
  await dialog.getByLabel("Secrets and variables").fill("SHOP_* API_KEY");
  await dialog.getByLabel("Days until it ends").fill("0");
  const limits =
    "It may see names of secrets and reveal values, and nothing else. Of no use so: event:read. Of secrets and variables it knows only SHOP_* and API_KEY.";
  await dialog.getByText(`${limits} It works from any address. It has no end.`).waitFor();
  await assertAccessible(page);
  await dialog.getByRole("button", { name: "New API key" }).click();
  const token = await dialog.getByLabel("Key").inputValue();
  await page.keyboard.press("Escape");
  await page
    .getByRole("row", { name: /^build/ })
    // Of the rest, the columns say what differs.
    .getByText(limits, { exact: true })
    .waitFor();
  const create = (name: string) =>
    request("POST", `/v2/secrets?teamId=${team.id}`, {
      token: owner.token,
      body: { name, value: "x", decryptable: true },
    });
  for (const name of ["SHOP_A", "OTHER"]) assert.equal((await create(name)).status, 200);
  assert.equal((await request("GET", "/v3/secrets/SHOP_A?decrypt=true", { token })).body.value, "x");
  assert.equal((await request("GET", "/v3/secrets/OTHER", { token })).status, 404);
});

test("keys are searched and narrowed by the server, under an address that can be handed on", async (t) => {
  const { owner, team } = await createOwner();
  const expiresAt = clock.now + 3 * DAY_MS;
  for (const body of [
    { name: "Deploys", expiresAt },
    { name: "Gate", role: "SECURITY" },
    { name: "Deploys of others" },
  ]) {
    const created = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
      token: owner.token,
      body: { role: "VIEWER", ...body },
    });
    assert.equal(created.status, 200);
  }
  const page = await open(t, owner, `teams/${team.slug}/keys`);
  const names = page.getByRole("table", { name: "API keys" }).locator("tbody strong");
  await page.locator(".title .count").getByText("3", { exact: true }).waitFor();
  await page.getByLabel("Search API keys").fill("DEPLOY");
  await page.locator(".title .count").getByText("2", { exact: true }).waitFor();
  assert.deepEqual(await names.allTextContents(), ["Deploys of others", "Deploys"]);
  await pick(page.getByLabel("State"), "Ends within 7 days");
  await page.locator(".title .count").getByText("1", { exact: true }).waitFor();
  assert.deepEqual(await names.allTextContents(), ["Deploys"]);
  await assertAccessible(page, { name: "console-keys-found" });
  assert.equal(new URL(page.url()).search, "?search=DEPLOY&state=ending");
  await page.reload();
  await names.getByText("Deploys", { exact: true }).waitFor();
  await page.getByLabel("Search API keys").fill("nothing");
  await page.getByText("No API key matches").waitFor();
  await press(page, "Clear State");
  await page.getByLabel("Search API keys").fill("");
  await page.locator(".title .count").getByText("3", { exact: true }).waitFor();
  await pick(page.getByLabel("Role", { exact: true }), "Security");
  await page.locator(".title .count").getByText("1", { exact: true }).waitFor();
  assert.deepEqual(await names.allTextContents(), ["Gate"]);
  await pick(page.getByLabel("Responsible", { exact: true }), owner.username);
  await pick(page.getByLabel("Last used", { exact: true }), "Not in 7 days");
  await page.getByText("No API key matches").waitFor();
  await assertAccessible(page, { name: "console-keys-none-found" });
  assert.equal(new URL(page.url()).search, `?role=SECURITY&responsible=${owner.id}&unused=7`);
  await press(page, "Clear Last used");
  await names.getByText("Gate", { exact: true }).waitFor();
});
