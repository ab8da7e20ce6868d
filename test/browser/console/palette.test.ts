// The palette finds what a team has, and begins what can be done with the letters that were typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible } from "../accessibility.ts";
import type { TestTeam, TestUser } from "../../harness/test-app.ts";
import { seesHeading, startConsole } from "./console-world.ts";

const { addMember, createOwner, open, send, url } = await startConsole();

async function make(owner: TestUser, team: TestTeam): Promise<void> {
  for (const name of ["PAYMENT_API_KEY", "PAYMENT_WEBHOOK_SECRET", "SESSION_KEY"]) {
    await send(owner, team, "POST", "/v2/secrets", { name, value: "a value", decryptable: true });
  }
  const rule = {
    name: "Limit payments by address",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/pay" }] }],
    action: { mitigate: { action: "deny" } },
  };
  const firewall = { firewallEnabled: true, rules: [rule] };
  await send(owner, team, "PUT", "/v1/firewalls?projectId=payments", firewall);
  await send(owner, team, "PATCH", "/v1/environments/payments", {
    environments: { production: { set: { PAYMENT_TIMEOUT_MS: { value: "100" } } } },
  });
  await send(owner, team, "POST", "/v1/webhooks", {
    url: "https://hooks.example.com/payments",
    events: ["team-delete"],
  });
  await send(owner, team, "POST", "/v1/api-keys", { name: "payments-deploy", role: "MEMBER" });
}

async function ask(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search" });
  await palette.getByLabel("Search pages, things and actions").fill(text);
  return palette;
}

test("a few letters lead to secrets, entries, rules, projects, webhooks, members and keys", async (t) => {
  const { owner, team } = await createOwner();
  await make(owner, team);
  const place = `teams/${team.slug}/environments?project=payments`;
  const page = await open(t, owner, place);
  for (const [group, name, heading] of [
    ["Secrets", "PAYMENT_API_KEY", "PAYMENT_API_KEY"],
    ["Environments", "PAYMENT_TIMEOUT_MS", "PAYMENT_TIMEOUT_MS"],
    ["Rules", "Limit payments by address", "Limit payments by address"],
    ["Projects", "payments", "payments"],
    ["Webhooks", "https://hooks.example.com/payments", null],
    ["API keys", "payments-deploy", "API keys"],
  ] as const) {
    await page.goto(`${url}/console/${place}`);
    await page.getByText("PAYMENT_TIMEOUT_MS").first().waitFor();
    const palette = await ask(page, "paym");
    const link = palette.getByRole("region", { name: group }).getByRole("link", { name }).first();
    await link.waitFor();
    if (group === "Secrets") await assertAccessible(page, { name: "what the palette finds" });
    await link.click();
    if (heading === null) await page.waitForURL(/\/webhooks\/\w+$/);
    else await seesHeading(page, heading);
  }
  const found = await ask(page, owner.email.slice(0, 8));
  await found.getByRole("region", { name: "Members" }).getByRole("link").first().click();
  await seesHeading(page, "Members");
  await page.getByRole("row").filter({ hasText: owner.email }).waitFor();
});

test("a name that no secret has begins a new one, and an address an invitation", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await page.getByText(owner.email).waitFor();
  const palette = await ask(page, ">BRAND_NEW");
  const begin = palette.getByRole("link", { name: "New secret named “BRAND_NEW”" });
  await begin.waitFor();
  assert.equal(await palette.getByRole("link").count(), 1, "nothing but actions");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New secret" });
  assert.equal(await dialog.getByLabel("Name").inputValue(), "BRAND_NEW");
  await dialog.getByLabel("Value", { exact: true }).fill("a value");
  await dialog.getByRole("button", { name: "Create secret" }).click();
  await seesHeading(page, "BRAND_NEW");
  await page.goBack();
  await seesHeading(page, "Members");
  await ask(page, "new@example.com");
  await page.getByRole("link", { name: "Invite “new@example.com”" }).click();
  const invitation = page.getByRole("dialog", { name: "Invite people" });
  assert.equal(await invitation.getByLabel("E-mail addresses").inputValue(), "new@example.com");
  await invitation.getByRole("button", { name: "Cancel" }).click();
  await invitation.waitFor({ state: "detached" });
  assert.doesNotMatch(page.url(), /invite/);
});

test("the palette asks for nothing and offers nothing that the role does not allow", async (t) => {
  const { owner, team } = await createOwner();
  await make(owner, team);
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, `teams/${team.slug}`);
  await seesHeading(page, "Home");
  const refused: string[] = [];
  page.on("response", (response) => {
    // A project without a draft has none: 404.
    if (response.status() === 403) refused.push(`${response.status()} ${response.url()}`);
  });
  const palette = await ask(page, "paym");
  await palette
    .getByRole("region", { name: "Members" })
    .or(palette.getByRole("region", { name: "Projects" }))
    .first()
    .waitFor();
  await page.waitForLoadState("networkidle");
  assert.deepEqual(refused, []);
  assert.equal(await palette.getByRole("link", { name: /^New secret named/ }).count(), 0);
});
