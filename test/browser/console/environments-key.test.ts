// One key across the environments of a project, and who read it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { TestTeam, TestUser } from "../../harness/test-app.ts";
import { choose, press, startConsole, view } from "./console-world.ts";

const { addMember, createOwner, open, request } = await startConsole();

const PATH = "/v1/environments/shop";
const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIBhTCCASugAwIBAgIQ\n-----END CERTIFICATE-----";

/** A team whose project has a secret in production, which demo inherits, and a plain value. */
async function seed() {
  const { owner, team } = await createOwner();
  const send = async (method: string, path: string, body?: unknown) => {
    const given = body === undefined ? {} : { body };
    const response = await request(method, `${path}?teamId=${team.id}`, { token: owner.token, ...given });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  await send("POST", PATH, { name: "demo", inheritsFrom: "production" });
  await send("PATCH", PATH, {
    environments: {
      production: {
        set: {
          TOKEN: { secretValue: "hush-hush", isSensitive: true, comment: "Rotate each quarter" },
          CERTIFICATE: { secretValue: CERTIFICATE },
        },
      },
      preview: { set: { TOKEN: { value: "open" } } },
    },
  });
  const entryOf = async (environment: string, key: string) =>
    (await send("GET", `${PATH}/${environment}`)).entries.find((one: { readonly key: string }) => one.key === key);
  const valueOf = async (environment: string, key: string) => (await send("GET", `${PATH}/${environment}/values`))[key];
  return { owner, team, send, entryOf, valueOf };
}

const address = (team: TestTeam, key: string) => `teams/${team.slug}/environments/keys/${key}?project=shop`;
const rowOf = (page: Page, environment: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: environment, exact: true }) });

test("a key shows how each environment stores it, and the value is revealed and hidden", async (t) => {
  const { owner, team } = await seed();
  const page = await open(t, owner, address(team, "TOKEN"));
  const production = rowOf(page, "production");
  await production.getByText("Rotate each quarter").waitFor();
  await production.getByText("sensitive", { exact: true }).waitFor();
  await rowOf(page, "demo").getByText("from production").waitFor();
  assert.match(await rowOf(page, "preview").innerText(), /plain value\s+open/);
  await rowOf(page, "development").getByText("not there").waitFor({ state: "attached" });
  assert.equal(await page.getByText("hush-hush").count(), 0);
  assert.equal(await page.locator(".nav [aria-current]").innerText(), "Environments");

  await rowOf(page, "demo").getByRole("button", { name: "Reveal" }).click();
  assert.equal(await page.getByLabel("Value", { exact: true }).inputValue(), "hush-hush");
  await page.getByText("read a value of the environment demo of shop").waitFor();
  await press(page, "Hide");
  await page.getByLabel("Value", { exact: true }).waitFor({ state: "detached" });

  await page.goto(page.url().replace("TOKEN", "CERTIFICATE"));
  await rowOf(page, "production").getByRole("button", { name: "Reveal" }).click();
  assert.equal(await page.locator(".value").textContent(), CERTIFICATE, "with all its lines");
  await page.getByText("read a value of the environment demo of shop").waitFor({ state: "detached" });
});

test("an entry's form opens as it is stored, and changes only what is changed in it", async (t) => {
  const { owner, team, entryOf, valueOf } = await seed();
  const page = await open(t, owner, address(team, "TOKEN"));
  const dialog = page.getByRole("dialog", { name: "Change TOKEN" });
  await choose(rowOf(page, "production"), "Change");
  await dialog.getByText("production has now:").waitFor();
  assert.equal(await dialog.getByLabel("A reference to a secret").isChecked(), true);
  assert.equal(await dialog.getByLabel("Name of the secret").inputValue(), "shop.production.TOKEN");
  assert.equal(await dialog.getByLabel("Sensitive").isChecked(), true);
  await dialog.getByLabel("Comment").fill("Rotate each month");
  await press(page, "Review changes");
  await dialog.getByText("the secret shop.production.TOKEN (sensitive), another comment").waitFor();
  await press(page, "Store");
  await rowOf(page, "production").getByText("Rotate each month").waitFor();
  assert.equal(await valueOf("production", "TOKEN"), "hush-hush");

  // Another value, in two environments; what each has of a comment stays.
  await choose(rowOf(page, "production"), "Change");
  await dialog.getByLabel("A new secret value").check();
  const look = dialog.getByRole("button", { name: "Review changes" });
  assert.equal(await look.getAttribute("aria-description"), "Write the value first");
  await dialog.getByLabel("Value", { exact: true }).fill("two\nlines");
  await dialog.getByLabel("preview").check();
  await look.click();
  await dialog.getByRole("heading", { name: "preview" }).waitFor();
  assert.equal(await dialog.getByText("two").count(), 0, "values are masked");
  await dialog.getByRole("button", { name: "Back" }).click();
  assert.equal(await dialog.getByLabel("Value", { exact: true }).inputValue(), "two\nlines");
  await look.click();
  await press(page, "Store");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await valueOf("preview", "TOKEN"), "two\nlines");
  const { comment, isSensitive } = await entryOf("production", "TOKEN");
  assert.deepEqual([comment, isSensitive], ["Rotate each month", true]);
  assert.equal((await entryOf("preview", "TOKEN")).comment, null);
});

test("an own entry is removed, so that the inherited one applies again", async (t) => {
  const { owner, team, send, entryOf } = await seed();
  await send("PATCH", PATH, { environments: { demo: { set: { TOKEN: { value: "own" } } } } });
  const page = await open(t, owner, address(team, "TOKEN"));
  await choose(rowOf(page, "demo"), "Remove");
  const dialog = page.getByRole("dialog", { name: "Remove TOKEN from demo?" });
  // Somebody changes the environment meanwhile.
  await send("PATCH", PATH, { environments: { demo: { set: { THEIRS: { value: "x" } } } } });
  const readAgain = page.waitForResponse((response) => response.url().includes(`${PATH}/demo?`));
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("Somebody changed demo while you did").waitFor();
  assert.equal((await entryOf("demo", "TOKEN")).isInherited, false);
  await readAgain;
  await dialog.getByRole("button", { name: "Remove" }).click();
  await rowOf(page, "demo").getByText("from production").waitFor();
  await page.getByRole("button", { name: "Actions for demo" }).click();
  const why = "The environment has no entry of its own";
  await page.getByRole("menuitem", { name: "Remove", description: why, disabled: true }).waitFor();
  await page.keyboard.press("Escape");
  await press(page, "Undo");
  await rowOf(page, "demo").getByText("from production").waitFor({ state: "detached" });
  const { isInherited, value } = await entryOf("demo", "TOKEN");
  assert.deepEqual([isInherited, value], [false, "own"]);
});

test("who read which names when is told, of the project, an environment and a key", async (t) => {
  const { owner, team, send } = await seed();
  const set = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`KEY_${at}`, { value: "x" }]));
  await send("PATCH", PATH, { environments: { preview: { set } } });
  const reader = await addMember(team, owner, "DEVELOPER", "reader");
  await request("GET", `${PATH}/preview/values?teamId=${team.id}`, { token: reader.token });
  await request("GET", `${PATH}/production/values?teamId=${team.id}&names=TOKEN`, { token: reader.token });
  const readsOf = (page: Page) => page.locator(".readers tbody tr");
  const page = await open(t, owner, `teams/${team.slug}/environments?project=shop`);
  await readsOf(page).nth(1).waitFor();
  assert.match(await readsOf(page).nth(0).innerText(), /reader read a value of the environment production.*TOKEN/s);
  await readsOf(page).nth(1).getByText("and 15 more").click();
  await readsOf(page).nth(1).getByText("KEY_9").waitFor();
  await page.getByRole("link", { name: "preview", exact: true }).click();
  await page.getByRole("heading", { name: "preview", level: 1 }).waitFor();
  await view(page, "Environment", "Reads");
  await readsOf(page).waitFor();
  assert.equal(await readsOf(page).count(), 1);
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Environments" }).click();
  await page.getByRole("link", { name: "KEY_3", exact: true }).click();
  await page.getByRole("heading", { name: "KEY_3", level: 1 }).waitFor();
  assert.match(await readsOf(page).innerText(), /^reader read 21 values of the environment preview/);
});

for (const role of ["VIEWER", "CONTRIBUTOR"]) {
  test(`a ${role} sees no value of a secret, and why nothing can be changed`, async (t) => {
    const { owner, team } = await seed();
    const member: TestUser = await addMember(team, owner, role);
    const page = await open(t, member, `teams/${team.slug}/environments?project=shop`);
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await page.getByRole("link", { name: "TOKEN", exact: true }).click();
    await rowOf(page, "production").waitFor();
    const buttons = await page.locator("main").getByRole("button").all();
    assert.ok(buttons.length >= 6);
    for (const button of buttons) {
      await button.click({ force: true });
      if ((await button.getAttribute("aria-haspopup")) === "menu") {
        const item = { description: "Your role may not change environments", disabled: true };
        await page.getByRole("menuitem", { name: "Change", ...item }).waitFor();
        await page.getByRole("menuitem", { name: "Remove", ...item }).waitFor();
        await page.keyboard.press("Escape");
      } else assert.equal(await button.getAttribute("aria-description"), "Your role may not reveal values");
    }
    await page.goto(page.url().replace("environments/keys/TOKEN", "environments/production"));
    await page.locator(".editor .cm-editor").waitFor();
    const readers = page.getByRole("heading", { name: "Who read values" });
    if (role === "VIEWER") {
      await view(page, "Environment", "Reads");
      await readers.waitFor();
    } else await page.waitForLoadState("networkidle");
    assert.equal(await page.getByText("hush-hush").count(), 0);
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.equal(await readers.count(), role === "VIEWER" ? 1 : 0);
    assert.deepEqual(refused, []);
  });
}
