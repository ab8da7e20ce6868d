// What an element says about itself: reached by the pointer, by keys and by touch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "../accessibility.ts";
import { startConsole } from "./console-world.ts";

const { createOwner, open, request } = await startConsole();
const LONG = `A${"_LONG".repeat(19)}`;

async function openSecrets(t: Parameters<typeof open>[0]) {
  const { owner, team } = await createOwner();
  const body = { name: LONG, value: "x", decryptable: true };
  const { status } = await request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
  assert.ok(status < 300);
  const page = await open(t, owner, `teams/${team.slug}/secrets`);
  await page.getByRole("link", { name: LONG }).waitFor();
  return { page, tip: page.locator(".tip") };
}

test("why a button is off is shown at the focus and at a press, until Escape", async (t) => {
  const { owner } = await createOwner();
  const page = await open(t, owner, "you/sign-in");
  const [button, tip] = [
    page.getByRole("button", { name: "Sign out the others", disabled: true }),
    page.locator(".tip"),
  ];
  await button.waitFor();
  await page.keyboard.press("Tab");
  await button.focus();
  await tip.getByText("There is no other session").waitFor();
  await assertAccessible(page, { name: "console-tip" });
  await page.keyboard.press("Escape");
  await tip.waitFor({ state: "detached" });
  await button.click({ force: true });
  await tip.getByText("There is no other session").waitFor();
});

test("a cut text and a time are shown whole at the pointer, and a time at a touch", async (t) => {
  const { page, tip } = await openSecrets(t);
  await page.getByRole("link", { name: LONG }).hover();
  await tip.getByText(LONG).waitFor();
  await page.mouse.move(0, 0);
  await tip.waitFor({ state: "detached" });
  const time = page.locator("tbody time").first();
  const exact = (await time.getAttribute("aria-description")) ?? "";
  assert.match(exact, /\d{4} at \d\d:\d\d:\d\d/);
  await time.dispatchEvent("click", { pointerType: "touch" });
  await tip.getByText(exact).waitFor();
});
