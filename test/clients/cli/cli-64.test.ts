// The unmodified `vercel` 64 command line client against a started Reeve: addresses, bypasses and what happened,
// on a team's project and on one of the caller's own account.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Body } from "../../harness/test-app.ts";
import { openTeam } from "../../resources/teams.ts";
import { startListeningApp } from "../started-app.ts";
import { assertPrinted, firewallCli, linesOf, PROJECT } from "./firewall-cli.ts";
import type { Owner } from "./firewall-cli.ts";
import { LEFT_LOOPBACK_EXIT_CODE } from "./loopback-only.ts";
import { Cli } from "./vercel.ts";

const reeve = await startListeningApp();
// The client asks for figures by the clock on the wall.
reeve.clock.now = Date.now();
const { createUser, createTeam } = reeve;
const { run, call, firewall, active } = firewallCli(reeve);

test("a client that would leave this machine is stopped, so every other test shows that it does not", async () => {
  using cli = new Cli("http://api.example.com", "vercel-64");
  const { exitCode, stderr } = await cli.run(["--token", "token", "whoami"]);
  assert.equal(exitCode, LEFT_LOOPBACK_EXIT_CODE, stderr);
  assert.match(stderr, /refused api\.example\.com/);
});

for (const kind of ["the user's own account", "a team"] as const) {
  describe(`in ${kind}`, { concurrency: 2 }, () => {
    async function newOwner(): Promise<Owner> {
      const user = await createUser();
      return kind === "a team" ? { user, team: await createTeam(user) } : { user };
    }

    test("ip-blocks: blocked, listed, published, unblocked and discarded", async () => {
      const owner = await newOwner();
      await firewall(owner, "ip-blocks", "block", "192.0.2.0/24", "--notes", "A net", "--yes");
      await firewall(owner, "ip-blocks", "block", "2001:db8::1", "--hostname", "example.com", "--yes");
      assertPrinted(await firewall(owner, "diff"), [
        "Pending changes (2):",
        "+ Added IP block 192.0.2.0/24",
        "+ Added IP block 2001:db8::1",
      ]);
      await firewall(owner, "publish", "--yes");
      const { ips } = await active(owner);
      assert.deepEqual(
        ips.map(({ id: _id, ...entry }: Body) => entry),
        [
          { hostname: "*", ip: "192.0.2.0/24", notes: "A net", action: "deny" },
          { hostname: "example.com", ip: "2001:db8::1", action: "deny" },
        ],
      );
      await firewall(owner, "ip-blocks", "unblock", "192.0.2.0/24", "--yes");
      assertPrinted(await firewall(owner, "ip-blocks", "list"), [
        "IP/CIDR        Hostname      Notes",
        "2001:db8::1    example.com",
        "- 192.0.2.0/24   All hosts     A net",
      ]);
      assertPrinted(await firewall(owner, "discard", "--yes"), [
        "Changes to be discarded (1):",
        `- Removed IP block ${ips[0].id}`,
        "Discarding draft changes",
      ]);
      assert.equal((await call(owner, "GET", "/v1/firewalls/draft")).status, 404);
      assert.deepEqual((await active(owner)).ips, ips);
      assertPrinted(await firewall(owner, "discard", "--yes"), ["WARNING! No draft changes to discard."]);
    });

    test("system-bypass: added, listed and removed", async () => {
      const owner = await newOwner();
      await firewall(owner, "system-bypass", "add", "192.0.2.1", "--notes", "office", "--yes");
      await firewall(owner, "system-bypass", "add", "192.0.2.2", "--domain", "example.com", "--yes");
      assertPrinted(await firewall(owner, "system-bypass", "list"), [
        "IP/CIDR     Domain        Note",
        "192.0.2.1   All domains   office",
        "192.0.2.2   example.com",
      ]);
      await firewall(owner, "system-bypass", "remove", "192.0.2.1", "--yes");
      const { body } = await call(owner, "GET", "/v1/security/firewall/bypass");
      assert.deepEqual(
        body.result.map(({ Ip, Domain }: Body) => [Ip, Domain]),
        [["192.0.2.2", "example.com"]],
      );
      const gone = await run(owner, [
        "firewall",
        "system-bypass",
        "remove",
        "192.0.2.1",
        "--yes",
        "--project",
        PROJECT,
      ]);
      assert.equal(gone.exitCode, 1);
      assert.match(gone.stderr, /Error: No bypass rule found for 192\.0\.2\.1\./);
    });
  });
}

test("overview of the user's own project shows its firewall and its draft", async () => {
  const owner = { user: await createUser() };
  assert.match((await firewall(owner, "overview")).stderr, /Firewall +Not configured\n/);
  await call(owner, "PUT", "/v1/firewalls", { firewallEnabled: true });
  const entry = { hostname: "*", ip: "192.0.2.1", action: "deny" };
  await call(owner, "PATCH", "/v1/firewalls/draft", { action: "ip.insert", value: entry });
  const shown = await firewall(owner, "overview");
  assert.match(shown.stderr, /Firewall +Enabled\n/);
  assert.match(shown.stderr, /Draft +1 unpublished change\n +\+ Added IP block 192\.0\.2\.1\n/);
});

test("overview of a team's project shows what was reported", async () => {
  const user = await createUser();
  const owner = { user, team: await createTeam(user) };
  const conditionGroup = [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }];
  const rule = { name: "No admin", active: true, conditionGroup, action: { mitigate: { action: "deny" } } };
  await call(owner, "PUT", "/v1/firewalls", { firewallEnabled: true, rules: [rule] });
  const [{ id }] = (await active(owner)).rules;
  const at = reeve.clock.now;
  const reported = await call(owner, "POST", "/v1/firewalls/traffic", {
    counts: [
      { at, host: "example.com", action: "allow", count: 41 },
      { at, host: "example.com", action: "deny", ruleId: id, count: 7 },
      { at, host: "example.com", action: "rate_limit", count: 3 },
    ],
  });
  assert.equal(reported.status, 200, reported.text);
  const shown = linesOf(await firewall(owner, "overview")).join("\n");
  assert.match(shown, /Attacks mitigated \(this window\) +0\b/);
  for (const [action, count] of [
    ["Allow", 41],
    ["Deny", 7],
    ["Rate Limited", 3],
  ]) {
    assert.match(shown, new RegExp(`^${action} .* ${count} +${count} +\\S`, "m"));
  }
  assert.match(shown, new RegExp(`^No admin +7 +${id}$`, "m"));
  const json = JSON.parse((await firewall(owner, "overview", "--json")).stdout);
  assert.deepEqual([json.stats.allow, json.stats.deny, json.topRules], [41, 7, [{ id, name: rule.name, total: 7 }]]);
});

test("who may only look changes nothing, and who is not in the team sees nothing", async () => {
  const team = await openTeam(reeve, await createUser());
  const viewer = await createUser();
  await team.add(viewer, "VIEWER");
  await call({ user: team.owner, team }, "PUT", "/v1/firewalls", { firewallEnabled: true });
  const list = await firewall({ user: viewer, team }, "ip-blocks", "list");
  assert.match(list.stderr, /No IP blocking rules/);
  const block = ["firewall", "ip-blocks", "block", "192.0.2.1", "--yes", "--project", PROJECT];
  const [refused, unknown] = await Promise.all([
    run({ user: viewer, team }, block),
    run({ user: await createUser(), team }, block),
  ]);
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /Error: .*(?:permission|Not authorized|may not)/i);
  assert.equal(unknown.exitCode, 1);
  assert.match(unknown.stderr, /scope does not exist|not found/i);
  assert.equal((await call({ user: team.owner, team }, "GET", "/v1/firewalls/draft")).status, 404);
});

test("activity tells of it, and activity types knows the types", async () => {
  const user = await createUser();
  const owner = { user, team: await createTeam(user) };
  const entry = { hostname: "*", ip: "192.0.2.1", action: "deny" };
  await call(owner, "PATCH", "/v1/firewalls/draft", { action: "ip.insert", value: entry });
  await call(owner, "POST", "/v1/firewalls/draft/activate");
  const told = await run(owner, ["activity", "--all", "--limit", "3"]);
  assert.equal(told.exitCode, 0, told.stderr);
  const types = ["firewall-config-promoted", "firewall-config-modified", "firewall-draft-modified"];
  assert.match(`${told.stdout}${told.stderr}`, new RegExp(types.join("[^]+")));
  const known = await run(owner, ["activity", "types"]);
  assert.equal(known.exitCode, 0, known.stderr);
  for (const type of [...types, "attack-mode-enabled", "firewall-bypass-created"]) {
    assert.ok(`${known.stdout}${known.stderr}`.includes(type), type);
  }
});
