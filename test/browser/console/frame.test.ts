// What holds on every page of the console: a server that is gone and comes back, a session that ended, a proxy's path, the keyboard.
import assert from "node:assert/strict";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { ADDRESSES } from "../../../console/addresses.ts";
import { uniqueName } from "../../harness/test-app.ts";
import { assertAccessible } from "../accessibility.ts";
import { press, seesHeading, startConsole } from "./console-world.ts";

const { createOwner, createTeam, createUser, open, query, url, request: ask } = await startConsole();

test("a server that is gone is said to be, nothing that was typed is lost, and it goes on when it is back", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  await press(page, "New secret");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("API_KEY");
  await dialog.getByLabel("Value", { exact: true }).fill("typed");
  const isApi = ({ pathname }: URL) => !pathname.startsWith("/console");
  await page.route(isApi, (route) => route.abort("connectionrefused"));
  await dialog.getByRole("button", { name: "Create secret" }).click();
  await dialog.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
  assert.equal(await dialog.getByLabel("Value", { exact: true }).inputValue(), "typed");
  await page.unroute(isApi);
  await dialog.getByRole("button", { name: "Create secret" }).click();
  await page.getByRole("button", { name: "Reveal" }).waitFor();
});

test("a person who was signed out meanwhile signs in, and comes back to the page", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members?role=OWNER`);
  await page.getByText(owner.email).waitFor();
  await query(`delete from sessions where user_id = '${owner.id}'`);
  await page.reload();
  await seesHeading(page, "Sign in");
  const back = new URL(page.url()).searchParams.get("return");
  assert.equal(back, `teams/${team.slug}/members?role=OWNER`);
});

test("a session that ends while a page is open leads to signing in, with the way back", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await page.getByText(owner.email).waitFor();
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Secrets" }).click();
  await seesHeading(page, "Sign in");
  assert.equal(new URL(page.url()).searchParams.get("return"), `teams/${team.slug}/secrets`);
});

test("a team is made with the keyboard alone", async (t) => {
  const page = await open(t, await createUser(), "");
  await page.getByText("You are in no team yet").waitFor();
  const focused = () => page.evaluate("document.activeElement.textContent");
  for (let count = 0; count < 30 && (await focused()) !== "Create team"; count++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const slug = uniqueName("keys");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type(slug);
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/teams/${slug}$`));
  await seesHeading(page, "Home");
  await page.getByText(`created team ${slug}`).waitFor();
});

test("the list of teams is searched, left and added to by keys alone", async (t) => {
  const { owner, team } = await createOwner();
  const { slug } = await createTeam(owner);
  for (let count = 0; count < 3; count++) await createTeam(owner);
  const page = await open(t, owner, `teams/${team.slug}/events`);
  const switcher = page.getByRole("button", { name: `Team: ${team.slug}` });
  const hasFocus = page.locator(":focus");
  await switcher.press("Enter");
  const field = page.getByRole("searchbox", { name: "Find a team" });
  await field.and(hasFocus).waitFor();
  await page.keyboard.type("no such team");
  await page.getByText("No team matches").waitFor();
  await field.fill(slug);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("link", { name: slug }).and(hasFocus).waitFor();
  await page.keyboard.press("ArrowUp");
  await field.and(hasFocus).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/teams/${slug}$`));
  const other = page.getByRole("button", { name: `Team: ${slug}` });
  await other.press("Enter");
  await field.and(hasFocus).waitFor();
  await page.keyboard.press("Escape");
  await other.and(hasFocus).waitFor();
  await other.press("Enter");
  await field.and(hasFocus).waitFor();
  for (let count = 0; count < 10; count++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create team" });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await other.and(hasFocus).waitFor();
  await other.press("Enter");
  await field.and(hasFocus).waitFor();
  await assertAccessible(page, { name: "console-teams" });
});

test("shortcuts are shown by a key and from one's own menu, on phones too", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}`);
  await seesHeading(page, "Home");
  await page.keyboard.press("Control+/");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.getByText("Search pages, things and actions").waitFor();
  await assertAccessible(page, { name: "console-shortcuts" });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 360, height: 800 });
  await press(page, "Menu");
  await page.getByRole("button", { name: /^Your account: / }).click();
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await dialog.getByText("Search pages, things and actions").waitFor();
});

test("a few letters lead to any page of any team", async (t) => {
  const { owner, team } = await createOwner();
  const other = await createTeam(owner);
  const page = await open(t, owner, `teams/${team.slug}`);
  await seesHeading(page, "Home");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search" });
  const where = palette.getByLabel(/^Search pages/);
  await where.fill(`${other.slug} se`);
  const options = palette.getByRole("region", { name: "Pages" }).getByRole("link");
  await options.first().waitFor();
  assert.equal(await options.first().textContent(), `Secrets of ${other.slug}`);
  await where.fill(`${other.slug} set`);
  await page.getByRole("link", { name: `Managed sets of ${other.slug}` }).waitFor();
  const found = [`Managed sets of ${other.slug}`, `Settings of ${other.slug}`];
  assert.deepEqual(await options.allTextContents(), found);
  await assertAccessible(page, { name: "palette" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await seesHeading(page, "Settings");
  assert.ok(page.url().endsWith(`/teams/${other.slug}/settings`));
  await page.keyboard.press("Control+k");
  await where.fill("no such page");
  await options.first().waitFor({ state: "detached" });
  await palette.getByRole("link", { name: "New secret named “no such page”" }).waitFor();
  await page.keyboard.press("Escape");
  await where.waitFor({ state: "detached" });
});

test("the button of the palette opens it, on narrow screens from the menu", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  const palette = page.getByRole("dialog", { name: "Search" });
  await press(page, "Search");
  await palette.getByLabel(/^Search pages/).fill("events");
  await page.keyboard.press("Enter");
  await seesHeading(page, "Events");
  await page.setViewportSize({ width: 360, height: 800 });
  await press(page, "Menu");
  await press(page, "Search");
  await palette.getByLabel(/^Search pages/).fill("settings");
  await page.keyboard.press("Enter");
  await seesHeading(page, "Settings");
});

test("Escape closes a dialog, and the focus is where it was", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await press(page, "Invite people");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Invite people");
});

test("below a path of a proxy everything is found", async (t) => {
  const { owner, team } = await createOwner();
  const proxy = createServer((asked, response) => {
    const path = asked.url ?? "";
    if (!path.startsWith("/reeve/")) return void response.writeHead(404).end();
    const { port, hostname } = new URL(url);
    const options = {
      host: hostname,
      port,
      method: asked.method,
      path: path.slice("/reeve".length),
      headers: asked.headers,
    };
    asked.pipe(
      forward(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  proxy.listen(0, "127.0.0.1");
  await new Promise((resolve) => proxy.once("listening", resolve));
  after(() => proxy.close());
  await ask("PATCH", `/v1/users/${owner.id}`, { body: { admin: true } });
  const below = `http://localhost:${(proxy.address() as AddressInfo).port}/reeve`;
  const page = await open(t, owner, "");
  const missed: string[] = [];
  const asked: string[] = [];
  page.on("request", (one) => asked.push(one.url()));
  page.on("response", (answer) => {
    if (answer.status() >= 400) missed.push(`${answer.status()} ${answer.url()}`);
  });
  // What the first page still asks for is not of the proxy.
  await page.waitForLoadState("networkidle");
  await page.goto("about:blank");
  asked.length = 0;
  await page.goto(`${below}/console/teams/${team.slug}/members`);
  await page.getByText(owner.email).waitFor();
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await page.getByText(`created team ${team.slug}`).waitFor();
  assert.ok(page.url().startsWith(`${below}/console/`));
  const values: Readonly<Record<string, string>> = { team: team.slug, operation: "createTeam" };
  for (const path of Object.values(ADDRESSES).filter((one) => !/:(?:name|webhook|rule|environment|key)/.test(one))) {
    await page.goto(`${below}/console${path.replace(/:(\w+)/g, (_match, name: string) => values[name] ?? "")}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
  }
  await page.goto(`${below}/docs`);
  await page.waitForURL(`${below}/docs/`);
  await seesHeading(page, "Documentation");
  await page.getByRole("link", { name: "Console", exact: true }).click();
  await page.getByRole("navigation").first().waitFor();
  assert.deepEqual(
    asked.filter((one) => !one.startsWith(`${below}/`)),
    [],
  );
  // A team without a configuration and without a project has none to show.
  assert.deepEqual(
    missed.filter((one) => !/^404 .*\/v1\/(?:environments|firewalls|security)\//.test(one)),
    [],
  );
});

test("what a page lists is asked for once, before the code of the console is there", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, "you");
  const lists = {
    "": "/v2/teams",
    "access-tokens": "/v6/user/tokens",
    [`teams/${team.slug}/secrets`]: "/v2/secrets",
    [`teams/${team.slug}/events`]: "/v3/events",
    [`teams/${team.slug}/checkpoints`]: "/v1/events/checkpoints",
    [`teams/${team.slug}/webhooks`]: "/v1/webhooks",
    [`teams/${team.slug}/members`]: `/v2/teams/${team.slug}/members`,
  };
  const asked: URL[] = [];
  page.on("request", (request) => asked.push(new URL(request.url())));
  for (const [place, list] of Object.entries(lists)) {
    const isApp = /\/console\/assets\/(?:main|parts)-/;
    await page.route(isApp, async (route) => {
      while (!asked.some(({ pathname }) => pathname === list)) await new Promise((resolve) => setTimeout(resolve, 10));
      await route.continue();
    });
    asked.length = 0;
    await page.goto(`${url}/console/${place}`);
    await page.waitForLoadState("networkidle");
    await page.unroute(isApp);
    const read = asked.filter(({ pathname }) => pathname === list).map(({ href }) => href);
    const twice = read.filter((one, at) => read.indexOf(one) !== at);
    assert.deepEqual(twice, [], place);
  }
});
