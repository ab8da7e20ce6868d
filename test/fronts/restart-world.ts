// Two processes of Reeve on one PostgreSQL, each on an address that stays, as a supervisor restarts them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Flags } from "../../src/serve/config/config.ts";
import { NODE_BUNDLE } from "../../tools/node-bundle.ts";
import { serveReeve, startProgram, stopReeve } from "../cli/reeve-process.ts";
import type { ReeveProcess } from "../cli/reeve-process.ts";
import { atExit } from "../harness/at-exit.ts";
import { freePort } from "../harness/free-port.ts";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";

export const ADMIN_TOKEN = "an_administrators_token_of_this_test_file";

/** The releases, where they find the packages of this checkout. */
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
mkdirSync(CACHE, { recursive: true });
const FOLDER = mkdtempSync(join(CACHE, "releases-"));
atExit(() => rmSync(FOLDER, { recursive: true, force: true }));
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export type Release = "last" | "present" | "newer";

export type Which = 0 | 1;

export interface Pair {
  /** `address:port` of each. */
  readonly addresses: readonly string[];
  /** The URL of the first process. */
  readonly url: string;
  /** Stops a process, starts it again as another release, and waits until it is ready: `systemctl restart` and step 2 of docs/scaling.md. */
  restart(which: Which, release: Release): Promise<void>;
  /** What a process itself says of its readiness. */
  ready(which: Which): Promise<string>;
}

/** Two processes of the last release. */
export async function openPair(): Promise<Pair> {
  const storage = await createStorage();
  const flags: Flags = {
    ...storage.flags,
    bootstrapToken: ADMIN_TOKEN,
    trustedProxies: "127.0.0.1",
    publicUrl: "https://localhost",
    rateLimit: "0",
    // The least that docs/scaling.md asks for.
    drain: "3",
  };
  const [last, newer] = [join(FOLDER, "last"), join(FOLDER, "newer")];
  mkdirSync(last);
  // Made by tools/keep-release.ts.
  execFileSync("tar", ["-xzf", fileOf("last-release.tgz"), "-C", last]);
  await build({
    entryPoints: { reeve: fileOf("newer-release.ts") },
    outdir: newer,
    ...NODE_BUNDLE,
    packages: "external",
  });
  const ports = [await freePort(), await freePort()];
  const start = async (port: number, release: Release): Promise<ReeveProcess> => {
    if (release === "present") return await serveReeve(flags, {}, [], ["--port", String(port)]);
    const args = [join(FOLDER, release, "reeve.js"), "serve", "--json", "--port", String(port)];
    const reeve = startProgram(process.execPath, args, { ...flags, logLevel: "error" }, {});
    await reeve.printed(/^\{.*\}$/m);
    return reeve;
  };
  const readyOf = async (which: Which) => await fetch(`http://127.0.0.1:${ports[which]}/health/ready`);
  // Each may create the schema; the other one waits for it.
  const servers = await Promise.all(ports.map((port) => start(port, "last")));
  after(async () => {
    for (const server of servers) await stopReeve(server, "SIGKILL");
    await storage.remove();
  });
  return {
    addresses: ports.map((port) => `127.0.0.1:${port}`),
    url: `http://127.0.0.1:${ports[0]}`,
    async restart(which, release) {
      const { code, stderr } = await stopReeve(servers[which] as ReeveProcess);
      assert.equal(code, 0, stderr);
      servers[which] = await start(ports[which] as number, release);
      await waitFor("the process to be ready", async () => (await readyOf(which)).ok);
    },
    ready: async (which) => await (await readyOf(which)).text(),
  };
}
