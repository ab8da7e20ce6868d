// The console's pages around the firewall: requests that are tried, traffic and attack mode.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { TestTeam, TestUser } from "../../harness/test-app.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { assertAccessible } from "../accessibility.ts";
import { pick, press, seesHeading, seesPage, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, open, send, url } = await startConsole();

const HOSTILE = `"><img src=x onerror="window.ran=1">`;
const conditions = (type: string, op: string, value: string) => [{ conditions: [{ type, op, value }] }];
const RULES = [
  {
    name: HOSTILE,
    active: true,
    conditionGroup: conditions("path", "pre", "/admin"),
    action: { mitigate: { action: "deny" } },
  },
  {
    name: "Logins",
    active: true,
    conditionGroup: conditions("path", "eq", "/login"),
    action: {
      mitigate: {
        action: "rate_limit",
        rateLimit: { algo: "fixed_window", window: 60, limit: 2, keys: ["ip"] },
      },
    },
  },
];

async function openFirewall() {
  const { owner, team } = await createOwner();
  const { active } = await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: RULES });
  return { owner, team, rules: active.rules as { id: string }[] };
}

/** Opens a page in a browser whose clock is the server's. */
async function openAt(t: TestContext, user: TestUser, team: TestTeam, path: string) {
  const page = await open(t, user, "");
  await page.clock.setSystemTime(clock.now);
  await page.goto(`${url}/console/teams/${team.slug}/firewall/${path}`);
  return page;
}

test("a request is tried: the rule that denies it is named, with what its condition read", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await openAt(t, owner, team, "try");
  await page.getByLabel("URL").fill("https://example.com/admin/users");
  await page.getByLabel("Headers", { exact: true }).fill("no header");
  await press(page, "Run");
  await page.getByText("Line 1 has no name and colon").waitFor();
  await page.getByLabel("Headers", { exact: true }).fill("X-Team: a\nX-Team: b");
  await page.keyboard.press("Tab");
  await press(page, "Run");
  const decision = page.getByRole("heading", { name: "Decision denied, status 403" });
  await decision.waitFor();
  await page.getByText("Decided by the rule").waitFor();
  const steps = page.getByRole("listitem").filter({ hasText: HOSTILE });
  await steps.getByText("Denied", { exact: true }).waitFor();
  await page.getByRole("row", { name: "the path begins with /admin /admin/users matches" }).waitFor();
  await page.getByRole("heading", { name: "What would have followed" }).waitFor();
  assert.match(page.url(), /\?method=GET&url=https%3A%2F%2Fexample.com%2Fadmin%2Fusers&ip=&country=$/);
  await assertAccessible(page, { name: "console-try-decided" });
  assert.equal(await page.evaluate("window.ran"), undefined);
});

test("many requests show what a rate limit does, and versions are compared", async (t) => {
  const { owner, team } = await openFirewall();
  await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: RULES.slice(0, 1) });
  const page = await openAt(t, owner, team, "try?url=/login&ip=192.0.2.1&config=1&compare=active");
  await page.getByLabel("How many times").fill("5");
  await press(page, "Run");
  await page.getByRole("row", { name: /^1 to 2 Allowed/ }).waitFor();
  await page.getByRole("row", { name: /^3 to 5 Limited, status 429 rule Logins/ }).waitFor();
  await page.getByText("Version 2 decides otherwise: allowed.").waitFor();
});

test("a wrong country is refused beside its field, and a missing draft says what to do", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await openAt(t, owner, team, "try?url=/");
  await page.getByLabel("Country", { exact: true }).fill("x".repeat(2_049));
  await press(page, "Run");
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Country", { exact: true }).getAttribute("aria-invalid"), "true");
  assert.equal(await page.getByRole("alert").count(), 1);
  await page.getByLabel("Country", { exact: true }).fill("DE");
  await pick(page.getByLabel("Configuration"), "the draft");
  await press(page, "Run");
  await page.getByText("There is no such configuration").waitFor();
});

test("managed sets and categories of attacks have the requests that they decided in the last day", async (t) => {
  const { owner, team } = await createOwner();
  await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: [] });
  const denied = { host: "a.example.com", action: "deny", at: clock.now };
  const counts = [
    { ...denied, ruleId: "ai_bots", count: 1_030 },
    { ...denied, ruleId: "crs:sqli:942100", count: 4 },
    { ...denied, ruleId: "crs:sqli:942360", count: 3 },
  ];
  await send(owner, team, "POST", "/v1/firewalls/traffic", { counts });
  const page = await openAt(t, owner, team, "managed");
  await page.getByRole("link", { name: "7 requests in 24 hours: decisions by SQL injection" }).waitFor();
  await assertAccessible(page, { name: "console-managed-hits" });
  await page.getByRole("link", { name: "1,030 requests in 24 hours: decisions by Crawlers for AI" }).click();
  await seesHeading(page, "Decisions");
  assert.equal(new URL(page.url()).searchParams.get("rule"), "ai_bots");
});

test("an address has the requests that it decided in the last day, which lead to their decisions", async (t) => {
  const { owner, team } = await createOwner();
  const ips = [
    { ip: "192.0.2.1", hostname: "*", action: "deny" },
    { ip: "192.0.2.2", hostname: "*", action: "bypass" },
  ];
  const { active } = await send(owner, team, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: [], ips });
  const [ruleId] = active.ips.map(({ id }: { id: string }) => id);
  const counts = [{ host: "a.example.com", action: "deny", ruleId, count: 1_030, at: clock.now, ip: "192.0.2.1" }];
  await send(owner, team, "POST", "/v1/firewalls/traffic", { counts });
  const page = await openAt(t, owner, team, "addresses");
  const link = page.getByRole("link", { name: "1,030 requests in 24 hours: decisions by 192.0.2.1" });
  await link.waitFor();
  await assertAccessible(page, { name: "console-address-hits" });
  assert.equal(await page.getByRole("link", { name: /decisions by 192.0.2.2/ }).count(), 0);
  await link.click();
  await seesHeading(page, "Decisions");
  assert.equal(new URL(page.url()).searchParams.get("rule"), ruleId);
});

test("traffic is shown by action and by rule, filtered by the address, with tables behind the plot", async (t) => {
  const { owner, team, rules } = await openFirewall();
  clock.now += HOUR_MS;
  const ruleId = rules[0]?.id;
  const counts = [
    { host: "a.example.com", action: "deny", ruleId, count: 30, at: clock.now, ip: "192.0.2.1" },
    { host: "a.example.com", action: "allow", count: 1_200, at: clock.now - MINUTE_MS },
    { host: "b.example.com", action: "challenge", count: 5, at: clock.now - MINUTE_MS },
    { host: "b.example.com", action: "log", ruleId: "crs:sqli:942100", count: 7, at: clock.now - MINUTE_MS },
  ];
  await send(owner, team, "POST", "/v1/firewalls/traffic", { counts });
  const page = await openAt(t, owner, team, "traffic");
  await page.getByRole("heading", { name: "1,242 requests" }).waitFor();
  await page.locator(".figures > div").filter({ hasText: "Denied30" }).getByText("2.4%").waitFor();
  await page.locator(".plot .hit").first().waitFor();
  await press(page, "Show as table");
  await page.getByRole("row", { name: / Allowed 1,200$/ }).waitFor();
  await assertAccessible(page, { name: "console-traffic-rows" });
  // A number of the table, and a bar, lead to the decisions of their time.
  const counted = await page
    .getByRole("row", { name: / Denied 30$/ })
    .getByRole("link")
    .getAttribute("href");
  const { pathname, searchParams } = new URL(counted ?? "", page.url());
  assert.match(pathname, /\/firewall\/decisions$/);
  const [since, until] = ["since", "until"].map((name) => Date.parse(searchParams.get(name) ?? "")) as [number, number];
  assert.ok(since < clock.now && clock.now < until && until - since <= HOUR_MS + 1, `${since} ${until}`);
  await page.locator(".plot .hit").last().hover();
  await page.locator(".plot-tip").getByText("Denied30").waitFor();
  await page.locator(".plot .hit").last().click();
  await seesPage(page, "Decisions");
  const pressed = new URL(page.url()).searchParams;
  assert.deepEqual(
    [pressed.get("since"), pressed.get("until")],
    [since, until].map((at) => new Date(at).toISOString()),
  );
  await page.getByText("No decision matches").waitFor();
  await page.goBack();
  await page
    .locator(".panel")
    .filter({ has: page.getByRole("heading", { name: "Hosts" }) })
    .getByRole("button", { name: "b.example.com" })
    .waitFor();
  await pick(page.getByLabel("By", { exact: true }), "Rule");
  await page.getByRole("button", { name: "SQL injection, rule 942100" }).waitFor();
  await page.getByRole("button", { name: HOSTILE }).click();
  await page.getByRole("heading", { name: "30 requests" }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("rule"), ruleId);
  await page.reload();
  await page.getByRole("heading", { name: "30 requests" }).waitFor();
  await pick(page.getByLabel("Decision"), "Challenged");
  await page.getByText("No requests were reported for this").waitFor();
  await press(page, "Clear Rule");
  await page.getByRole("heading", { name: "5 requests" }).waitFor();
  assert.equal(await page.evaluate("window.ran"), undefined);
});

test("attack mode is switched on with an end, by keyboard alone, counts down, and is switched off", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await openAt(t, owner, team, "attack-mode?project=shop");
  await page.getByRole("button", { name: /^On until/ }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Switch attack mode of shop on?" });
  await dialog.getByText("challenge every request").waitFor();
  await dialog.getByLabel("For how long").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("listbox").waitFor();
  await page.keyboard.type("15");
  await page.locator("[role=option]:focus", { hasText: "15 minutes" }).waitFor();
  await page.keyboard.press("Enter");
  // Past Cancel.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Every request is challenged" }).waitFor();
  assert.match((await page.getByRole("timer").textContent()) ?? "", /^1[45] min \d+ s$/);
  await page.getByRole("row", { name: /^shop On Ends in 15 minutes/ }).waitFor();
  await assertAccessible(page, { name: "console-attack-mode-on" });
  await press(page, "Switch off");
  await page.getByRole("heading", { name: "Requests are decided by the rules alone" }).waitFor();
});

test("attack mode that would have switched itself on is proposed to, and shows by which figures it does", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await openAt(t, owner, team, "attack-mode");
  await page.getByText("Nothing was reported so far").waitFor();
  clock.now += HOUR_MS;
  const counts = [
    { at: clock.now - 2 * DAY_MS, count: 40 },
    { at: clock.now - 3 * HOUR_MS, count: 12_000 },
    { at: clock.now, count: 350 },
  ].map((count) => ({ host: "a.example.com", action: "allow", ...count }));
  const responses = [{ at: clock.now, count: 300, errors: 2 }];
  await send(owner, team, "POST", "/v1/firewalls/traffic", { counts, responses });
  await page.reload();
  await page.getByText("12,000 requests came in a minute, and 0 are usual at most").waitFor();
  await page.getByRole("row", { name: "Requests 350 0 1,000" }).waitFor();
  await page
    .getByRole("row", { name: /^Errors Responses of the application with 500 or more 2 Not known Not known$/ })
    .waitFor();
  await page.getByRole("row", { name: /^Slow responses .* ms Not known Not known Not known$/ }).waitFor();
  await assertAccessible(page, { name: "console-attack-mode-proposed" });
  const automatic = (isPressed: boolean) => page.getByRole("button", { name: /^Automatic/, pressed: isPressed });
  await automatic(false).click();
  await automatic(true).waitFor();
  assert.equal(await page.getByText("12,000 requests").count(), 0);
  const { enabled } = await send(owner, team, "GET", "/v1/attack-challenge-mode/automatic");
  assert.equal(enabled, true);
  const attack = { at: clock.now, host: "a.example.com", action: "allow", count: 5_000 };
  await send(owner, team, "POST", "/v1/firewalls/traffic", { counts: [attack] });
  await page.reload();
  await page.getByText("It has switched attack mode on").waitFor();
  await page.getByRole("heading", { name: "Every request is challenged" }).waitFor();
  await press(page, "Switch off");
  await page.getByText("It may be switched on again in").waitFor();
  await assertAccessible(page, { name: "console-attack-mode-paused" });
  await page.getByRole("button", { name: /^Off/ }).click();
  await automatic(false).waitFor();
  await page.getByRole("button", { name: /^Off/, pressed: true }).waitFor();
});

test("attack mode is switched on although what it follows by itself cannot be read", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await openAt(t, owner, team, "bypasses");
  await page.route("**/attack-challenge-mode/automatic?**", (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "Mode", exact: true }).click();
  await page.getByRole("button", { name: /^On until/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Switch on" }).click();
  await page.getByRole("heading", { name: "Every request is challenged" }).waitFor();
  const { attackModeEnabled } = await send(owner, team, "GET", "/v1/attack-challenge-mode");
  assert.equal(attackModeEnabled, true);
});

test("attack mode that somebody else has changed meanwhile is not overwritten", async (t) => {
  const { owner, team } = await openFirewall();
  const page = await openAt(t, owner, team, "attack-mode");
  await page.getByRole("button", { name: /^On until/ }).click();
  const path = "/v1/attack-challenge-mode";
  await send(owner, team, "POST", path, { attackModeEnabled: true, attackModeActiveUntil: clock.now + HOUR_MS });
  await page.getByRole("dialog").getByRole("button", { name: "Switch on" }).click();
  await page.getByText("Somebody else changed it meanwhile").waitFor();
  const mode = await send(owner, team, "GET", path);
  assert.equal(mode.attackModeActiveUntil, clock.now + HOUR_MS);
});

test("a VIEWER sees everything and tries requests, and reads why nothing can be changed", async (t) => {
  const { owner, team } = await openFirewall();
  await send(owner, team, "POST", "/v1/security/firewall/bypass", { projectScope: true, sourceIp: "192.0.2.1" });
  const viewer = await addMember(team, owner, "VIEWER");
  const page = await openAt(t, viewer, team, "attack-mode");
  const why = async (name: string) => await page.getByRole("button", { name }).getAttribute("aria-description");
  await page.getByRole("button", { name: "On until", disabled: true }).waitFor();
  assert.equal(await why("On until"), "Your role may not change the firewall");
  await page.getByRole("navigation").getByRole("link", { name: "Bypasses" }).click();
  await page.getByText("192.0.2.1").waitFor();
  assert.equal(await why("New bypass"), "Your role may not change the firewall");
  await page.getByRole("button", { name: "Actions for 192.0.2.1" }).click();
  await page.getByRole("menuitem", { name: "Remove…", disabled: true }).getByText("Your role may not").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Testing" }).click();
  await page.getByLabel("URL").fill("/admin");
  await press(page, "Run");
  await page.getByRole("heading", { name: "Decision denied, status 403" }).waitFor();
});
