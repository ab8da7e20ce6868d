// Where compiled code is cached: never in the temporary folder that all accounts share, where another account could plant code.
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { execFileSync } from "node:child_process";
import { startProgram } from "../cli/reeve-process.ts";

const ROOT = join(import.meta.dirname, "../..");

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-cache-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a server once, with its own temporary folder; returns the files that it left there. */
async function serveOnce(program: string, compileCache = ""): Promise<string[]> {
  const [TMPDIR, dataDir] = [makeFolder(), makeFolder()];
  const environment = { TMPDIR, NODE_COMPILE_CACHE: compileCache };
  const args = [join(ROOT, program), "serve", "--json", "--port", "0"];
  const server = startProgram(process.execPath, args, { dataDir, logLevel: "error" }, environment);
  await server.printed(/^\{.*\}$/m);
  server.child.kill("SIGTERM");
  const { code, stderr } = await server.ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(readdirSync(dataDir).toSorted(), ["master.key", "reeve.db"]);
  return readdirSync(TMPDIR);
}

test("the package stores no compiled code", async () => {
  assert.deepEqual(await serveOnce("dist/reeve.js"), []);
});

test("a checkout stores it beside its modules, for the server and its writer", async () => {
  const cache = "node_modules/.cache/compile";
  rmSync(join(ROOT, cache), { recursive: true, force: true });
  assert.deepEqual(await serveOnce("bin/reeve.js"), []);
  // One folder, which both threads share.
  assert.equal(readdirSync(join(ROOT, cache)).length, 1);
  assert.ok(globSync("*/*", { cwd: join(ROOT, cache) }).length > 100);
});

test("NODE_COMPILE_CACHE says where an operator wants it", async () => {
  const folder = makeFolder();
  assert.deepEqual(await serveOnce("dist/reeve.js", folder), []);
  assert.equal(readdirSync(folder).length, 1);
});

/** A checkout with an empty cache; its source is one small file. */
function makeCheckout() {
  const root = realpathSync(makeFolder());
  mkdirSync(join(root, "bin"));
  copyFileSync(join(ROOT, "bin/reeve.js"), join(root, "bin/reeve.js"));
  copyFileSync(join(ROOT, "package.json"), join(root, "package.json"));
  mkdirSync(join(root, "src/cli"), { recursive: true });
  writeFileSync(join(root, "src/cli/main.ts"), "export const answer: number = 42;\n");
  const parent = join(root, "node_modules/.cache");
  return { root, parent, cache: join(parent, "compile") };
}

/** Runs a command until it exits. */
function runOnce(root: string): void {
  const env = { PATH: process.env["PATH"] };
  execFileSync(
    "/bin/sh",
    ["-c", 'umask 002; exec "$@"', "sh", process.execPath, join(root, "bin/reeve.js"), "--help"],
    {
      env,
    },
  );
}

const countKept = (folder: string) =>
  globSync("**/*", { cwd: folder, withFileTypes: true }).filter((at) => at.isFile()).length;
const modeOf = (file: string) => statSync(file).mode & 0o777;

test("only its owner may enter the cache of a checkout, under any umask, and an existing cache is made private", () => {
  const { root, cache } = makeCheckout();
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  runOnce(root);
  const [version] = readdirSync(cache) as [string];
  assert.deepEqual([cache, join(cache, version)].map(modeOf), [0o700, 0o700]);
  const kept = countKept(cache);
  assert.ok(kept > 0);
  rmSync(join(cache, version, readdirSync(join(cache, version))[0] as string));
  runOnce(root);
  assert.equal(countKept(cache), kept);
});

test("a checkout caches nothing where another account may have written", () => {
  const { root, parent, cache } = makeCheckout();
  runOnce(root);
  const [version] = readdirSync(cache) as [string];
  const reset = () => {
    rmSync(cache, { recursive: true });
    mkdirSync(join(cache, version), { recursive: true });
  };
  const isUsed = () => {
    runOnce(root);
    return countKept(`${cache}/`) > 0;
  };
  reset();
  assert.equal(isUsed(), true);
  const elsewhere = realpathSync(makeFolder());
  const wrongs: Record<string, () => void> = {
    "others write into it": () => chmodSync(cache, 0o777),
    "a group writes into it": () => chmodSync(cache, 0o770),
    "others write into a version": () => chmodSync(join(cache, version), 0o777),
    "a version is a link": () => {
      rmSync(join(cache, version), { recursive: true });
      symlinkSync(elsewhere, join(cache, version));
    },
    "it is a link": () => {
      rmSync(cache, { recursive: true });
      symlinkSync(elsewhere, cache);
    },
  };
  if (process.getuid?.() === 0) {
    wrongs["it is another's"] = () => chownSync(cache, 65_534, 65_534);
    wrongs["a version is another's"] = () => chownSync(join(cache, version), 65_534, 65_534);
  }
  wrongs["others may exchange it"] = () => chmodSync(parent, 0o777);
  for (const [what, prepare] of Object.entries(wrongs)) {
    reset();
    prepare();
    assert.equal(isUsed(), false, what);
    assert.deepEqual(readdirSync(elsewhere), [], what);
  }
});
