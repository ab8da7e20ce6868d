// `reeve run` as a process: a program gets the values of an environment, signals and its exit code go through, and what is refused.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { builtFile } from "../harness/program.ts";
import { waitFor } from "../harness/wait-for.ts";
import { freePort } from "../harness/free-port.ts";
import { PLACE, startApplicationWorld } from "./application-world.ts";
import { startReeve } from "./reeve-process.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, remote, server } = world;
const MAIN = builtFile("reeve.js");

await world.set("production", {
  DATABASE_URL: { secretValue: "postgres://app:swordfish@db/shop" },
  LOG_LEVEL: { value: "info" },
  LINES: { secretValue: "one\ntwo 'three' \"four\" $five" },
});

/** As a process: the program has its streams, and is passed its signals. */
const start = (args: readonly string[], more = {}) => startReeve(args, {}, { ...remote, ...more });
const run = async (args: readonly string[], more = {}) => await start(args, more).ended;

/** A program that prints variables as JSON. */
const PRINT = [process.execPath, "-p", "JSON.stringify(process.env)"];

/** A server that runs until it gets a signal, and then ends as it says. */
const SERVER = join(folder, "server.mjs");
writeFileSync(
  SERVER,
  `import { writeFileSync } from "node:fs";
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => { console.log("got " + signal); if (process.env.STUBBORN !== "1") process.exit(40); });
}
setInterval(() => undefined, 1_000);
console.log("level " + process.env.LOG_LEVEL + " pid " + process.pid);
`,
);
const APPLICATION = [process.execPath, SERVER];

test("a program gets the values, its own environment, and no credential of Reeve; Reeve prints nothing", async () => {
  const own = { OWN: "kept", LOG_LEVEL: "debug", REEVE_GATE_KEY: "x".repeat(20) };
  const { code, stdout, stderr } = await run(["run", ...PLACE, "--", ...PRINT], own);
  assert.deepEqual([code, stderr], [0, ""]);
  const got = JSON.parse(stdout);
  assert.equal(got.DATABASE_URL, "postgres://app:swordfish@db/shop");
  assert.equal(got.LINES, "one\ntwo 'three' \"four\" $five");
  assert.deepEqual([got.OWN, got.LOG_LEVEL, got.REEVE_SERVER], ["kept", "info", world.server.url]);
  assert.deepEqual([got.REEVE_TOKEN, got.REEVE_GATE_KEY], [undefined, undefined]);
  const kept = await run(["run", ...PLACE, "--keep", "--", ...PRINT], own);
  assert.equal(JSON.parse(kept.stdout).LOG_LEVEL, "debug");
  const some = await run(["run", ...PLACE, "--names", "LOG_LEVEL", "--", ...PRINT]);
  assert.deepEqual([JSON.parse(some.stdout).LOG_LEVEL, JSON.parse(some.stdout).DATABASE_URL], ["info", undefined]);
  const [read] = await world.events("environment-values-read");
  assert.deepEqual(read?.payload["names"], ["LOG_LEVEL"]);
});

test("what stands behind -- is the program's, flags that Reeve has too", async () => {
  const echo = [process.execPath, "-p", "process.argv.slice(1).join()", "--", "--json", "--team", "x"];
  assert.equal((await run(["run", ...PLACE, "--", ...echo])).stdout, "--json,--team,x\n");
});

test("reeve ends as the program ends: its code, or 128 and the number of its signal", async () => {
  const sh = async (line: string) => (await run(["run", ...PLACE, "--", "sh", "-c", line])).code;
  assert.equal(await sh("exit 7"), 7);
  assert.equal(await sh("kill -TERM $$"), 143);
  assert.equal(await sh("kill -KILL $$"), 137);
});

test("signals are passed on, and the program decides how it ends", async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const process = start(["run", ...PLACE, "--", ...APPLICATION]);
    await process.printed(/level info/);
    process.child.kill(signal);
    const { code, stdout, stderr } = await process.ended;
    assert.deepEqual([code, stdout.includes(`got ${signal}`), stderr], [40, true, ""]);
  }
});

test("SIGUSR1 is passed on too, and opens no debugger of reeve's own", async () => {
  const waiting = "trap 'echo got; exit 40' USR1; echo ready; while :; do sleep 0.1; done";
  const process = start(["run", ...PLACE, "--", "sh", "-c", waiting]);
  await process.printed(/ready/);
  process.child.kill("SIGUSR1");
  const { code, stdout, stderr } = await process.ended;
  assert.deepEqual([code, stdout, stderr], [40, "ready\ngot\n", ""]);
});

test("a program on a terminal gets the terminal's own signals once", async () => {
  const program = `process.on("SIGINT", () => { console.log("got"); setTimeout(() => process.exit(40), 500); }); console.log("ready")`;
  const command = ["run", ...PLACE, "--", process.execPath, "-e", `setInterval(() => 0, 1e3); ${program}`];
  const line = [process.execPath, MAIN, ...command].map((word) => `'${word}'`).join(" ");
  // Without `exec`, a shell in between would get the signal too, and some shells then end of it.
  const terminal = spawn("script", ["-qec", `exec ${line}`, "/dev/null"], { env: { ...process.env, ...world.remote } });
  let printed = "";
  terminal.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await waitFor("the program", () => printed.includes("ready") || undefined);
  terminal.stdin.write("\u0003");
  const [code] = await once(terminal, "close");
  assert.deepEqual([code, printed.match(/got/g)?.length], [40, 1], printed);
});

test("a program that is not there ends with 127, one that cannot be executed with 126", async () => {
  const missing = await world.run(["run", ...PLACE, "--", "no-such-program"]);
  assert.deepEqual(
    [missing.code, missing.stderr],
    [127, "reeve: cannot start no-such-program: there is no such program\n"],
  );
  const file = join(folder, "plain.txt");
  writeFileSync(file, "text");
  chmodSync(file, 0o644);
  const plain = await world.run(["run", ...PLACE, "--", file]);
  assert.deepEqual([plain.code, plain.stderr], [126, `reeve: cannot start ${file}: this user may not execute it\n`]);
  writeFileSync(file, "#!/no/such/interpreter\n");
  chmodSync(file, 0o755);
  const script = await world.run(["run", ...PLACE, "--", file]);
  const problem = `cannot start ${file}: there is no such program as its first line names for it`;
  assert.deepEqual([script.code, script.stderr], [127, `reeve: ${problem}\n`]);
});

test("more than the system takes is refused with the largest variables, and starts nothing", async () => {
  const large = { secretValue: "x".repeat(65_000) };
  for (const group of ["A", "B", "C"]) {
    await world.set(
      "development",
      Object.fromEntries(Array.from({ length: 12 }, (_one, index) => [group + index, large])),
    );
  }
  const mark = join(folder, "too-large");
  const place = ["--team", "acme", "--project", "shop", "--env", "development"];
  const { code, stdout, stderr } = await world.run(["run", ...place, "--", "touch", mark]);
  assert.deepEqual([code, stdout], [126, ""]);
  assert.match(
    stderr,
    /^reeve: cannot start touch: its arguments and variables are together \d{7} bytes, .* A10 \(65004\), A11 /,
  );
  assert.match(stderr, /--names passes chosen values only\n$/);
  assert.ok(!existsSync(mark) && !stderr.includes("xxxx"));
  assert.equal((await world.run(["run", ...place, "--names", "A1", "--", "touch", mark])).code, 0);
});

test("a mistyped name starts nothing, and the one that was probably meant is said", async () => {
  const mark = join(folder, "mistyped");
  for (const [place, message] of [
    [["acme", "shpo", "production"], 'has no project "shpo" for this credential (--project); did you mean shop?'],
    [
      ["acme", "shop", "prodution"],
      'has no environment "prodution" of shop for this credential (--env); did you mean production?',
    ],
    [["acm", "shop", "production"], 'has no team "acm" for this credential (--team); did you mean acme?'],
    [["acme", "warehouse", "production"], 'has no project "warehouse" for this credential (--project); `reeve'],
  ] as const) {
    const [team, project, environment] = place;
    const flags = ["--team", team, "--project", project, "--env", environment];
    for (const more of [[], ["--allow-empty"], ["--offline-max-age", "1h"]]) {
      const { code, stdout, stderr } = await world.run(["run", ...flags, ...more, "--", "touch", mark]);
      assert.deepEqual([code, stdout, stderr.startsWith(`reeve: ${server.url} ${message}`)], [6, "", true], stderr);
    }
  }
  assert.ok(!existsSync(mark));
});

test("an environment without values starts nothing, unless --allow-empty is given", async () => {
  const empty = ["--team", "acme", "--project", "shop", "--env", "preview"];
  const mark = join(folder, "empty");
  const refused = await world.run(["run", ...empty, "--", "touch", mark]);
  const message = "preview of shop has no values for this credential: --allow-empty starts the program without them";
  assert.deepEqual(refused, { code: 3, stdout: "", stderr: `reeve: ${message}\n` });
  assert.ok(!existsSync(mark));
  const allowed = await world.run(["run", ...empty, "--allow-empty", "--", "touch", mark]);
  assert.deepEqual(allowed, { code: 0, stdout: "", stderr: "" });
  assert.ok(existsSync(mark));
});

test("a wrong command line, environment, credential or server starts nothing", async () => {
  const mark = join(folder, "started");
  const program = ["--", "touch", mark];
  const expectEnd = async (args: readonly string[], code: number, message: RegExp, more = {}) => {
    const ended = await world.run(args, more);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
    assert.equal(ended.stdout, "");
  };
  await expectEnd(["run", ...PLACE], 2, /^reeve: <command>: expected a program after --/);
  const unmarked = ["run", ...PLACE, "node", "-e", "x"];
  // The program's -e is no --env.
  await expectEnd(unmarked, 2, /^reeve: the program and its arguments follow --: expected -- before it, got "node"$/m);
  await expectEnd(["run", ...PLACE, "node", "--", "x"], 2, /expected -- before it, got "node"$/m);
  await expectEnd(["run", ...PLACE, "--", ""], 2, /^reeve: <command>: expected a program after --/);
  await expectEnd(["run", "--env", "production", ...program], 2, /^reeve: --project: expected/);
  await expectEnd(["run", "--project", "shop", ...program], 2, /^reeve: --env: expected/);
  const interval = ["run", ...PLACE, "--watch-interval", "often", ...program];
  await expectEnd(interval, 2, /^reeve: --watch-interval: expected a span/);
  for (const flag of ["--watch-interval", "--stop-timeout"]) {
    await expectEnd(
      ["run", ...PLACE, flag, "25d", ...program],
      2,
      /^reeve: --(?:watch-interval|stop-timeout): expected .* at most 24d/,
    );
  }
  await expectEnd(["run", ...PLACE, "--names", "", ...program], 2, /^reeve: --names: expected a value/);
  for (const names of ["PORT,", "NOT A NAME", "1ST"]) {
    await expectEnd(["run", ...PLACE, "--names", names, ...program], 2, /^reeve: --names: expected names of values/);
  }
  const nowhere = ["run", "--team", "acme", "--project", "shop", "--env", "nowhere", ...program];
  await expectEnd(nowhere, 6, /has no environment "nowhere" of shop for this credential \(--env\); `reeve env/);
  await expectEnd(["run", ...PLACE, "--names", "NOPE", ...program], 7, /NOPE \(there is no such entry\)/);
  const wrong = { REEVE_TOKEN: "x".repeat(40) };
  await expectEnd(["run", ...PLACE, ...program], 5, /does not accept the token of REEVE_TOKEN/, wrong);
  const elsewhere = { REEVE_SERVER: `http://127.0.0.1:${await freePort()}` };
  await expectEnd(["run", ...PLACE, ...program], 69, /cannot reach .*: nothing listens there/, elsewhere);
  const narrow = await world.createKey({ permissions: ["environment:read"] });
  await expectEnd(["run", ...PLACE, ...program], 5, /refuses/, { REEVE_TOKEN: narrow.value });
  const ofElsewhere = await world.createKey({ allowedCidrs: ["192.0.2.0/24"] });
  const address = /REEVE_TOKEN: the credential is unknown, expired, revoked, or may not be used from this address; set/;
  await expectEnd(["run", ...PLACE, ...program], 5, address, { REEVE_TOKEN: ofElsewhere.value });
  assert.throws(() => readFileSync(mark));
});

test("a key for one environment runs its program and no other's", async () => {
  const limits = { permissions: ["environment:read", "secret:reveal"], projects: ["shop"], environments: ["preview"] };
  const key = await world.createKey(limits);
  const more = { REEVE_TOKEN: key.value };
  const preview = ["--team", "acme", "--project", "shop", "--env", "preview"];
  assert.equal((await world.run(["run", ...preview, "--allow-empty", "--", "true"], more)).code, 0);
  assert.equal((await world.run(["run", ...PLACE, "--", "true"], more)).code, 6);
});

test("--watch starts the program again when a value has changed, and not for a change that keeps it", async () => {
  const flags = ["--watch", "--watch-interval", "1s"];
  const process = start(["run", ...PLACE, ...flags, "--", ...APPLICATION]);
  const [, first] = await process.printed(/level info pid (\d+)/);
  const reads = (await world.events("environment-values-read")).length;
  await world.set("production", { LOG_LEVEL: { value: "info", comment: "as before" } as { value: string } });
  await waitFor("a look at the unchanged values", async () => {
    return (await world.events("environment-values-read")).length > reads || undefined;
  });
  assert.doesNotMatch(process.logged(), /starts again/);
  await world.set("production", { LOG_LEVEL: { value: "warn" } });
  const [, second] = await process.printed(/level warn pid (\d+)/);
  assert.notEqual(second, first);
  assert.equal(process.logged(), "reeve: changed: LOG_LEVEL; the program starts again\n");
  process.child.kill("SIGTERM");
  const { code, stdout } = await process.ended;
  assert.equal(code, 40);
  assert.equal(stdout.match(/got SIGTERM/g)?.length, 2);
  await world.set("production", { LOG_LEVEL: { value: "info" } });
});

test("--watch: the program goes on when its environment has no values any more, which is said once", async () => {
  await world.set("preview", { LOG_LEVEL: { value: "info" } });
  const place = ["--team", "acme", "--project", "shop", "--env", "preview"];
  const process = start(["run", ...place, "--watch", "--watch-interval", "1s", "--", ...APPLICATION]);
  await process.printed(/level info pid/);
  await world.set("preview", {}, ["LOG_LEVEL"]);
  await waitFor("a remark", () => process.logged() || undefined);
  await world.set("preview", { LOG_LEVEL: { value: "warn" } });
  await process.printed(/level warn pid/);
  const empty = "preview of shop has no values for this credential: --allow-empty starts the program without them";
  assert.equal(
    process.logged(),
    `reeve: ${empty}; the program goes on with the values that it has\nreeve: changed: LOG_LEVEL; the program starts again\n`,
  );
  process.child.kill("SIGTERM");
  await process.ended;
  await world.set("preview", {}, ["LOG_LEVEL"]);
});

test("--watch kills a program that does not stop in time", async () => {
  const flags = ["--watch", "--watch-interval", "1s", "--stop-timeout", "3s"];
  const process = start(["run", ...PLACE, ...flags, "--", ...APPLICATION], { STUBBORN: "1" });
  await process.printed(/level info/);
  await world.set("production", { LOG_LEVEL: { value: "error" } });
  const [, pid] = await process.printed(/level error pid (\d+)/);
  globalThis.process.kill(Number(pid), "SIGKILL");
  const { code, stdout } = await process.ended;
  assert.deepEqual([code, stdout.match(/got SIGTERM/g)?.length], [137, 1]);
  await world.set("production", { LOG_LEVEL: { value: "info" } });
});

test("--watch: the program goes on while the server refuses, which is said once", async () => {
  const key = await world.createKey({ permissions: ["environment:read", "secret:reveal"] });
  const flags = ["--watch", "--watch-interval", "1s"];
  const process = start(["run", ...PLACE, ...flags, "--", ...APPLICATION], { REEVE_TOKEN: key.value });
  await process.printed(/level info/);
  assert.equal((await world.call("DELETE", `/v1/api-keys/${key.id}?slug=acme`)).status, 200);
  await waitFor("the remark", () => process.logged().includes("the program goes on") || undefined);
  process.child.kill("SIGTERM");
  const { code, stderr } = await process.ended;
  assert.deepEqual([code, stderr.trim().split("\n").length], [40, 1]);
});
