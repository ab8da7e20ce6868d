// Two processes of Reeve on one PostgreSQL, each on an address that stays, as a supervisor restarts them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Flags } from "../../src/serve/config/config.ts";
import { SAME_KEY_MS } from "../../src/serve/shutdown.ts";
import { serveReeve, startProgram, stopReeve } from "../cli/reeve-process.ts";
import type { ReeveProcess } from "../cli/reeve-process.ts";
import { atExit } from "../harness/at-exit.ts";
import { freePort } from "../harness/free-port.ts";
import { createStorage } from "../harness/test-app.ts";

export const ADMIN_TOKEN = "an_administrators_token_of_this_test_file";

/** The program from its sources: in the package nothing can be put before it. */
const PROGRAM = fileURLToPath(new URL("../../bin/reeve.js", import.meta.url));
const NEWER = new URL("newer-release.ts", import.meta.url).href;

/** The server of the last release, made by tools/keep-release.ts, where it finds the packages of this checkout. */
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
mkdirSync(CACHE, { recursive: true });
const LAST = mkdtempSync(join(CACHE, "last-release-"));
atExit(() => rmSync(LAST, { recursive: true, force: true }));
execFileSync("tar", ["-xzf", fileURLToPath(new URL("last-release.tgz", import.meta.url)), "-C", LAST]);

export type Release = "last" | "present" | "newer";

const PROGRAMS: Readonly<Record<Exclude<Release, "present">, readonly string[]>> = {
  last: [join(LAST, "reeve.js")],
  newer: ["--import", NEWER, PROGRAM],
};

export type Which = 0 | 1;

export interface Pair {
  /** `address:port` of each. */
  readonly addresses: readonly string[];
  /** The URL of the first process. */
  readonly url: string;
  /** Tells a process to stop, lets it drain until `isSeen`, and starts it again as another release. */
  restart(which: Which, isSeen: () => Promise<void>, release: Release): Promise<void>;
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
    // Ended by a signal.
    drain: "3600",
  };
  const ports = [await freePort(), await freePort()];
  const start = async (port: number, release: Release): Promise<ReeveProcess> => {
    if (release === "present") return await serveReeve(flags, {}, [], ["--port", String(port)]);
    const args = [...PROGRAMS[release], "serve", "--json", "--port", String(port)];
    const reeve = startProgram(process.execPath, args, { ...flags, logLevel: "error" }, {});
    await reeve.printed(/^\{.*\}$/m);
    return reeve;
  };
  const servers: ReeveProcess[] = [];
  for (const port of ports) servers.push(await start(port, "last"));
  after(async () => {
    for (const server of servers) await stopReeve(server, "SIGKILL");
    await storage.remove();
  });
  return {
    addresses: ports.map((port) => `127.0.0.1:${port}`),
    url: `http://127.0.0.1:${ports[0]}`,
    async restart(which, isSeen, release) {
      const [server, port] = [servers[which] as ReeveProcess, ports[which] as number];
      server.child.kill("SIGTERM");
      await isSeen();
      // An earlier second signal would count as the first.
      await setTimeout(2 * SAME_KEY_MS);
      const { code, stderr } = await stopReeve(server);
      assert.equal(code, 0, stderr);
      servers[which] = await start(port, release);
    },
    ready: async (which) => await (await fetch(`http://127.0.0.1:${ports[which]}/health/ready`)).text(),
  };
}
