// `reeve gate seclang` as a process: what it prints, its exit codes, and how it ends.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startGateWorld } from "../gate/gate-world.ts";
import { crsWith } from "../gate/seclang-world.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { runReeve } from "./in-process.ts";
import { startReeve, stopReeve } from "./reeve-process.ts";

const world = await startGateWorld();
const project = await world.newProject(crsWith());
const name = `${world.team.slug}/${project}`;

function argumentsFor(more: readonly string[] = [], server = world.server) {
  const folder = world.newFolder();
  const [out, keyFile] = [join(folder, "out"), join(folder, "gate.key")];
  writeFileSync(keyFile, world.key);
  const settings = [
    "--server",
    server,
    "--key-file",
    keyFile,
    "--hosts",
    `*=${name}`,
    "--dir",
    join(folder, "bundles"),
  ];
  return { out, args: ["gate", "seclang", ...settings, "--out", out, ...more] };
}

test("it writes once, says what became of each file, and writes nothing when nothing has changed", async () => {
  const { out, args } = argumentsFor(["--json"]);
  const { code, stdout, stderr } = await runReeve(args, {});
  assert.equal(code, 0, stderr);
  const [written] = JSON.parse(stdout).projects;
  assert.deepEqual([written.project, written.outcome, written.version, written.notes], [name, "written", 1, []]);
  assert.equal(written.file, join(out, `${name.replace("/", "~")}.conf`));
  assert.match(readFileSync(written.file, "utf8"), /^Include .*REQUEST-942-\*\.conf$/m);
  const again = await runReeve(
    args.filter((one) => one !== "--json"),
    {},
  );
  assert.equal(again.code, 0);
  assert.match(again.stdout, /^\S+ {2}unchanged {2}\S+\.conf {2}\(version 1\)$/m);
});

test("a control plane that does not answer is told by the exit code", async () => {
  // Closed, and none of the ports that fetch blocks, which would be a mistake of the setting.
  const { args } = argumentsFor([], `http://127.0.0.1:${await freePort()}`);
  const { code, stdout } = await runReeve(args, {});
  assert.equal(code, 69);
  assert.match(stdout, /NO BUNDLE: /);
});

test("a folder that cannot be written is told by its flag, and the help has the settings that the command reads", async () => {
  const { args } = argumentsFor();
  const { code, stderr } = await runReeve([...args.slice(0, -1), "/dev/null/out"], {});
  assert.equal(code, 69);
  assert.match(stderr, /^reeve: --out: expected a folder that can be written: ENOTDIR/m);
  const { stdout } = await runReeve(["gate", "seclang", "--help"], {});
  assert.match(stdout, /--hosts /);
  assert.doesNotMatch(stdout, /--upstream|--body-limit/);
});

test("flags that need others, and values that are none, are refused", async () => {
  for (const [flags, expected] of [
    [["--audit-log", "/tmp/audit.json"], "--audit-log: expected --watch as well"],
    [["--loaded", "/tmp"], "--loaded: expected --watch as well"],
    [["--paranoia", "5"], "Allowed choices are 1, 2, 3, 4"],
    [["--rules", '/crs"\nSecRuleEngine Off'], "--rules: expected an absolute path of letters, digits and ._/-"],
  ] as const) {
    const { code, stderr } = await runReeve(argumentsFor(flags).args, {});
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(expected), stderr);
  }
});

test("with --watch it follows what is published until it is told to stop", async () => {
  const { out, args } = argumentsFor(["--watch"]);
  const reeve = startReeve(args, {});
  await reeve.printed(/written/);
  const file = join(out, `${name.replace("/", "~")}.conf`);
  await world.publish(project, crsWith({ sqli: "off" }));
  await waitFor(
    "the category to be switched off",
    () => !readFileSync(file, "utf8").includes("REQUEST-942-") || undefined,
  );
  const { code } = await stopReeve(reeve);
  assert.equal(code, 0);
});
