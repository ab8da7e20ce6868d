// The members of a team in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { uniqueName } from "../../harness/test-app.ts";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, press, seesHeading, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, createUser, open, query, request } = await startConsole();

test("an OWNER invites people, hands the links over, and withdraws an invitation", async (t) => {
  const { owner, team } = await createOwner();
  const [grace, bob] = [`${uniqueName("grace")}@example.com`, `${uniqueName("bob")}@example.com`];
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await press(page, "Invite people");
  await page.getByLabel("E-mail addresses").fill(`${grace}\nnobody`);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "expected an e-mail address" }).waitFor();
  await page.getByLabel("E-mail addresses").fill(`${grace}\n${bob}`);
  await pick(page.getByLabel("Role").last(), "Developer");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  assert.match(await page.getByRole("textbox", { name: grace }).inputValue(), /\/console\/invitation\?code=\w+$/);
  await page.getByText("As a QR code").first().click();
  await page.locator(".qr").waitFor();
  assert.equal(await page.locator(".qr title").textContent(), `QR code: ${grace}`);
  await assertAccessible(page, { name: "console-invitation-links" });
  await page.keyboard.press("Escape");
  const row = page.getByRole("table").first().getByRole("row").filter({ hasText: bob });
  await row.getByText("Developer").waitFor();
  await choose(row, "Withdraw");
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await row.waitFor({ state: "detached" });
  const { body } = await request("GET", `/v2/teams/${team.id}/members`, { token: owner.token });
  assert.deepEqual(
    body.members.map(({ email }: { email: string }) => email),
    [grace, owner.email],
  );
});

test("a link is made, renewed and revoked, and says how many have joined with it", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await page.getByText("No invitation waits for anybody.").waitFor();
  await press(page, "Create invite link");
  const dialog = page.getByRole("dialog");
  await pick(dialog.getByLabel("Role"), "Viewer");
  await dialog.getByLabel("How many may join with it").fill("3");
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  await dialog.getByRole("button", { name: "Create invite link" }).click();
  await dialog.getByText("Confirm it is you").waitFor();
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await dialog.getByRole("button", { name: "Create invite link" }).click();
  const link = dialog.getByLabel("Link of the invitation", { exact: true });
  const first = await link.inputValue();
  const join = async (url: string) => {
    const inviteCode = new URL(url).searchParams.get("code");
    const { token } = await createUser();
    return (await request("POST", "/v1/teams/join", { token, body: { inviteCode } })).status;
  };
  assert.equal(await join(first), 200);
  await page.keyboard.press("Escape");
  await page.reload();
  const made = page.getByRole("row", { name: /^Link ending in/ });
  await made.getByText("1 of 3", { exact: true }).waitFor();
  await assertAccessible(page, { name: "console-invitations" });
  await choose(made, "Renew");
  await dialog.getByRole("button", { name: "Renew" }).click();
  const second = await link.inputValue();
  assert.deepEqual([await join(first), await join(second)], [400, 200]);
  await page.keyboard.press("Escape");
  await page.reload();
  await made.getByText("2 of 3", { exact: true }).waitFor();
  await choose(made, "Revoke");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No invitation waits for anybody.").waitFor();
});

test("an account is invited by its id, and the dialog leads to the join link", async (t) => {
  const { owner, team } = await createOwner();
  const invited = await createUser();
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await press(page, "Invite people");
  await page.getByLabel("E-mail addresses").fill(invited.id);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  // Before, Escape asks whether what was typed is to be lost.
  await page.getByLabel("E-mail addresses").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByRole("row").filter({ hasText: invited.id }).waitFor();
  await press(page, "Invite people");
  await page.getByRole("link", { name: "Or share a link" }).click();
  await seesHeading(page, "Settings");
  await page.getByRole("heading", { name: "Join link" }).waitFor();
});

test("a role is changed, and the last OWNER's is not, which says why", async (t) => {
  const { owner, team } = await createOwner();
  const member = await addMember(team, owner, "MEMBER");
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await pick(page.getByLabel(`Role: ${member.username}`), "Security");
  await page.getByText(`The role of ${member.username} was changed`).waitFor();
  await pick(page.getByLabel(`Role: ${owner.username}`), "Member");
  await page.getByRole("alert").filter({ hasText: "Code last_owner, request req_" }).waitFor();
  const { body } = await request("GET", `/v1/teams/${team.id}/members/${member.id}`, { token: owner.token });
  assert.equal(body.role, "SECURITY");
});

test("somebody who asks to join is accepted", async (t) => {
  const { owner, team } = await createOwner();
  const stranger = await createUser();
  await request("POST", `/v1/teams/${team.id}/request`, { token: stranger.token });
  const page = await open(t, owner, `teams/${team.slug}/members`);
  const row = page.getByRole("row").filter({ hasText: stranger.username });
  await page.getByRole("heading", { name: "Asks to join 1" }).waitFor();
  assert.equal(await row.count(), 0);
  await press(page, "Accept as Member");
  await row.waitFor();
  await page.getByRole("heading", { name: "Asks to join" }).waitFor({ state: "detached" });
});

test("a VIEWER sees the members, and why nothing can be changed", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await open(t, viewer, `teams/${team.slug}/members`);
  const invite = page.getByRole("button", { name: "Invite people" });
  await page.getByText(owner.email).waitFor();
  assert.equal(await invite.getAttribute("aria-disabled"), "true");
  assert.equal(await invite.getAttribute("aria-description"), "Only an Owner may do this");
  await invite.click({ force: true });
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page
    .getByRole("complementary", { name: "Roles" })
    .getByRole("listitem")
    .filter({ hasText: "Viewer1" })
    .waitFor();
  await press(page, "Compare all 8 roles");
  await page.getByRole("dialog", { name: "What each role may do" }).waitFor();
  await page.getByText("Billing: see the team, see its members", { exact: true }).waitFor();
});

test("a filter is part of the address, and survives a reload", async (t) => {
  const { owner, team } = await createOwner();
  const billing = await addMember(team, owner, "BILLING");
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await pick(page.getByLabel("Role", { exact: true }), "Billing");
  await page.getByText(owner.email).waitFor({ state: "detached" });
  await page.reload();
  await page.getByText(billing.email).waitFor();
  assert.equal(await page.getByText(owner.email).count(), 0);
  assert.match(page.url(), /\?role=BILLING$/);
});

test("the heads of the table sort the members by the server, under an address that can be handed on", async (t) => {
  const { owner, team } = await createOwner();
  const billing = await addMember(team, owner, "BILLING");
  for (const [user, name] of [
    [owner, "Zoe"],
    [billing, "Ada"],
  ] as const) {
    await request("PATCH", "/v2/user", { token: user.token, body: { name } });
  }
  const page = await open(t, owner, `teams/${team.slug}/members`);
  const table = page.getByRole("table", { name: "Members" });
  const first = (name: string) => table.locator("tbody tr").first().getByText(name, { exact: true }).waitFor();
  const sorted = (head: string, order: string) =>
    table.locator(`th[aria-sort=${order}]`).getByRole("button", { name: head }).waitFor();
  await first("Ada");
  await table.getByRole("button", { name: "Person" }).focus();
  await page.keyboard.press("Enter");
  await sorted("Person", "ascending");
  await first("Ada");
  await page.keyboard.press("Enter");
  await sorted("Person", "descending");
  await first("Zoe");
  await assertAccessible(page, { name: "console-members-sorted" });
  await page.getByRole("button", { name: "Joined" }).click();
  await first("Zoe");
  await page.getByRole("columnheader", { name: "Role" }).getByRole("button").click();
  await sorted("Role", "ascending");
  assert.match(page.url(), /\?sort=role$/);
  await page.reload();
  await sorted("Role", "ascending");
  await first("Zoe");
});

test("who leaves the team comes to the list of teams", async (t) => {
  const { owner, team } = await createOwner();
  const member = await addMember(team, owner, "MEMBER");
  const page = await open(t, member, `teams/${team.slug}/members`);
  await choose(page.getByRole("row").filter({ hasText: member.email }), "Leave");
  await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
  await seesHeading(page, "Teams");
  await page.getByText("You are in no team yet").waitFor();
});

test("a session that was ended leads to signing in, and back", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/members?role=OWNER`);
  await page.getByText(owner.email).waitFor();
  await request("DELETE", "/v1/sessions", { token: owner.token });
  // A request of the first page that comes late learns of the end too: then nothing is left to select from.
  const selected = press(page, "Clear Role").catch(() => undefined);
  await seesHeading(page, "Sign in");
  const back = new URL(page.url()).searchParams.get("return") ?? "";
  assert.match(back, new RegExp(`^teams/${team.slug}/members(\\?role=OWNER)?$`));
  await page.close();
  await selected;
});

test("a role that wants a fresh proof first is given as soon as there is one", async (t) => {
  const { owner, team } = await createOwner();
  const member = await addMember(team, owner, "VIEWER");
  const page = await open(t, owner, `teams/${team.slug}/members`);
  await page.getByText(member.email).waitFor();
  await query(`update sessions set proved_at = ${clock.now - 11 * MINUTE_MS} where user_id = '${owner.id}'`);
  const role = page.getByLabel(`Role: ${member.username}`);
  await pick(role, "Developer");
  await page.getByText("Confirm it is you").waitFor();
  assert.equal(await role.getAttribute("data-value"), "VIEWER");
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${owner.id}'`);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await role.and(page.locator("[data-value=DEVELOPER]")).waitFor();
});
