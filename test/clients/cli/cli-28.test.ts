// The unmodified `vercel` 28 command line client against a started Reeve: its `secrets`, which release 36 dropped, in a
// team and in the caller's own account.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Body, TestTeam, TestUser } from "../../harness/test-app.ts";
import { openTeam } from "../../resources/teams.ts";
import { startListeningApp } from "../started-app.ts";
import { LEFT_LOOPBACK_EXIT_CODE } from "./loopback-only.ts";
import { Cli } from "./vercel.ts";
import type { CliResult } from "./vercel.ts";

const reeve = await startListeningApp();
const { createUser, createTeam, request } = reeve;

const VALUE = "never-shown-again-8f2c61";

/** Whose secrets a command is about: the user's own, or with `--scope` a team's. */
interface Owner {
  readonly user: TestUser;
  readonly team?: TestTeam;
}

/** Runs the client as the owner's user. No output of any command may hold the value, not even a debugging one. */
async function secrets({ user, team }: Owner, ...args: readonly string[]): Promise<CliResult> {
  using cli = new Cli(reeve.url, "vercel-28");
  const scope = team ? ["--scope", team.slug] : [];
  const result = await cli.run(["--token", user.token, ...scope, "--debug", "secrets", ...args]);
  assert.ok(!`${result.stdout}${result.stderr}`.includes(VALUE), `the value in: ${result.stdout}${result.stderr}`);
  return result;
}

async function call(owner: Owner, method: string, path: string, body?: unknown): Promise<Body> {
  const query = owner.team ? `?teamId=${owner.team.id}` : "";
  const answer = await request(method, `${path}${query}`, {
    token: owner.user.token,
    ...(body === undefined ? {} : { body }),
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function create(owner: Owner, ...names: readonly string[]): Promise<void> {
  for (const name of names) await call(owner, "POST", "/v2/secrets", { name, value: VALUE });
}

async function readNames(owner: Owner): Promise<string[]> {
  const { secrets: listed } = await call(owner, "GET", "/v2/secrets");
  return listed.map(({ name }: Body) => name);
}

/** The names in the table that `secrets ls` prints. */
function listedNames({ stdout }: CliResult): string[] {
  const [, ...rows] = stdout
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/))
    .filter((cells) => cells.length === 2);
  return rows.map(([name]) => name as string);
}

function assertDone({ exitCode, stderr }: CliResult): void {
  assert.equal(exitCode, 0, stderr);
}

test("a client that would leave this machine is stopped, so every other test shows that it does not", async () => {
  using cli = new Cli("http://api.example.com", "vercel-28");
  const { exitCode, stderr } = await cli.run(["--token", "token", "secrets", "ls"]);
  assert.equal(exitCode, LEFT_LOOPBACK_EXIT_CODE, stderr);
  assert.match(stderr, /refused api\.example\.com/);
});

for (const kind of ["the user's own account", "a team"] as const) {
  describe(`in ${kind}`, () => {
    let owner: Owner;
    let contextName: string;
    before(async () => {
      const user = await createUser();
      owner = kind === "a team" ? { user, team: await createTeam(user) } : { user };
      contextName = owner.team?.slug ?? user.username;
    });

    test("secrets ls of none", async () => {
      const listed = await secrets(owner, "ls");
      assertDone(listed);
      assert.ok(listed.stdout.includes(`No secrets found under ${contextName} `), listed.stdout);
    });

    test("secrets add, rename and rm", async () => {
      const added = await secrets(owner, "add", "foo", VALUE);
      assertDone(added);
      assert.ok(added.stdout.includes(`Success! Secret foo added under ${contextName} `), added.stdout);
      const made = await call(owner, "GET", "/v3/secrets/foo");
      assert.equal(made.decryptable, false);

      const renamed = await secrets(owner, "rename", "foo", "bar");
      assertDone(renamed);
      assert.ok(renamed.stdout.includes(`Success! Secret foo renamed to bar under ${contextName} `), renamed.stdout);
      assert.equal((await call(owner, "GET", "/v3/secrets/bar")).uid, made.uid);
      assert.deepEqual(await readNames(owner), ["bar"]);

      const removed = await secrets(owner, "rm", "bar", "--yes");
      assertDone(removed);
      assert.ok(removed.stdout.includes(`Success! Secret bar under ${contextName} removed `), removed.stdout);
      assert.deepEqual(await readNames(owner), []);
    });

    test("secrets ls, and --next the page that the first one points to, without gap or repetition", async () => {
      const names = Array.from({ length: 23 }, (_, index) => `secret-${index}`);
      await create(owner, ...names);
      const first = await secrets(owner, "ls");
      assertDone(first);
      assert.ok(first.stdout.includes(`Secrets found under ${contextName} `), first.stdout);
      const next = /secrets ls .*--next (\d+)/.exec(first.stderr)?.[1];
      assert.ok(next, `a hint at the next page in: ${first.stderr}`);
      const second = await secrets(owner, "ls", "--next", next);
      assertDone(second);
      assert.doesNotMatch(second.stderr, /To display the next page/);
      assert.deepEqual([listedNames(first).length, listedNames(second).length], [20, 3]);
      assert.deepEqual([...listedNames(first), ...listedNames(second)], names.toReversed());
    });
  });
}

// It takes every refusal but 403 and a `rm`'s 404 for a passing failure and tries three times more, which takes seconds.
test("a name that is taken and a secret that is not there are refused in Reeve's words, and nothing changes", async () => {
  const user = await createUser();
  const owner = { user, team: await createTeam(user) };
  await create(owner, "one", "two");
  const [added, renamed, unknown, removed] = await Promise.all([
    secrets(owner, "add", "One", VALUE),
    secrets(owner, "rename", "one", "two"),
    secrets(owner, "rename", "three", "four"),
    secrets(owner, "rm", "three", "--yes"),
  ]);
  for (const { exitCode } of [added, renamed, unknown, removed]) assert.equal(exitCode, 1);
  assert.match(added.stderr, /Error: name: the name One is taken by another secret/);
  assert.match(renamed.stderr, /Error: name: the name two is taken by another secret/);
  assert.match(unknown.stderr, /Error: .*not found/i);
  assert.match(removed.stderr, /Error: Not Found/);
  assert.deepEqual(await readNames(owner), ["two", "one"]);
});

test("a viewer of the team sees its secrets' names and changes nothing", async () => {
  const team = await openTeam(reeve, await createUser());
  const viewer = await createUser();
  await team.add(viewer, "VIEWER");
  await create({ user: team.owner, team }, "kept");
  const owner = { user: viewer, team };
  const listed = await secrets(owner, "ls");
  assertDone(listed);
  assert.deepEqual(listedNames(listed), ["kept"]);
  for (const args of [
    ["add", "mine", VALUE],
    ["rename", "kept", "lost"],
    ["rm", "kept", "--yes"],
  ]) {
    const { exitCode, stderr } = await secrets(owner, ...args);
    assert.equal(exitCode, 1);
    assert.match(stderr, /Error: Unauthorized/);
  }
  assert.deepEqual(await readNames(owner), ["kept"]);
});

test("who is not in the team does not reach its secrets", async () => {
  const team = await createTeam(await createUser());
  const { exitCode, stderr } = await secrets({ user: await createUser(), team }, "ls");
  assert.equal(exitCode, 1);
  assert.match(stderr, /The specified scope does not exist/);
});
