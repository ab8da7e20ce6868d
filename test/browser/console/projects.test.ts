// The projects of a team in the console: created by name, looked at, and protected by a gate that its page connects.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RULE, newDecision } from "../../resources/decisions.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, press, seesHeading, startConsole } from "./console-world.ts";

const { clock, createOwner, open, openBlank, request, send, url } = await startConsole();

test("a project is created, and its gate gets a key that connects to this project alone", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/projects`);
  await page.getByText("The team has no projects yet").waitFor();
  await press(page, "New project");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("my shop");
  await dialog.getByRole("button", { name: "Create project" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Name").fill("shop");
  await dialog.getByRole("button", { name: "Create project" }).click();
  await seesHeading(page, "shop");
  const traffic = page.getByRole("navigation", { name: "Pages of the team" }).getByRole("link", { name: "Traffic" });
  assert.match(String(await traffic.getAttribute("href")), /project=shop$/);
  await page.getByText("No firewall").waitFor();

  await press(page, "Connect gate");
  await dialog.getByLabel("Host").fill("shop.example.com");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = await dialog.getByLabel("Key", { exact: true }).inputValue();
  const command = await dialog.getByLabel("Command").inputValue();
  assert.ok(command.includes(`--hosts 'shop.example.com=${team.slug}/shop'`), command);
  await assertAccessible(page, { name: "console-gate-key" });
  await page.keyboard.press("Escape");
  const bundle = (project: string) =>
    request("GET", `/v1/gate/bundle?teamId=${team.id}&projectId=${project}`, { token: key });
  assert.equal((await bundle("shop")).status, 200);
  assert.equal((await bundle("site")).status, 404);
  assert.equal((await request("GET", `/v2/secrets?teamId=${team.id}`, { token: key })).status, 403);
});

test("the menu of a project leads to its parts, and connects a gate", async (t) => {
  const { owner, team } = await createOwner();
  await send(owner, team, "POST", "/v11/projects", { name: "shop" });
  const page = await open(t, owner, `teams/${team.slug}/projects`);
  const row = page.getByRole("row").filter({ hasText: "shop" });
  await choose(row, "Connect gate");
  await page.getByRole("dialog").getByLabel("Host").waitFor();
  await page.keyboard.press("Escape");
  await choose(row, "Rules");
  await page.waitForURL(/\/firewall\?project=shop$/);
  await seesHeading(page, "Rules");
});

test("a project's page shows its environments, its firewall, and what its gates decided", async (t) => {
  const { owner, team } = await createOwner();
  const of = "?projectId=shop";
  await send(owner, team, "PUT", `/v1/firewalls${of}`, {
    firewallEnabled: true,
    rules: [
      {
        name: "Panel",
        active: true,
        conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
        action: { mitigate: { action: "deny" } },
      },
    ],
  });
  await send(owner, team, "PATCH", "/v1/environments/shop", {
    environments: { production: { set: { LOG_LEVEL: { value: "info" } } } },
  });
  const decision = newDecision(clock.now, { by: { ...RULE, name: "Panel" }, target: "/admin/users" });
  await send(owner, team, "POST", `/v1/gate/decisions${of}`, { decisions: [decision] });

  const page = await open(t, owner, `teams/${team.slug}/projects`);
  await page.getByRole("row", { name: /^shop/ }).getByText("Version 1").waitFor();
  await assertAccessible(page, { name: "console-projects" });
  await page.getByRole("link", { name: "shop", exact: true }).click();
  await page.getByText("1 entry, version 1").waitFor();
  await assertAccessible(page, { name: "console-project" });
  await page.getByRole("link", { name: /\/admin\/users/ }).click();
  await page.getByText("Panel").first().waitFor();
  assert.match(page.url(), /project=shop/);
});

test("the pages of a team without a default project begin with its newest one, and keep the one that was shown last", async (t) => {
  const { owner, team } = await createOwner();
  for (const name of ["older", "newer"]) {
    const { status, text } = await request("POST", `/v11/projects?teamId=${team.id}`, {
      token: owner.token,
      body: { name },
    });
    assert.equal(status, 200, text);
  }
  const page = await open(t, owner, `teams/${team.slug}`);
  const pages = page.getByRole("navigation", { name: "Pages of the team" });
  const picker = pages.getByRole("combobox", { name: "Project" });
  await pages.getByText("newer", { exact: true }).waitFor();
  await pick(picker, "older");
  await pages.getByRole("link", { name: "Secrets" }).click();
  await seesHeading(page, "Secrets");
  assert.equal(await picker.getAttribute("data-value"), "older");
  await pages.getByRole("link", { name: "Rules", exact: true }).click();
  await page.waitForURL(/firewall\?project=older$/);
});

test("a page about a project whose address names none reads what the right one has, and nothing of another", async (t) => {
  const { owner, team } = await createOwner();
  await send(owner, team, "PUT", "/v1/firewalls?projectId=shop", { firewallEnabled: true, rules: [] });
  const page = await openBlank(t, owner);
  const asked = new Set<string>();
  page.on("request", (one) => {
    const { pathname, searchParams } = new URL(one.url());
    const project = searchParams.get("projectId") ?? /^\/v1\/environments\/(\w+)/.exec(pathname)?.[1];
    if (project !== undefined) asked.add(project);
  });
  for (const path of ["firewall", "firewall/traffic", "firewall/attack-mode", "environments"]) {
    asked.clear();
    await page.goto(`${url}/console/teams/${team.slug}/${path}`);
    await waitFor(`${path} to ask about a project`, () => asked.size > 0 || undefined);
    await page.waitForLoadState("networkidle");
    assert.deepEqual([...asked], ["shop"], path);
  }
});
