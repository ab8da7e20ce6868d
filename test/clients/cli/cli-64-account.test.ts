// The unmodified `vercel` 64 command line client against a started Reeve: who one is, one's tokens, and who is in a team.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Body, TestTeam, TestUser } from "../../harness/test-app.ts";
import { startListeningApp } from "../started-app.ts";
import { Cli } from "./vercel.ts";
import type { CliResult } from "./vercel.ts";

const reeve = await startListeningApp();
const { createUser, createTeam, request } = reeve;

/** Runs the client as `user`, in the scope of `team`, and expects that it succeeds. */
async function run({ user, team }: { user: TestUser; team: TestTeam }, ...args: readonly string[]): Promise<CliResult> {
  using cli = new Cli(reeve.url, "vercel-64");
  const result = await cli.run(["--token", user.token, "--scope", team.slug, ...args]);
  assert.equal(result.exitCode, 0, result.stderr);
  return result;
}

async function openTeam() {
  const user = await createUser();
  return { user, team: await createTeam(user) };
}

test("whoami prints the username, and teams ls the account and its teams", async () => {
  const owner = await openTeam();
  assert.equal((await run(owner, "whoami")).stdout, `${owner.user.username}\n`);
  const { stderr } = await run(owner, "teams", "ls");
  assert.match(stderr, new RegExp(`${owner.team.slug} +${owner.team.slug} +enterprise`));
  assert.match(stderr, new RegExp(`${owner.user.username} +${owner.user.email}`));
});

test("teams members lists the members, and teams request shows who asks to join", async () => {
  const owner = await openTeam();
  const person = await createUser();
  const path = `/v1/teams/${owner.team.id}`;
  const asked = await request("POST", `${path}/request`, {
    token: person.token,
    body: { joinedFrom: { origin: "github" } },
  });
  assert.equal(asked.status, 200, asked.text);
  const shown = await run(owner, "teams", "request", person.id);
  assert.match(shown.stderr, /Confirmed: false\n/);
  assert.match(shown.stderr, /Joined from: \{"origin":"github"\}/);

  const confirmed = await request("PATCH", `${path}/members/${person.id}`, {
    token: owner.user.token,
    body: { confirmed: true, role: "DEVELOPER" },
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  const { stderr } = await run(owner, "teams", "members");
  assert.match(stderr, new RegExp(`${owner.user.id} +${owner.user.username} +OWNER`));
  assert.match(stderr, new RegExp(`${person.id} +${person.username} +DEVELOPER`));
});

test("teams request shows people their own request", async () => {
  const { team } = await openTeam();
  const user = await createUser();
  assert.equal((await request("POST", `/v1/teams/${team.id}/request`, { token: user.token })).status, 200);
  const { stderr } = await run({ user, team }, "teams", "request");
  assert.match(stderr, /Confirmed: false\n/);
});

test("teams members invite invites by e-mail, and teams members remove removes who is in", async () => {
  const owner = await openTeam();
  const person = await createUser();
  const path = `/v1/teams/${owner.team.id}/members`;
  const states = async () => {
    const { body } = await request("GET", path, { token: owner.user.token });
    return body.members.map((member: Body) => [member.email, member.confirmed]);
  };
  await run(owner, "teams", "members", "invite", person.email);
  assert.deepEqual(await states(), [
    [person.email, false],
    [owner.user.email, true],
  ]);
  const joined = await request("POST", "/v1/teams/join", { token: person.token, body: { teamId: owner.team.id } });
  assert.equal(joined.status, 200, joined.text);

  using cli = new Cli(reeve.url, "vercel-64");
  const { exitCode, stderr } = await cli.run(
    ["--token", owner.user.token, "--scope", owner.team.slug, "teams", "members", "remove", person.email],
    [{ prompt: "?", answer: "y" }],
    { isTerminal: true },
  );
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(await states(), [[owner.user.email, true]]);
});

test("tokens add makes a token that works, tokens ls lists it, and tokens rm ends it", async () => {
  const owner = await openTeam();
  const { stderr } = await run(owner, "tokens", "add", "laptop");
  const [, token = ""] = /> (rvt_\w+)/.exec(stderr) ?? [];
  const [, id = ""] = /> id: (\w+)/.exec(stderr) ?? [];
  const whoHas = async () => (await request("GET", "/v2/user", { token })).status;
  assert.equal(await whoHas(), 200);
  assert.match((await run(owner, "tokens", "ls")).stderr, new RegExp(`${id} +laptop `));
  await run(owner, "tokens", "rm", id);
  assert.equal(await whoHas(), 401);
});
