// What comes between on the pages of the console: a server that is gone and back, a session that ended, somebody else's change.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { ADDRESSES } from "../../../console/addresses.ts";
import { uniqueName } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { openSession } from "../../sign-in/open-session.ts";
import { choose, press, startConsole } from "./console-world.ts";

const world = await startConsole();
const { clock, createOwner, createUser, open, query, request, url } = world;

/** Pages that ask the server nothing before somebody presses a button. */
const SILENT: readonly string[] = [ADDRESSES.firewallTry, ADDRESSES.firewallTests, ADDRESSES.secretsText];

/** Characters of the main part of a page that shows its heading alone. */
const HEADING = 10;
const isApi = ({ pathname }: URL) => !pathname.startsWith("/console");

test("each page says that the server is gone, and shows what it has when it is back and asked again", async (t) => {
  const { owner, team } = await createOwner();
  const send = async (method: string, path: string, body: unknown) => {
    const response = await request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  await send("POST", "/v2/secrets", { name: "API_KEY", value: "x" });
  const rule = { name: "Panel", active: true, conditionGroup: [], action: {} };
  const { active } = await send("PUT", "/v1/firewalls", { firewallEnabled: true, rules: [rule] });
  await send("PATCH", "/v1/firewalls/draft", { action: "ja4Enabled", value: true });
  // The pages of the instance are there for administrators alone.
  await request("PATCH", `/v1/users/${owner.id}`, { body: { admin: true } });
  const webhook = await send("POST", "/v1/webhooks", { url: "http://127.0.0.1:9/", events: ["project.*"] });
  const first = await open(t, owner, "");
  await first.getByRole("heading", { level: 1 }).waitFor();
  const values: Readonly<Record<string, string>> = {
    team: team.slug,
    name: "API_KEY",
    environment: "production",
    key: "API_KEY",
    webhook: webhook.id,
    rule: active.rules[0].id,
    operation: "createTeam",
  };
  const wrong: string[] = [];
  const look = async (path: string): Promise<void> => {
    const page = await first.context().newPage();
    await page.route(isApi, (route) => route.abort("connectionrefused"));
    await page.goto(`${url}/console${path.replace(/:(\w+)/g, (_match, name: string) => values[name] ?? "")}`);
    const problems = page.getByRole("main").getByRole("alert");
    const said = problems.filter({ hasText: "The server cannot be reached" }).first();
    await said.waitFor().catch(() => wrong.push(`${path} does not say that the server is gone`));
    await page.unroute(isApi);
    const again = page.getByRole("button", { name: "Try again" });
    for (let tries = 0; tries < 5 && (await again.count()) > 0; tries++) {
      // It goes away by itself when what it is about is read again meanwhile.
      await again
        .first()
        .click({ timeout: 2_000 })
        .catch(() => undefined);
      await page.waitForLoadState("networkidle");
    }
    for (const text of await problems.allInnerTexts()) wrong.push(`${path} goes on to say ${text}`);
    const isFull = async () => (await page.getByRole("main").innerText()).length > HEADING || undefined;
    await waitFor(`${path} to show something`, isFull).catch(() => wrong.push(`${path} stays empty`));
    await page.close();
  };
  const paths = Object.values(ADDRESSES).filter((path) => !SILENT.includes(path));
  for (let at = 0; at < paths.length; at += 4) await Promise.all(paths.slice(at, at + 4).map(look));
  assert.deepEqual(wrong, []);
});

test("a page whose code does not come says so, and is there when it is tried again", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const isCode = ({ pathname }: URL) => pathname.startsWith("/console/assets/");
  await page.route(isCode, (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  const said = page.getByRole("alert").filter({ hasText: "The code of this page does not come" });
  await said.waitFor();
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await said.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  await said.waitFor();
  await page.route(isApi, (route) => route.abort("connectionrefused"));
  await press(page, "Try again");
  await said.waitFor();
  await page.unroute(isApi);
  await page.unroute(isCode);
  await press(page, "Try again");
  await page.getByText("The team has no webhooks yet").waitFor();
});

test("what was typed stays when the server is gone for something else on the page", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/settings`);
  await page.getByLabel("Description").fill("typed");
  await page.route(isApi, (route) => route.abort("connectionrefused"));
  await press(page, "New link");
  const problems = page.getByRole("alert").filter({ hasText: "The server cannot be reached" });
  await problems.nth(1).waitFor();
  assert.equal(await page.getByLabel("Description").inputValue(), "typed");
  await page.unroute(isApi);
  await press(page, "Try again");
  await press(page, "Save");
  await page.locator('[aria-description="Nothing is changed yet"]').waitFor();
  await page.reload();
  assert.equal(await page.getByLabel("Description").inputValue(), "typed");
});

test("what was typed stays when the session has ended, and is sent after signing in elsewhere", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await press(page, "Invite people");
  const email = `${uniqueName("late")}@example.com`;
  await page.getByLabel("E-mail addresses").fill(email);
  await query(`delete from sessions where user_id = '${owner.id}'`);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const signIn = dialog.getByRole("link", { name: "Sign in in another tab" });
  const back = new URL((await signIn.getAttribute("href")) ?? "").searchParams.get("return");
  assert.equal(back, `teams/${team.slug}/members`);
  assert.equal(await signIn.getAttribute("target"), "_blank");
  assert.equal(await page.getByLabel("E-mail addresses").inputValue(), email);
  // As the other tab does.
  const { session } = await openSession(world, owner);
  await page.context().addCookies([{ name: "reeve", value: session, url }]);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await dialog.getByLabel(email).first().waitFor();
});

/** Presses a key until something with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const focused = () =>
    page.evaluate<string>(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent).trim()",
    );
  for (let count = 0; count < 80; count++) {
    const at = await focused();
    if (typeof name === "string" ? at === name : name.test(at)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not lead to ${String(name)}`);
}

/** Opens the menu that has the focus, and chooses its first action. */
async function chooseByKey(page: Page, action: string): Promise<void> {
  await Promise.all([page.keyboard.press("Enter"), page.locator("[role=menuitem]:focus").waitFor()]);
  await page.keyboard.press(action.charAt(0).toLowerCase());
  await page.keyboard.press("Enter");
}

test("a browser that takes itself for offline says so, and carries nothing out later", async (t) => {
  const { owner, team } = await createOwner();
  const at = `?teamId=${team.id}`;
  await request("POST", `/v1/api-keys${at}`, { token: owner.token, body: { name: "Kept", role: "VIEWER" } });
  const page = await open(t, owner, `teams/${team.slug}/keys`);
  const row = page.getByRole("row").filter({ hasText: "Kept" });
  await choose(row, "Delete");
  await page.context().setOffline(true);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.context().setOffline(false);
  await page.reload();
  await row.waitFor();
});

test("two administrators who change one account at once: the second sees both, and changes only what was typed", async (t) => {
  const { owner } = await createOwner();
  const admin = await createUser();
  await request("PATCH", `/v1/users/${admin.id}`, { body: { admin: true } });
  const page = await open(t, admin, `instance/accounts?search=${owner.username}`);
  await choose(page.getByRole("row").filter({ hasText: owner.username }), "Change");
  const dialog = page.getByRole("dialog");
  const name = uniqueName("typed");
  await dialog.getByLabel("Username").fill(name);
  await request("PATCH", `/v1/users/${owner.id}`, { body: { name: "From elsewhere", admin: true } });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").getByText("From elsewhere").first().waitFor();
  await dialog.getByRole("button", { name: "Store mine" }).click();
  await dialog.waitFor({ state: "detached" });
  const { user } = (await request("GET", `/v1/users/${owner.id}`, {})).body;
  assert.deepEqual([user.username, user.name, user.isAdmin], [name, "From elsewhere", true]);
});

test("two people who store a value of one secret at once: the second is told, and decides", async (t) => {
  const { owner, team } = await createOwner();
  const of = `?teamId=${team.id}`;
  const as = { token: owner.token };
  await request("POST", `/v2/secrets${of}`, { ...as, body: { name: "API_KEY", value: "1", decryptable: true } });
  const page = await open(t, owner, `teams/${team.slug}/secrets/API_KEY`);
  await press(page, "New version");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Value").fill("mine");
  await request("PUT", `/v2/secrets/API_KEY${of}`, { ...as, body: { value: "theirs" } });
  // The page reads the newer version before this one is sent.
  clock.advance(10_000);
  await page.clock.setFixedTime(clock.now);
  const read = page.waitForResponse((response) => response.url().includes("/v3/secrets/API_KEY"));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await read;
  const reveal = async () => (await request("GET", `/v3/secrets/API_KEY${of}&decrypt=true`, as)).body.value;
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").filter({ hasText: "Somebody else stored version 2 meanwhile" }).waitFor();
  assert.deepEqual([await reveal(), await dialog.getByLabel("Value").inputValue()], ["theirs", "mine"]);
  await page.getByText("Version 2", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await reveal(), "mine");
});

test("two people who switch attack mode at once: the second is told what it is now", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/firewall/attack-mode`);
  await page.getByRole("button", { name: /^On until/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  const body = { attackModeEnabled: true };
  await request("POST", `/v1/attack-challenge-mode?teamId=${team.id}`, { token: owner.token, body });
  await dialog.getByRole("button", { name: "Switch on" }).click();
  await dialog.getByRole("alert").filter({ hasText: "Somebody else changed it" }).waitFor();
});

test("a secret is stored, renamed, deleted and restored with the keyboard alone", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  await page.getByText("The team has no secrets yet").waitFor();
  const dialog = page.getByRole("dialog");
  await tabTo(page, "New secret");
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await page.keyboard.type("API_KEY");
  await tabTo(page, "Value");
  await page.keyboard.type("swordfish");
  await tabTo(page, "Create secret");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Reveal" }).waitFor();
  await tabTo(page, "More actions");
  await chooseByKey(page, "Rename");
  await dialog.waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("API_TOKEN");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/secrets\/API_TOKEN$/);
  await dialog.waitFor({ state: "detached" });
  await tabTo(page, "More actions");
  await chooseByKey(page, "Delete");
  await dialog.waitFor();
  await tabTo(page, "Delete");
  await page.keyboard.press("Enter");
  await page.getByText("The team has no secrets yet").waitFor();
  await tabTo(page, "More actions");
  await chooseByKey(page, "Deleted secrets");
  await page.getByText("API_TOKEN", { exact: true }).waitFor();
  await tabTo(page, "Actions for API_TOKEN");
  await chooseByKey(page, "Restore");
  await page.getByText("Nothing was deleted lately").waitFor();
});

test("somebody is invited, given a role and removed with the keyboard alone", async (t) => {
  const { owner, team } = await createOwner();
  const member = await createUser();
  await request("POST", `/v1/teams/${team.id}/members`, {
    token: owner.token,
    body: { uid: member.id, role: "VIEWER" },
  });
  await request("POST", "/v1/teams/join", { token: member.token, body: { teamId: team.id } });
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await page.getByText(member.email).waitFor();
  const dialog = page.getByRole("dialog");
  await tabTo(page, "Invite people");
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  const email = `${uniqueName("typed")}@example.com`;
  await page.keyboard.type(email);
  await tabTo(page, "Invite");
  await page.keyboard.press("Enter");
  await dialog.getByLabel(email).first().waitFor();
  await page.keyboard.press("Escape");
  await tabTo(page, `Role: ${member.username}`);
  await page.keyboard.press("Enter");
  await page.getByRole("listbox").waitFor();
  await page.keyboard.type("SEC");
  await page.locator("[role=option]:focus", { hasText: "Security" }).waitFor();
  await page.keyboard.press("Enter");
  const role = async () =>
    (await request("GET", `/v1/teams/${team.id}/members/${member.id}`, { token: owner.token })).body.role;
  await page.getByText(`The role of ${member.username} was changed`).waitFor();
  assert.equal(await role(), "SECURITY");
  await tabTo(page, `Actions for ${member.username}`);
  await chooseByKey(page, "Remove");
  await dialog.waitFor();
  await tabTo(page, "Remove");
  await page.keyboard.press("Enter");
  await page.getByText(member.email).waitFor({ state: "detached" });
});
