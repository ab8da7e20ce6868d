// The unmodified `vercel` 44 command line client against a started Reeve: what a person types, sees and gets.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { uniqueName } from "../../harness/test-app.ts";
import type { TestUser } from "../../harness/test-app.ts";
import { Cli } from "./vercel.ts";
import type { CliResult, Reply } from "./vercel.ts";
import { LEFT_LOOPBACK_EXIT_CODE } from "./loopback-only.ts";
import { startListeningApp } from "../started-app.ts";

const reeve = await startListeningApp();
const { createUser, createTeam, request } = reeve;

/** Runs the client as `user`, whose credential is given on the command line. */
async function vercel(user: TestUser, args: readonly string[], replies: readonly Reply[] = []): Promise<CliResult> {
  using cli = new Cli(reeve.url);
  return await cli.run(["--token", user.token, ...args], replies);
}

async function readMembers(user: TestUser, teamId: string) {
  const { status, body } = await request("GET", `/v2/teams/${teamId}/members`, { token: user.token });
  assert.equal(status, 200);
  return body;
}

test("a client that would leave this machine is stopped, so every other test shows that it does not", async () => {
  using cli = new Cli("http://api.example.com");
  const { exitCode, stderr } = await cli.run(["--token", "token", "whoami"]);
  assert.equal(exitCode, LEFT_LOOPBACK_EXIT_CODE, stderr);
  assert.match(stderr, /refused api\.example\.com/);
});

test("whoami prints the username", async () => {
  const user = await createUser();
  const { exitCode, stdout, stderr } = await vercel(user, ["whoami"]);
  assert.equal(stdout, `${user.username}\n`, stderr);
  assert.equal(exitCode, 0);
});

test("whoami with a credential that nobody has prints Reeve's refusal and fails", async () => {
  const user = await createUser();
  const { exitCode, stdout, stderr } = await vercel({ ...user, token: `rvt_${"0".repeat(46)}` }, ["whoami"]);
  assert.equal(stdout, "");
  assert.match(stderr, /Error: .*(credential|token)/i);
  assert.equal(exitCode, 1);
});

test("teams ls shows the account and its teams, newest first", async () => {
  const user = await createUser();
  const older = await createTeam(user);
  const newer = await createTeam(user);
  await createTeam(await createUser());
  const { exitCode, stderr } = await vercel(user, ["teams", "ls"]);
  assert.equal(exitCode, 0, stderr);
  const [, ...rows] = tableRows(stderr);
  assert.deepEqual(
    rows.map(([slug]) => slug),
    [user.username, newer.slug, older.slug],
  );
});

test("teams ls --next shows the page that the first one points to, without gap or repetition", async () => {
  const user = await createUser();
  const slugs: string[] = [];
  for (let index = 0; index < 23; index++) slugs.unshift((await createTeam(user)).slug);
  const first = await vercel(user, ["teams", "ls"]);
  const next = /teams ls --next (\d+)/.exec(first.stderr)?.[1];
  assert.ok(next, `a hint at the next page in: ${first.stderr}`);
  const second = await vercel(user, ["teams", "ls", "--next", next]);
  assert.equal(second.exitCode, 0, second.stderr);
  const listed = [first, second].flatMap(({ stderr }) => tableRows(stderr)).map(([slug]) => slug);
  assert.deepEqual(
    listed.filter((slug) => slugs.includes(slug as string)),
    slugs,
  );
});

test("teams add asks for slug and name, creates the team and invites a teammate", async () => {
  const user = await createUser();
  const teammate = await createUser();
  const taken = await createTeam(await createUser());
  const slug = uniqueName("typed");
  const { exitCode, stderr } = await vercel(
    user,
    ["teams", "add"],
    [
      { prompt: "Team URL", answer: taken.slug },
      { prompt: "Error: ", answer: slug },
      { prompt: "- Team Name", answer: "Typed Team" },
      { prompt: "- Invite User", answer: teammate.email },
      { prompt: "Sent Email", answer: "" },
    ],
  );
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /Success! Team created/);
  assert.match(stderr, /Success! Invited 1 teammate/);

  const { body: team } = await request("GET", `/v2/teams/${slug}`, { token: user.token });
  assert.equal(team.name, "Typed Team");
  assert.equal(team.membership.role, "OWNER");
  const { members } = await readMembers(user, team.id);
  const invited = members.find((member: { email: string }) => member.email === teammate.email);
  assert.equal(invited.confirmed, false);
  assert.equal(invited.role, "MEMBER");
});

test("teams invite --scope invites an account by its e-mail and prints what was given", async () => {
  const owner = await createUser();
  const teammate = await createUser();
  const team = await createTeam(owner);
  const { exitCode, stderr } = await vercel(owner, ["teams", "invite", teammate.email, "--scope", team.slug]);
  assert.equal(exitCode, 0, stderr);
  assert.ok(stderr.includes(`${teammate.email} (${teammate.email})`), stderr);
  const { members } = await readMembers(owner, team.id);
  assert.deepEqual(
    members.map((member: { email: string; confirmed: boolean }) => [member.email, member.confirmed]),
    [
      [teammate.email, false],
      [owner.email, true],
    ],
  );
});

test("teams invite keeps an invitation for an e-mail that has no account yet", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const email = `${uniqueName("stranger")}@example.com`;
  const { exitCode, stderr } = await vercel(owner, ["teams", "invite", email, "--scope", team.slug]);
  assert.equal(exitCode, 0, stderr);
  assert.ok(stderr.includes(email), stderr);
  const { emailInviteCodes } = await readMembers(owner, team.id);
  assert.deepEqual(
    emailInviteCodes.map((invite: { email: string; role: string }) => [invite.email, invite.role]),
    [[email, "MEMBER"]],
  );
});

test("teams invite by somebody who may not prints Reeve's refusal, and nobody is invited", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const outsider = await createUser();
  const { exitCode, stderr } = await vercel(outsider, ["teams", "invite", "a@example.com", "--scope", team.slug]);
  assert.equal(exitCode, 1);
  assert.match(stderr, /The specified scope does not exist/);
  const { emailInviteCodes = [] } = await readMembers(owner, team.id);
  assert.deepEqual(emailInviteCodes, []);
});

test("--scope finds every team of a member of many", async () => {
  const owner = await createUser();
  const oldest = await createTeam(owner);
  for (let index = 0; index < 25; index++) await createTeam(owner);
  const email = `${uniqueName("late")}@example.com`;
  const { exitCode, stderr } = await vercel(owner, ["teams", "invite", email, "--scope", oldest.slug]);
  assert.equal(exitCode, 0, stderr);
});

test("switch makes a team the current one, and back", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  using cli = new Cli(reeve.url);
  cli.logIn(user.token);
  const there = await cli.run(["switch", team.slug]);
  assert.equal(there.exitCode, 0, there.stderr);
  assert.equal(JSON.parse(readFileSync(cli.configFile, "utf8")).currentTeam, team.id);
  const back = await cli.run(["switch", user.username]);
  assert.equal(back.exitCode, 0, back.stderr);
  assert.equal(JSON.parse(readFileSync(cli.configFile, "utf8")).currentTeam, undefined);
  const nowhere = await cli.run(["switch", (await createTeam(await createUser())).slug]);
  assert.equal(nowhere.exitCode, 1);
});

test("logout deletes the token, which the next request shows", async () => {
  const user = await createUser();
  using cli = new Cli(reeve.url);
  cli.logIn(user.token);
  const out = await cli.run(["logout"]);
  assert.equal(out.exitCode, 0, out.stderr);
  assert.match(out.stderr, /Logged out!/);
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 401);
  assert.equal(JSON.parse(readFileSync(cli.authFile, "utf8")).token, undefined);
});

/** The cells of the table that `teams ls` prints, its head first. */
function tableRows(output: string): string[][] {
  const head = output.indexOf("email / name");
  const table = output.slice(output.lastIndexOf("\n", head) + 1);
  return table
    .split("\n")
    .map((line) => line.replace(/^[ ✔]+/, "").trimEnd())
    .filter((line) => line !== "" && !line.includes(">"))
    .map((line) => line.split(/ {2,}/));
}
