// The page of the link in each mail of a team, in a real browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMailServer } from "../mail/mail-server.ts";
import { firstMailTo } from "../mail/mail-world.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { startWebApp } from "./browser-world.ts";

const browser = await openBrowser();
const mailServer = await startMailServer();
const { createUser, createTeam, request } = await startWebApp({ smtpUrl: mailServer.url });

test("the page that stops a team's mail is accessible in both its states, and its buttons work", async (t) => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const email = "ada@guests.example";
  await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { email } });
  const link = /^http:\S+\/mail\/stop\/\S+$/m.exec((await firstMailTo(email, mailServer)).text)?.[0];
  assert.ok(link);
  const page = await browser.openPage(t);
  await page.goto(link);
  await assertAccessible(page, { name: "mail-stop" });
  await page.getByRole("button", { name: "Stop mail" }).click();
  await page.getByRole("heading", { name: "No more mail from this team" }).waitFor();
  await assertAccessible(page, { name: "mail-stopped" });
  await page.getByRole("button", { name: "Resume mail" }).click();
  await page.getByRole("heading", { name: "Stop mail from this team?" }).waitFor();
});
