// The console's pages of decisions: how they come in, the list with its filters and a second page, and one decision by its id.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { TestTeam, TestUser } from "../../harness/test-app.ts";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { RULE, newDecision, newDecisionId } from "../../resources/decisions.ts";
import { openFirewall } from "../../resources/firewalls.ts";
import { assertAccessible } from "../accessibility.ts";
import { pick, pickTyped, press, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, open, request, url } = await startConsole();

const HOSTILE = `"><img src=x onerror="window.ran=1">`;
const OTHER = { phase: "rule", id: "rule_2", name: HOSTILE };

async function report(owner: TestUser, team: TestTeam, decisions: readonly object[], projectId = "shop") {
  await openFirewall({ request }, owner.token, projectId, team.id).set();
  const path = `/v1/gate/decisions?teamId=${team.id}&projectId=${projectId}`;
  const { status, text } = await request("POST", path, { token: owner.token, body: { decisions } });
  assert.equal(status, 200, text);
}

/** Opens a page in a browser whose clock is the server's. */
async function openAt(t: TestContext, user: TestUser, team: TestTeam, path: string) {
  const page = await open(t, user, "");
  await page.clock.setSystemTime(clock.now);
  await page.goto(`${url}/console/teams/${team.slug}/firewall/${path}`);
  return page;
}

test("without decisions the page says how they come in", async (t) => {
  const { owner, team } = await createOwner();
  const page = await openAt(t, owner, team, "decisions");
  await page.getByText("No decisions were reported").waitFor();
  await page.getByText("A gate reports a sample of what it denies every ten seconds").waitFor();
  await assertAccessible(page, { name: "console-decisions-empty" });
});

test("decisions are listed, filtered by the address, and opened: what decided, and each step", async (t) => {
  const { owner, team } = await createOwner();
  const denied = newDecision(clock.now - MINUTE_MS, { headers: [{ name: "authorization", value: "Bearer x" }] });
  const detected = newDecision(clock.now, {
    action: "allow",
    status: null,
    wouldBe: "challenge",
    reason: "detect_only",
    by: OTHER,
    host: "other.test",
    target: `/search?q=${HOSTILE}`,
    userAgent: HOSTILE,
    steps: null,
  });
  const logged = newDecision(clock.now, {
    action: "allow",
    status: null,
    by: null,
    logged: [OTHER],
    host: "logged.test",
  });
  await report(owner, team, [denied, detected, logged]);
  const page = await openAt(t, owner, team, "decisions?project=shop");
  await page.getByRole("row", { name: /logged\.test.*logged by rule/ }).waitFor();
  await page.getByRole("row", { name: /GET shop\.test\/admin\?page=2.*Denied, status 403 rule No admin/ }).waitFor();
  await page.getByRole("row", { name: /other\.test.*Allowed\s?It would have been challenged/ }).waitFor();
  await assertAccessible(page, { name: "console-decisions-rows" });
  await pick(page.getByLabel("Decision", { exact: true }), "Logged");
  await page.getByRole("row", { name: /shop\.test/ }).waitFor({ state: "detached" });
  await pickTyped(page.getByLabel("Host"), "shop.test");
  await page.getByText("No decision matches").waitFor();
  await press(page, "Clear Decision");
  await page.getByRole("link", { name: "GET shop.test/admin?page=2" }).click();
  await page.getByText("Denied, status 403", { exact: true }).waitFor();
  await page.getByText("Decided by the rule").waitFor();
  await page.getByRole("row", { name: "the path begins with /admin /admin matches" }).waitFor();
  await page.getByText("2 further steps, which decided nothing, are left out.").waitFor();
  const headers = page.locator("section").filter({ has: page.getByRole("heading", { name: "Request headers" }) });
  await headers.getByText("[redacted]").waitFor();
  const rule = page.getByRole("listitem").getByRole("link", { name: "No admin" });
  assert.match((await rule.getAttribute("href")) ?? "", /\/firewall\/rules\/rule_1\?project=shop$/);
  await assertAccessible(page, { name: "console-decision" });
  await page.getByRole("link", { name: "Test this request" }).click();
  assert.equal(await page.getByLabel("URL").inputValue(), "https://shop.test/admin?page=2");
  assert.equal(await page.evaluate("window.ran"), undefined);
});

test("what a policy decided says why, what was found, and which setting changes that", async (t) => {
  const { owner, team } = await createOwner();
  const unread = newDecision(clock.now, {
    reason: "body_undecodable",
    detail: `it is encoded as ${HOSTILE} (Content-Encoding)`,
    by: null,
    steps: null,
  });
  await report(owner, team, [unread]);
  const page = await openAt(t, owner, team, `decisions/${unread.id}`);
  await page.getByText(/^A rule reads the body, .*REEVE_GATE_ON_BODY says what happens then/).waitFor();
  await page.getByText(`What was found: it is encoded as ${HOSTILE} (Content-Encoding).`).waitFor();
  assert.equal(await page.evaluate("window.ran"), undefined);
  await assertAccessible(page, { name: "console-decision-unread" });
});

test("a decision is found by its id, also of another project, and what is not there says why", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  const detected = newDecision(clock.now, {
    action: "allow",
    status: null,
    wouldBe: "challenge",
    reason: "detect_only",
    by: { ...RULE, name: HOSTILE },
    steps: null,
  });
  await report(owner, team, [detected], "elsewhere");
  const page = await openAt(t, viewer, team, "decisions");
  await page.getByLabel("Find a decision by its ID").fill(` ${detected.id} `);
  await page.keyboard.press("Enter");
  await page.getByText("Allowed", { exact: true }).waitFor();
  await page.getByText("It would have been challenged.").waitFor();
  await page.getByText("The gate only records what it would have decided (REEVE_GATE_DETECT_ONLY).").waitFor();
  await page.getByText("The gate did not record the steps of this decision").waitFor();
  await page.getByRole("definition").filter({ hasText: "elsewhere" }).waitFor();
  await page.goBack();
  await page.getByLabel("Find a decision by its ID").fill(newDecisionId());
  await press(page, "Find");
  await page.getByText("There is no such decision").waitFor();
  assert.equal(await page.evaluate("window.ran"), undefined);
});

test("what an engine beside the gate denied names its rule, and its project is the one that is shown", async (t) => {
  const { owner, team } = await createOwner();
  const rule = { phase: "managed", id: "crs:xss:941110", name: "XSS Filter" };
  const steps = [{ ...rule, outcome: "matched", action: "deny", reason: "in ARGS:q" }];
  const denied = newDecision(clock.now, { by: rule, steps, omittedSteps: 0 });
  await report(owner, team, [denied], "elsewhere");
  const page = await openAt(t, owner, team, `decisions/${String(denied["id"])}`);
  await page.getByText("Decided by the rule XSS Filter").waitFor();
  await page.getByText("in ARGS:q").waitFor();
  await page.locator('[aria-label="Pages of the team"] [data-value="elsewhere"]').waitFor();
  await page.locator('a[aria-current="page"]', { hasText: /^Decisions$/ }).waitFor();
  // Trying it would evaluate the rules of the gate alone.
  assert.equal(await page.getByRole("link", { name: "Test this request" }).count(), 0);
  await assertAccessible(page, { name: "console-decision-engine" });
});

test("the list has a second page", async (t) => {
  const { owner, team } = await createOwner();
  await report(
    owner,
    team,
    Array.from({ length: 52 }, (_, at) => newDecision(clock.now - at, { target: `/admin/${at}` })),
  );
  const page = await openAt(t, owner, team, "decisions?project=shop");
  await press(page, "Show more");
  await page.getByRole("link", { name: "GET shop.test/admin/51" }).waitFor();
  assert.equal(await page.getByRole("row").count(), 53);
});
