// Three unmodified releases of the `vercel` command line client against a started Reeve: a project's environment variables, which
// are entries of its environments.
import assert from "node:assert/strict";
import { parseEnv } from "node:util";
import { describe, test } from "node:test";
import { openEnvironments } from "../../resources/environments.ts";
import { openTeam } from "../../resources/teams.ts";
import { startListeningApp } from "../started-app.ts";
import { Cli } from "./vercel.ts";
import type { CliRelease, CliResult, Reply } from "./vercel.ts";

const reeve = await startListeningApp();
// The client shows ages by the clock on the wall.
reeve.clock.now = Date.now();
const PROJECT = "web";

interface Knowledge {
  readonly release: CliRelease;
  /** The file that `env pull` writes. */
  readonly file: string;
  /** Takes environments that were created, and `--force` and `--sensitive`. */
  readonly isNewer: boolean;
  /** Has `update` and `run`; what it adds is sensitive, unless `--type config` says otherwise. */
  readonly isNewest: boolean;
}

const RELEASES: readonly Knowledge[] = [
  { release: "vercel-28", file: ".env", isNewer: false, isNewest: false },
  { release: "vercel", file: ".env.local", isNewer: true, isNewest: false },
  { release: "vercel-64", file: ".env.local", isNewer: true, isNewest: true },
];

/** The client waits half a second for its standard input, which a busy machine may give it later, and then asks. */
const ASKS = /^\? (?:What.s the value of|Environment Variable type)/m;
const MOST_TRIES = 4;

/** A linked folder of an owner of a team. */
async function linkedFolder(release: CliRelease) {
  const owner = await reeve.createUser();
  const team = await reeve.createTeam(owner);
  const cli = new Cli(reeve.url, release);
  const vercel = async (
    args: readonly string[],
    { input, replies = [] }: { readonly input?: string; readonly replies?: readonly Reply[] } = {},
  ): Promise<CliResult> => {
    const all = ["--token", owner.token, "--scope", team.slug, ...args];
    if (input === undefined) return await cli.run(all, replies);
    for (let tries = 1; ; tries++) {
      const result = await cli.run(all, replies, { input });
      if (tries === MOST_TRIES || !ASKS.test(result.stderr)) return result;
    }
  };
  const linked = await vercel(["link", "--yes", "--project", PROJECT]);
  assert.equal(linked.exitCode, 0, linked.stderr);
  return {
    owner,
    team,
    env: openEnvironments(reeve, owner.token, PROJECT, team.id),
    /** Expects that the command succeeds. */
    async run(args: readonly string[], input?: string): Promise<CliResult> {
      const result = await vercel(args, input === undefined ? {} : { input });
      assert.equal(result.exitCode, 0, `${args.join(" ")}: ${result.stderr}`);
      return result;
    },
    vercel,
    read: (file: string) => parseEnv(cli.read(file)),
    [Symbol.dispose]: () => cli[Symbol.dispose](),
  };
}

/** The cells of a table by their row's first one. */
function rowsOf({ stdout }: CliResult): Record<string, string[]> {
  const rows = stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
  return Object.fromEntries(
    rows.filter(([name = ""]) => name !== "" && name !== "name").map(([name, ...cells]) => [name, cells.slice(0, -1)]),
  );
}

for (const { release, file, isNewer, isNewest } of RELEASES) {
  describe(release, () => {
    test("env add, ls, pull and rm change and show the entries of an environment", async () => {
      using folder = await linkedFolder(release);
      const { run, env, read } = folder;
      assert.match((await run(["env", "ls"])).stderr, /No Environment Variables found/);
      const early = await folder.vercel(["env", "pull", "--yes", "--environment", "production"]);
      assert.notEqual(early.exitCode, 0);
      assert.match(early.stderr, /Project not found/);
      assert.throws(() => read(file), /ENOENT/, "a project that has not begun has no values to write");
      await run(["env", "add", "DATABASE_URL", "production"], "postgres://first");
      const [entry] = (await env.get("production")).entries;
      assert.deepEqual([entry.key, entry.kind, entry.isSensitive], ["DATABASE_URL", "secret", isNewest || undefined]);
      assert.deepEqual((await env.values("production")).body, { DATABASE_URL: "postgres://first" });
      assert.deepEqual((await env.get("preview")).entries, []);

      // What our own endpoints change, the client shows.
      const LEVEL = { value: "info" };
      const production = { set: { DATABASE_URL: { secretValue: "postgres://second" }, LEVEL } };
      assert.equal((await env.change({ production, preview: { set: { LEVEL } } })).status, 200);
      const shown = rowsOf(await run(["env", "ls"]));
      const secret = isNewest ? ["Hidden", "Secret"] : ["Encrypted"];
      assert.deepEqual(shown["DATABASE_URL"], [...secret, "Production"]);
      assert.deepEqual(shown["LEVEL"], ["info", ...(isNewest ? ["Config"] : []), "Production, Preview"]);
      assert.deepEqual(Object.keys(rowsOf(await run(["env", "ls", "preview"]))), ["LEVEL"]);

      await run(["env", "pull", "--yes", "--environment", "production"]);
      const { VERCEL_OIDC_TOKEN: _, ...pulled } = read(file);
      // Also where the client calls the entry unavailable to pulls: docs/clients.md says so.
      assert.deepEqual(pulled, { DATABASE_URL: "postgres://second", LEVEL: "info" });

      await run(["env", "rm", "DATABASE_URL", "production", "--yes"]);
      assert.deepEqual((await env.values("production")).body, { LEVEL: "info" });
    });

    test("env add refuses a key that the environment has in Reeve's words, and a branch", async () => {
      using folder = await linkedFolder(release);
      const { run, vercel, env } = folder;
      await run(["env", "add", "KEY", "preview", ...(isNewest ? ["", "--yes"] : [])], "first");
      const again = await vercel(["env", "add", "KEY", "preview", ...(isNewest ? ["", "--yes"] : [])], {
        input: "second",
      });
      assert.equal(again.exitCode, 1);
      assert.match(again.stderr, /Error: key: preview already has a variable KEY/);
      const branch = await vercel(["env", "add", "OTHER", "preview", "feature/one"], { input: "text" });
      assert.equal(branch.exitCode, 1);
      assert.match(branch.stderr, /gitBranch: expected none: create an environment for the branch/);
      const removed = await vercel(["env", "rm", "KEY", "preview", "feature/one", "--yes"]);
      assert.equal(removed.exitCode, 1, "the variable of all branches is another one");
      assert.deepEqual((await env.values("preview")).body, { KEY: "first" });
    });

    test("env rm of one environment of a variable leaves the others, where the release knows how", async () => {
      using folder = await linkedFolder(release);
      const { run, env } = folder;
      const set = { KEY: { value: "text" } };
      await env.change({ production: { set }, preview: { set } });
      await run(["env", "rm", "KEY", "preview", "--yes"]);
      const left = (await env.values("production")).body;
      assert.deepEqual(left, isNewest ? { KEY: "text" } : {});
      assert.deepEqual((await env.values("preview")).body, {});
    });

    if (!isNewer) return;

    test("env add --force, --sensitive and an environment that was created", async () => {
      using folder = await linkedFolder(release);
      const { run, env, read } = folder;
      assert.equal((await env.call("POST", "", { body: { name: "staging", inheritsFrom: "production" } })).status, 200);
      await run(["env", "add", "KEY", "production"], "first");
      await run(["env", "add", "KEY", "production", "--force"], "second");
      await run(["env", "add", "TOKEN", "staging", "--sensitive"], "hidden");
      assert.deepEqual((await env.values("staging")).body, { KEY: "second", TOKEN: "hidden" });
      const entries = (await env.get("staging")).entries as { key: string; isSensitive?: true }[];
      assert.equal(entries.find(({ key }) => key === "TOKEN")?.isSensitive, true);
      assert.deepEqual(rowsOf(await run(["env", "ls", "staging"])), {
        TOKEN: [...(isNewest ? ["Hidden", "Secret"] : ["Encrypted"]), "staging"],
      });
      await run(["env", "pull", "--yes", "--environment", "staging"]);
      const { VERCEL_OIDC_TOKEN: _, ...pulled } = read(file);
      assert.deepEqual(pulled, { KEY: "second", TOKEN: "hidden" });
      await run(["env", "rm", "TOKEN", "staging", "--yes"]);
      assert.deepEqual((await env.values("staging")).body, { KEY: "second" });
    });

    if (!isNewest) return;

    test("env update changes a value and its type, and env run hands the values to a command", async () => {
      using folder = await linkedFolder(release);
      const { run, env } = folder;
      await run(["env", "add", "KEY", "production", "--type", "config"], "first");
      const { id } = (await env.get("production")).entries[0];
      await run(["env", "update", "KEY", "production", "--yes"], "second");
      const [entry] = (await env.get("production")).entries;
      assert.deepEqual([entry.id, entry.isSensitive], [id, undefined]);
      const command = [process.execPath, "-p", "`value ${process.env.KEY}`"];
      const ran = await run(["env", "run", "--environment", "production", "--", ...command]);
      assert.match(ran.stdout, /^value second$/m);
      await run(["env", "update", "KEY", "production", "--sensitive", "--yes"], "third");
      assert.deepEqual((await env.values("production")).body, { KEY: "third" });
      assert.equal((await env.get("production")).entries[0].isSensitive, true);
    });

    test("target ls lists the environments that were created", async () => {
      using folder = await linkedFolder(release);
      await folder.env.call("POST", "", { body: { name: "staging" } });
      assert.match((await folder.run(["target", "ls"])).stderr, /staging +No branch configuration +Preview/);
    });
  });
}

test("a viewer links a folder and lists keys, and gets no values", async () => {
  const team = await openTeam(reeve, await reeve.createUser());
  const viewer = await reeve.createUser();
  await team.add(viewer, "VIEWER");
  const env = openEnvironments(reeve, team.owner.token, PROJECT, team.id);
  await env.set("development", { KEY: { secretValue: "hidden-text" } });
  using cli = new Cli(reeve.url, "vercel-64");
  const as = async (...args: readonly string[]) =>
    await cli.run(["--token", viewer.token, "--scope", team.slug, ...args]);
  const linked = await as("link", "--yes", "--project", PROJECT);
  assert.equal(linked.exitCode, 0, linked.stderr);
  assert.deepEqual(Object.keys(rowsOf(await as("env", "ls"))), ["KEY"]);
  for (const args of [
    ["env", "pull", "--yes"],
    ["env", "run", "--", process.execPath, "-p", "process.env.KEY"],
  ]) {
    const { exitCode, stdout, stderr } = await as(...args);
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /needs the permission secret:reveal/);
    assert.doesNotMatch(stdout + stderr, /hidden-text/);
  }
});
