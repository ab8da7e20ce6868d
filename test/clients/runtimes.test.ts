// The client in the other runtimes that npm carries: the package's one file, in a program that imports it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { CLIENT, EXPECTED, clientProgram } from "../client/everywhere.ts";
import { startListeningApp } from "./started-app.ts";

const MODULES = join(import.meta.dirname, "node_modules");
const MARK = "seen: ";
const IMPORT = 'import { createClient, verifyWebhook } from "./client.js";';
const PRINT = `console.log(${JSON.stringify(MARK)} + JSON.stringify(await run()));`;
/** https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
const WORKER_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = .main),
  (name = "internet", network = (allow = ["local"])),
]);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "./client.js", esModule = embed "client.js")],
  compatibilityDate = "2026-11-01",
);
`;

const run = promisify(execFile);

/** The package `bun` fetches its program when it is installed; the one that it would take is there already. */
const BUN = join(MODULES, `@oven/bun-${process.platform}-${process.arch}/bin/bun`);
const binary = (name: string) => (name === "bun" ? BUN : join(MODULES, ".bin", name));

/** Each runtime: the files that it reads, and what it is called with. */
const RUNTIMES: Readonly<Record<string, (program: string) => { files: Record<string, string>; args: string[] }>> = {
  deno: (program) => ({
    files: { "program.js": `${program}\n${PRINT}` },
    args: ["run", "--no-remote", "--allow-net=127.0.0.1", "program.js"],
  }),
  bun: (program) => ({ files: { "program.js": `${program}\n${PRINT}` }, args: ["run", "program.js"] }),
  workerd: (program) => ({
    files: {
      "worker.js": `${program}\nexport default { async test() { ${PRINT} } };`,
      "config.capnp": WORKER_CONFIG,
    },
    args: ["test", "config.capnp"],
  }),
};

for (const [name, prepare] of Object.entries(RUNTIMES)) {
  test(`in ${name} the client calls, reads a list to its end, learns what was wrong, and verifies a webhook`, async () => {
    const { url, admin } = await startListeningApp();
    const folder = mkdtempSync(join(tmpdir(), "reeve-runtime-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const { files, args } = prepare(`${IMPORT}\nasync function run() {${clientProgram(url, admin.token)}\n}`);
    for (const [file, text] of Object.entries({ ...files, "client.js": CLIENT }))
      writeFileSync(join(folder, file), text);
    const env = { PATH: process.env["PATH"], HOME: folder, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
    const { stdout } = await run(binary(name), args, { cwd: folder, env, timeout: 60_000 });
    const line = stdout.split("\n").find((one) => one.startsWith(MARK)) ?? assert.fail(stdout);
    assert.deepEqual(JSON.parse(line.slice(MARK.length)), EXPECTED);
  });
}
