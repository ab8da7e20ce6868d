// `reeve environments` for people and for programs: on a terminal of 60 columns, with names and comments that others chose.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { toPrintable } from "../../src/platform/kernel/text/printable-text.ts";
import { startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const HOSTILE = "a\u001B[2J\u001B]0;title\u0007\u202Ecba\r\nforged";
const LONG = `LONG_${"X".repeat(100)}`;

await world.set("production", { FIRST: { value: HOSTILE, comment: HOSTILE } as { value: string } });
await world.set("production", {
  FIRST: { value: "next" },
  [LONG]: { value: HOSTILE },
  TOKEN: { secretValue: "hidden" },
});

/** What a terminal of a width gets. */
async function onTerminalOf(columns: number, ...args: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await world.run([...args, "--team", "acme"], {}, { columns });
  assert.equal(code, 0, stderr);
  const lines = stdout.trimEnd().split("\n");
  for (const one of lines) assert.equal(one, toPrintable(one));
  return lines;
}

const onTerminal = async (...args: readonly string[]) => await onTerminalOf(60, ...args);

const run = async (...args: readonly string[]) => await world.run([...args, "--team", "acme"]);

test("tables fit the terminal, and nothing that others chose reaches it raw", async () => {
  for (const args of [
    ["list", "shop"],
    ["entries", "shop", "production"],
    ["versions", "list", "shop", "production"],
  ]) {
    const lines = await onTerminal("environments", ...args);
    assert.ok(lines.length > 2 && lines.every((line) => Array.from(line).length <= 60), lines.join("\n"));
  }
  assert.match((await onTerminal("environments", "entries", "shop", "production")).join("\n"), /FIRST +value +next/);
  const entries = ["environments", "entries", "shop", "production"];
  assert.match(
    (await onTerminal(...entries)).join("\n"),
    /^TOKEN +secret +shop\.pro\w*… .* (?:just now|\d+ minutes? ago)$/m,
  );
  const narrow = await onTerminalOf(40, ...entries);
  assert.ok(
    narrow.every((line) => Array.from(line).length <= 40),
    narrow.join("\n"),
  );
  // A terminal that does not know how wide it is says 0.
  for (const columns of [80, 0])
    assert.match((await onTerminalOf(columns, ...entries)).join("\n"), /^TOKEN +secret +shop\.production\.T/m);
  const { stdout } = await run("environments", "entries", "shop", "production");
  assert.match(stdout, /^TOKEN\tsecret\tshop\.production\.TOKEN\tproduction\t/m);
  assert.match((await onTerminal("environments", "versions", "list", "shop", "production")).join("\n"), / admin$/m);
});

test("people see the names of entries, programs all of them as JSON", async () => {
  const seen = (await onTerminal("environments", "diff", "shop", "production")).map((line) => line.split(/ {2,}/));
  assert.deepEqual(seen, [["from", "1"], ["to", "2"], ["added", `${LONG}, TOKEN`], ["changed", "FIRST"], ["removed"]]);
  const { stdout } = await run("environments", "view", "shop", "production");
  const [, entries = ""] = /^entries\t(.*)$/m.exec(stdout) ?? [];
  assert.deepEqual(
    (JSON.parse(entries) as { key: string }[]).map(({ key }) => key),
    ["FIRST", LONG, "TOKEN"],
  );
  const chosen = await run("environments", "entries", "shop", "production", "--json", "key,value");
  assert.deepEqual(JSON.parse(chosen.stdout), [
    { key: "FIRST", value: "next" },
    { key: LONG, value: HOSTILE },
    { key: "TOKEN" },
  ]);
  assert.equal(chosen.stdout.trimEnd(), toPrintable(chosen.stdout.trimEnd()));
});

test("a dry run of a change says what it would add, change and remove", async () => {
  const file = join(world.folder, "change.json");
  const set = { ADDED: { value: "hidden" }, FIRST: { value: "hidden" }, OTHER: { secretValue: "hidden" } };
  writeFileSync(file, JSON.stringify({ environments: { production: { set, remove: ["TOKEN"] }, preview: {} } }));
  const { code, stdout } = await run("environments", "change", "shop", "--input", file, "--dry-run");
  const lines = ["+ ADDED  plain value", "~ FIRST  plain value: another value"].concat(
    "+ OTHER  secret shop.production.OTHER",
    "- TOKEN  secret shop.production.TOKEN",
  );
  assert.deepEqual([code, stdout], [0, ["production", ...lines, "preview", "Nothing differs.", ""].join("\n")]);
  const json = await run("environments", "change", "shop", "--input", file, "--dry-run", "--json", "name,version");
  assert.deepEqual(JSON.parse(json.stdout), [
    { name: "production", version: 2 },
    { name: "preview", version: 0 },
  ]);
});

test("an environment inherits from another one, and with an empty text from none", async () => {
  const made = await run(
    "environments",
    "create",
    "shop",
    "staging",
    "--inherits-from",
    "production",
    "--json",
    "inheritsFrom",
  );
  assert.deepEqual(JSON.parse(made.stdout), { inheritsFrom: "production" });
  const none = await run("environments", "update", "shop", "staging", "--inherits-from", "", "--json", "inheritsFrom");
  assert.deepEqual(JSON.parse(none.stdout), { inheritsFrom: null });
  const versions = (await run("environments", "versions", "list", "shop", "staging")).stdout.trimEnd().split("\n");
  assert.deepEqual(versions[0]?.split("\t").slice(0, 3), ["2", "0", ""]);
  assert.deepEqual(versions[1]?.split("\t").slice(0, 3), ["1", "0", "production"]);
  const help = await world.run(["environments", "update", "--help"]);
  assert.match(
    help.stdout.replaceAll(/\s+/g, " "),
    /--inherits-from <text> Another environment .* \('' for none\) \(required\)/,
  );
});

test("a dry run says the whole request and changes nothing; what is wrong ends with its code", async () => {
  for (const [args, first] of [
    [["delete", "shop", "staging"], "project\tshop"],
    [["rollback", "shop", "production", "1"], "name\tproduction"],
  ] as const) {
    const { code, stdout, stderr } = await run("environments", ...args, "--dry-run");
    const note = "This was a dry run: nothing was changed.\n";
    assert.deepEqual([code, stdout.split("\n")[0], stderr], [0, first, note]);
    assert.equal((await run("environments", ...args)).code, 2, "there is no terminal to ask on");
  }
  const dry = await run("environments", "rollback", "shop", "production", "1", "--dry-run", "--json", "*");
  const { version, added, changed, removed } = JSON.parse(dry.stdout) as { version: number } & Record<
    "added" | "changed" | "removed",
    readonly { key: string }[]
  >;
  const keys = [added, changed, removed].map((list) => list.map(({ key }) => key));
  assert.deepEqual([version, ...keys], [2, [], ["FIRST"], [LONG, "TOKEN"]]);
  assert.match((await run("environments", "list", "shop")).stdout, /^production\t2\t3\t.*\n(?:.*\n)*staging\t/);
  const expected: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
    [["view", "shop", "nope"], 6, /has no environment "nope" of shop for this credential \(<environment>\)/],
    [["delete", "shop", "production", "--yes"], 7, /every project has the environment production/],
    [["delete", "shop", "production", "--dry-run"], 7, /every project has the environment production/],
    [["rollback", "shop", "production", "77", "--yes"], 6, /Version 77 not found/],
    [["rollback", "shop", "production", "77", "--dry-run"], 6, /Version 77 not found/],
    [["rollback", "shop", "production", "x", "--yes"], 2, /reeve: <version>: expected a number, got "x"/],
    [["update", "shop", "staging"], 2, /--inherits-from: expected a value/],
    [["list", "shop", "--json", "nope"], 2, /there is no field \\?"nope/],
    [["list"], 2, /missing required argument 'project'[^]*\(see reeve environments list --help\)/],
    [["versions", "list", "--nope"], 2, /unknown option '--nope'[^]*\(see reeve environments versions list --help\)/],
    [["versions", "nope"], 2, /unknown command 'nope'[^]*\(see reeve environments versions --help\)/],
  ];
  for (const [args, code, message] of expected) {
    const ended = await run("environments", ...args);
    assert.deepEqual([ended.code, ended.stdout], [code, ""], args.join(" "));
    assert.match(ended.stderr, message);
  }
  const foreign = await world.run(["environments", "view", "shop", "production", "--team", "nope"]);
  assert.match(foreign.stderr, /has no team "nope" for this credential \(--team\)/);
});

test("a dry run of a roll-back says that a secret of the version was deleted since, as the roll-back does", async () => {
  await world.set("preview", { GONE: { secretValue: "hidden" } });
  const { stdout } = await run("environments", "view", "shop", "preview", "--json", "entries");
  const name: string = JSON.parse(stdout).entries.find(({ key }: { key: string }) => key === "GONE").secret.name;
  await world.set("preview", { GONE: { value: "plain" } });
  assert.equal((await run("secrets", "delete", name, "--yes")).code, 0);
  const rollBack = ["environments", "rollback", "shop", "preview", "1"];
  const [dry, real] = [await run(...rollBack, "--dry-run"), await run(...rollBack, "--yes")];
  assert.match(dry.stderr, /Version 1 of preview of shop cannot be brought back: GONE \(its secret .* deleted/);
  assert.deepEqual(dry, real);
});
