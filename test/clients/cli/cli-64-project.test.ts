// The unmodified `vercel` 64 command line client against a started Reeve: a folder linked to a project, what came of
// its requests, and its alerts and environment variables, of which there are none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startListeningApp } from "../started-app.ts";
import { PROJECT, assertPrinted, firewallCli, linesOf } from "./firewall-cli.ts";
import type { Owner } from "./firewall-cli.ts";
import { Cli } from "./vercel.ts";

const reeve = await startListeningApp();
// The client asks for figures by the clock on the wall.
reeve.clock.now = Date.now();
const { createUser, createTeam } = reeve;
const { run, call, firewall } = firewallCli(reeve);

async function newOwner(): Promise<Owner & { readonly team: NonNullable<Owner["team"]> }> {
  const user = await createUser();
  return { user, team: await createTeam(user) };
}

test("alerts lists none, and overview misses no source of them", async () => {
  const owner = await newOwner();
  const overview = linesOf(await firewall(owner, "overview")).join("\n");
  assert.match(overview, /Attacks mitigated \(this window\) +0$/m);
  assert.doesNotMatch(overview, /incomplete|at least/);
  const listed = await run(owner, ["alerts", "--project", PROJECT]);
  assert.equal(listed.exitCode, 0, listed.stderr);
  assert.match(listed.stderr, /No alerts found/);
});

test("link warns of nothing, and env pull finds no environment variables where there are none", async () => {
  const { user, team } = await newOwner();
  using cli = new Cli(reeve.url, "vercel-64");
  const inFolder = async (...args: readonly string[]) => {
    const result = await cli.run(["--token", user.token, "--scope", team.slug, ...args]);
    assert.equal(result.exitCode, 0, result.stderr);
    return result.stderr;
  };
  const linked = await inFolder("link", "--yes", "--project", PROJECT);
  assert.match(linked, new RegExp(`Linked +${team.slug}/${PROJECT}\\n`));
  assert.doesNotMatch(linked, /warn|error|failed/i);
  const early = await cli.run(["--token", user.token, "--scope", team.slug, "env", "pull", "--yes"]);
  assert.match(early.stderr, /Project not found/);
  assert.notEqual(early.exitCode, 0);
  const begun = await call({ user, team }, "PUT", "/v1/firewalls", { firewallEnabled: true });
  assert.equal(begun.status, 200, begun.text);
  assert.match(await inFolder("env", "pull", "--yes"), /Created +\.env\.local/);
  const preview = ["--environment", "preview", "--git-branch", "feature/one"];
  assert.match(await inFolder("env", "pull", "--yes", ...preview), /Updated +\.env\.local/);
});

test("traffic shows what was reported by address, host and rule, and of the rest that there is none", async () => {
  const owner = await newOwner();
  assert.equal((await call(owner, "PUT", "/v1/firewalls", { firewallEnabled: true })).status, 200);
  const at = reeve.clock.now;
  const reported = await call(owner, "POST", "/v1/firewalls/traffic", {
    counts: [
      { at, host: "example.com", action: "allow", count: 41 },
      { at, host: "example.com", action: "deny", ruleId: "rule_a", ip: "192.0.2.1", count: 7 },
      { at, host: "b.example.com", action: "challenge", ip: "192.0.2.2", count: 5 },
    ],
  });
  assert.equal(reported.status, 200, reported.text);
  const listed = await firewall(owner, "traffic", "list");
  assert.doesNotMatch(listed.stderr, /Couldn't load|Not reported/);
  assertPrinted(listed, [
    "Top IPs",
    "192.0.2.1   7",
    "192.0.2.2   5",
    "Top JA4 Digests",
    "No requests in this period.",
  ]);
  assertPrinted(listed, ["Rules", "rule_a   7", "Top Hosts", "example.com     7", "b.example.com   5"]);
  const inspected = await firewall(owner, "traffic", "inspect", "ip", "192.0.2.1", "--since", "20m");
  assert.match(inspected.stderr, /Requests +7\n/);
  assert.match(inspected.stderr, /Requests by Action .*\(1m each\)\n/);
  const bots = await firewall(owner, "bot-management");
  assertPrinted(bots, ["Unknown Bot Traffic", "No requests in this period."]);
});
