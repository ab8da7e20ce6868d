// Where compiled code is kept: never in the temporary folder that all accounts share, where another one could plant code.
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startProgram } from "../cli/reeve-process.ts";

const ROOT = join(import.meta.dirname, "../..");

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-cache-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Serves once, from start to end, in a temporary folder of its own; answers what it left there. */
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

test("the package keeps no compiled code", async () => {
  assert.deepEqual(await serveOnce("dist/reeve.js"), []);
});

test("a checkout keeps it beside its modules, of the server and of its writer", async () => {
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
