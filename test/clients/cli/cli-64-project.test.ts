// The unmodified `vercel` 64 command line client against a started Reeve: a folder linked to a project, its alerts and
// its environment variables, of which there are none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startListeningApp } from "../started-app.ts";
import { PROJECT, firewallCli, linesOf } from "./firewall-cli.ts";
import type { Owner } from "./firewall-cli.ts";
import { Cli } from "./vercel.ts";

const reeve = await startListeningApp();
const { createUser, createTeam } = reeve;
const { run, firewall } = firewallCli(reeve);

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

test("link warns of nothing, and env pull finds no environment variables", async () => {
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
  assert.match(await inFolder("env", "pull", "--yes"), /Created +\.env\.local/);
  const preview = ["--environment", "preview", "--git-branch", "feature/one"];
  assert.match(await inFolder("env", "pull", "--yes", ...preview), /Updated +\.env\.local/);
});
