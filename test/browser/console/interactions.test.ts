// How many clicks, choices and fields stand between a signed-in home and what people come for.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { RULE, newDecision } from "../../resources/decisions.ts";
import { openFirewall } from "../../resources/firewalls.ts";
import { startConsole } from "./console-world.ts";

const { clock, createOwner, open, request, send } = await startConsole();

function countedOn(page: Page) {
  let count = 0;
  return {
    count: () => count,
    async click(target: Locator): Promise<void> {
      count++;
      await target.click();
    },
    async fill(target: Locator, text: string): Promise<void> {
      count++;
      await target.fill(text);
    },
    link: (name: string) => page.getByRole("link", { name, exact: true }),
    button: (name: string) => page.getByRole("button", { name, exact: true }),
  };
}

test("from home to a published rule that denies a path: seven interactions", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}`);
  const { click, fill, count, link, button } = countedOn(page);
  await click(link("Rules"));
  await click(link("New rule"));
  await fill(page.getByLabel("Name", { exact: true }), "No admin");
  await fill(page.getByLabel("Value of condition 1"), "/admin/");
  await click(button("Save to draft"));
  await click(link("Review and publish"));
  await click(button("Publish version 1"));
  await page.getByText("Enforced", { exact: true }).waitFor();
  const { rules } = await openFirewall({ request }, owner.token, "default", team.id).read();
  assert.deepEqual(
    rules.map(({ name }: { name: string }) => name),
    ["No admin"],
  );
  assert.equal(count(), 7);
});

test("from home to why a visitor was blocked, with the id that they were shown: three interactions", async (t) => {
  const { owner, team } = await createOwner();
  await openFirewall({ request }, owner.token, "default", team.id).set();
  const denied = newDecision(clock.now);
  const { status } = await request("POST", `/v1/gate/decisions?teamId=${team.id}&projectId=default`, {
    token: owner.token,
    body: { decisions: [denied] },
  });
  assert.equal(status, 200);
  const page = await open(t, owner, `teams/${team.slug}`);
  const { click, fill, count, link, button } = countedOn(page);
  await click(link("Decisions"));
  await fill(page.getByLabel("Find a decision by its ID"), String(denied["id"]));
  await click(button("Find"));
  await page.getByRole("heading", { name: "How it was decided" }).waitFor();
  await page.getByRole("listitem").getByRole("link", { name: RULE.name }).waitFor();
  assert.equal(count(), 3);
});

test("from home to a stored secret: five interactions", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}`);
  const { click, fill, count, link, button } = countedOn(page);
  await click(link("Secrets"));
  await click(button("New secret").first());
  await fill(page.getByLabel("Name", { exact: true }), "API_KEY");
  await fill(page.getByLabel("Value", { exact: true }), "typed");
  await click(button("Create secret"));
  await button("Reveal").waitFor();
  assert.equal(count(), 5);
});

test("from home to a secret among ten thousand, revealed: four interactions", async (t) => {
  const { owner, team } = await createOwner();
  for (let at = 0; at < 100; at++) {
    const values = Array.from({ length: 100 }, (_, one) => ({ name: `KEY_${at}_${one}`, value: `of ${at} ${one}` }));
    await send(owner, team, "PATCH", "/v1/secrets/values", { values, decryptable: true });
  }
  const page = await open(t, owner, `teams/${team.slug}`);
  const { click, fill, count, link, button } = countedOn(page);
  await click(link("Secrets"));
  await fill(page.getByLabel("Search secrets"), "key_71_23");
  await click(link("KEY_71_23"));
  await click(button("Reveal"));
  await page.getByRole("textbox", { name: "Value" }).waitFor();
  assert.equal(count(), 4);
});

test("from home to an invited member: four interactions", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}`);
  const { click, fill, count, link, button } = countedOn(page);
  await click(link("Members"));
  await click(button("Invite people"));
  await fill(page.getByLabel("E-mail addresses"), "newcomer@example.com");
  await click(button("Invite"));
  await page.getByRole("dialog").getByLabel("newcomer@example.com").first().waitFor();
  assert.equal(count(), 4);
});
