// `npm test` in a checkout that its owner alone may enter, with a space in its path, under a umask that leaves others nothing: it passes
// on both engines, for another account than root, and leaves the machine as it was.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import type { Account } from "../harness/small-disk.ts";

const ROOT = join(import.meta.dirname, "../..");
/** One file that starts the built program, and one that shares a process. */
const FILES = ["test/faults/few-open-files", "src/serve/config/config.test"];
/** 270 MB that those files do not need, and the cache, which other processes write to. */
const NOT_COPIED =
  /^(?:\.git|dist|reeve-data|(?:test\/clients|test\/generators)\/node_modules|node_modules\/(?:\.cache|node|@ox.*|@redocly|@sparticuz))$/;

const folder = mkdtempSync(join(tmpdir(), "reeve-checkout-"));
after(() => rmSync(folder, { recursive: true, force: true }));
chmodSync(folder, 0o755);
const checkout = join(folder, "a checkout");
const node = join(checkout, "node");
// The suite's own temporary folder, to see what it leaves in it.
const temporary = join(folder, "temporary");

mkdirSync(checkout, { mode: 0o700 });
cpSync(ROOT, checkout, {
  recursive: true,
  verbatimSymlinks: true,
  mode: constants.COPYFILE_FICLONE,
  filter: (file) => !NOT_COPIED.test(relative(ROOT, file)),
});
chmodSync(checkout, 0o700);
copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);

/** Runs a program of the checkout as its owner, without this suite's environment. */
function start(args: readonly string[], account: Account | undefined) {
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  const env = { PATH: process.env["PATH"], HOME: checkout, TMPDIR: temporary };
  return spawn("/bin/sh", ["-c", 'umask 077; exec "$@"', "sh", node, ...args], {
    ...account,
    cwd: checkout,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function runSuite(account: Account | undefined): Promise<void> {
  const accounts = readFileSync("/etc/passwd", "utf8");
  const suite = start(["test/run.ts", ...FILES], account);
  const [stdout, stderr, [code]] = await Promise.all([text(suite.stdout), text(suite.stderr), once(suite, "close")]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /^== sqlite: 2 files$[^]*^== postgres: 1 files$[^]*^\d+ passed, 0 failed$/m);
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal(readFileSync("/etc/passwd", "utf8"), accounts);
}

/** Ends a program while its PostgreSQL runs: PostgreSQL ends too, and leaves nothing. */
async function interrupt(signal: NodeJS.Signals, account: Account | undefined): Promise<void> {
  const program = `const { startPostgres } = await import("./test/postgres/server.ts");
const { url } = await startPostgres();
console.log(url);
setInterval(() => undefined, 1_000);`;
  const child = start(["--input-type=module", "--eval", program], account);
  const complaints = text(child.stderr);
  const [url] = await Promise.race([once(child.stdout, "data"), once(child, "close")]);
  assert.match(String(url), /^postgres:/, url instanceof Buffer ? "" : await complaints);
  child.kill(signal);
  await once(child, "close");
  assert.deepEqual(readdirSync(temporary), []);
}

test("no file takes a URL for a path, where a space is %20", () => {
  const files = globSync("{src,test,bench}/**/*.ts", { cwd: ROOT, exclude: ["**/node_modules/**"] });
  const taken = files.filter((file) => /import\.meta\.url\)\.pathname/.test(readFileSync(join(ROOT, file), "utf8")));
  assert.deepEqual(taken, []);
});

/** Root may enter any folder; undefined: this runs as another account. */
function ordinaryAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, "nobody"]))) as [number, number];
  execFileSync("chown", ["-R", `${uid}:${gid}`, checkout]);
  return { uid, gid };
}

test("the suite runs in a folder that only its owner may enter", async () => {
  const account = ordinaryAccount();
  await runSuite(account);
  for (const signal of ["SIGINT", "SIGTERM"] as const) await interrupt(signal, account);
});
