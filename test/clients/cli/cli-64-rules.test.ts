// The unmodified `vercel` 64 command line client against a started Reeve: the rules of a team's project, and the switches of
// what protects it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Body } from "../../harness/test-app.ts";
import { startListeningApp } from "../started-app.ts";
import { assertPrinted, firewallCli, linesOf, PROJECT } from "./firewall-cli.ts";
import type { Owner } from "./firewall-cli.ts";

const reeve = await startListeningApp();
// The client reckons the end of attack challenge mode by the clock on the wall.
reeve.clock.now = Date.now();
const { createUser, createTeam } = reeve;
const { run, call, firewall, firewallAtTerminal, active } = firewallCli(reeve);

const HOUR_MS = 3_600_000;
const OR = ["--or"];
const condition = (value: object) => ["--condition", JSON.stringify(value)];

const CRAWLER = { type: "user_agent", op: "sub", value: "crawler" };
const PROBE = { type: "header", op: "ex", key: "x-probe" };
const API = { type: "path", op: "pre", value: "/api" };
const OLD = { type: "path", op: "eq", neg: true, value: "/old" };

const groups = (...conditions: object[]) => conditions.map((one) => ({ conditions: [one] }));
const mitigate = (part: object) => ({
  mitigate: { rateLimit: null, redirect: null, actionDuration: null, ...part },
});

/** The rules of a configuration as their owner made them. */
function rulesOf({ rules }: Body): Body[] {
  return rules.map(({ id: _id, valid: _valid, validationErrors: _errors, ...rule }: Body) => rule);
}

async function newOwner(): Promise<Owner> {
  const user = await createUser();
  return { user, team: await createTeam(user) };
}

test("rules: added, listed, published, edited, switched, moved and removed", async () => {
  const owner = await newOwner();
  assertPrinted(await firewall(owner, "diff"), ["> No pending changes."]);
  const bots = [...condition(CRAWLER), ...OR, ...condition(PROBE), "--action", "deny", "--duration", "1h"];
  await firewall(owner, "rules", "add", "Block bots", ...bots, "--description", "No crawlers", "--yes");
  const limit = ["--action", "rate_limit", "--rate-limit-requests", "100", "--rate-limit-window", "60"];
  await firewall(owner, "rules", "add", "Limit", ...condition(API), ...limit, "--yes");
  const away = ["--action", "redirect", "--redirect-url", "/new", "--redirect-permanent", "--disabled"];
  await firewall(owner, "rules", "add", "Away", ...condition(OLD), ...away, "--yes");
  assert.equal(await active(owner), null);

  assertPrinted(await firewall(owner, "diff"), [
    "Pending changes (3):",
    '+ Added rule "Block bots"',
    '+ Added rule "Limit"',
    '+ Added rule "Away"',
  ]);
  const listed = linesOf(await firewall(owner, "rules", "list"));
  assert.deepEqual(
    listed.filter((line) => line.startsWith("+")),
    [
      "+ 1   Block bots   Deny (1h)              Enabled",
      "+ 2   Limit        Rate Limit (100/60s)   Enabled",
      "+ 3   Away         Redirect (301)         Disabled",
    ],
  );
  assertPrinted(await firewall(owner, "publish", "--yes"), [
    "Changes to be published (3):",
    '+ Added rule "Block bots"',
    '+ Added rule "Limit"',
    '+ Added rule "Away"',
    "Publishing to production",
  ]);
  const first = await active(owner);
  const rules = [
    {
      name: "Block bots",
      description: "No crawlers",
      active: true,
      conditionGroup: groups(CRAWLER, PROBE),
      action: mitigate({ action: "deny", actionDuration: "1h" }),
    },
    {
      name: "Limit",
      active: true,
      conditionGroup: groups(API),
      action: mitigate({
        action: "rate_limit",
        rateLimit: { algo: "fixed_window", window: 60, limit: 100, keys: ["ip"], action: "rate_limit" },
      }),
    },
    {
      name: "Away",
      active: false,
      conditionGroup: groups(OLD),
      action: mitigate({ action: "redirect", redirect: { location: "/new", permanent: true } }),
    },
  ];
  assert.deepEqual([first.version, first.projectKey, rulesOf(first)], [1, PROJECT, rules]);
  assert.equal(first.ownerId, owner.team?.id ?? owner.user.id);

  const [botsId, limitId, awayId] = first.rules.map(({ id }: Body) => id);
  assertPrinted(await firewall(owner, "rules", "inspect", "Limit"), ["Rule:        Limit", `ID:          ${limitId}`]);
  await firewall(owner, "rules", "edit", "Limit", "--action", "challenge", "--name", "Slow", "--yes");
  await firewall(owner, "rules", "enable", "Away");
  await firewall(owner, "rules", "disable", "Slow");
  await firewall(owner, "rules", "reorder", "Away", "--first", "--yes");
  await firewall(owner, "rules", "remove", "Block bots", "--yes");
  assertPrinted(await firewall(owner, "diff"), [
    "Pending changes (5):",
    '~ Modified rule "Slow"',
    '~ Name: "Limit" → "Slow"',
    "~ Action: Rate Limit (100/60s) → Challenge",
    '~ Enabled rule "Away"',
    '~ Modified rule "Slow"',
    '~ Name: "Limit" → "Slow"',
    "~ Action: Rate Limit (100/60s) → Challenge",
    `- Removed rule "${botsId}"`,
    `~ Reordered rule "${awayId}"`,
  ]);
  await firewall(owner, "publish", "--yes");
  const second = await active(owner);
  assert.deepEqual(
    second.rules.map(({ id, name, active: isActive }: Body) => [id, name, isActive]),
    [
      [awayId, "Away", true],
      [limitId, "Slow", false],
    ],
  );
  assert.deepEqual(second.rules[1].action, mitigate({ action: "challenge" }));
  assertPrinted(await firewall(owner, "publish", "--yes"), ["WARNING! No draft changes to publish."]);
});

test("managed sets and the project's state, as `status` shows them", async () => {
  const owner = await newOwner();
  for (const [name, action] of [
    ["bot-protection", "challenge"],
    ["ai-bots", "deny"],
    ["bot-id", "deep-analysis"],
  ] as const) {
    await firewall(owner, "rules", "edit", name, "--action", action, "--yes");
  }
  assertPrinted(await firewall(owner, "publish", "--yes"), [
    "Changes to be published (3):",
    "~ Updated managed ruleset configuration",
    "~ Updated managed ruleset configuration",
    "~ Enabled Bot ID detection",
  ]);
  const { managedRules, botIdEnabled } = await active(owner);
  assert.deepEqual(
    [botIdEnabled, managedRules.bot_protection.action, managedRules.ai_bots.action],
    [true, "challenge", "deny"],
  );
  await firewallAtTerminal(owner, "attack-mode", "enable", "--duration", "6h", "--yes");
  const { body: mode } = await call(owner, "GET", "/v1/attack-challenge-mode");
  assert.equal(mode.attackModeEnabled, true);
  assert.ok(Math.abs(mode.attackModeActiveUntil - Date.now() - 6 * HOUR_MS) < HOUR_MS / 2);
  await firewallAtTerminal(owner, "system-mitigations", "pause", "--yes");
  const paused = await firewall(owner, "status");
  assert.match(
    paused.stderr,
    /Mitigations +Paused \(auto-resumes in 23h \d+m\)\n +Attack Mode +On \(expires in 5h \d+m\)/,
  );
  assert.match(paused.stderr, /Bot Protection +Challenge\n +AI Bots +Deny\n/);
  await firewallAtTerminal(owner, "attack-mode", "disable", "--yes");
  await firewallAtTerminal(owner, "system-mitigations", "resume", "--yes");
  const resumed = await firewall(owner, "status");
  assert.match(resumed.stderr, /Mitigations +Active\n +Attack Mode +Off\n/);
});

test("`rules add --ai` shows that this server writes no rules from words", async () => {
  const owner = await newOwner();
  const args = ["firewall", "rules", "add", "--ai", "deny requests to /admin", "--yes", "--project", PROJECT];
  const { exitCode, stderr } = await run(owner, args, { isTerminal: true });
  assert.equal(exitCode, 1);
  assert.match(stderr, /This server writes no rules from words\..*\/docs\/firewall\b/s);
});

test("what Reeve refuses is told in its words, and changes nothing", async () => {
  const owner = await newOwner();
  const rule = (...parts: readonly string[]) => ["firewall", "rules", "add", "Bad", ...parts, "--project", PROJECT];
  const lookahead = condition({ type: "path", op: "re", value: "(?=x)" });
  const address = condition({ type: "ip_address", op: "eq", value: "nowhere" });
  const [people, agents] = await Promise.all([
    run(owner, rule(...lookahead, "--action", "deny", "--yes")),
    run(owner, rule(...address, "--action", "deny", "--yes", "--non-interactive")),
  ]);
  assert.equal(people.exitCode, 1);
  assert.match(people.stderr, /Error: value\.conditionGroup\[0\]\.conditions\[0\]\.value: expected an RE2 expression/);
  assert.equal(agents.exitCode, 1);
  const told = JSON.parse(agents.stdout);
  assert.deepEqual([told.status, told.reason], ["error", "api_error"]);
  assert.match(told.message, /^value\.conditionGroup\[0\]\.conditions\[0\]\.value: expected an IPv4 or IPv6 address/);
  assert.equal((await call(owner, "GET", "/v1/firewalls/draft")).status, 404);
});
