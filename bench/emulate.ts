// The peer: the npm package `emulate`, which answers the same user and team calls from memory. It is no dependency of the
// project; it has a lockfile of its own in bench/peers and is installed when it is first measured.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../test/free-port.ts";
import { installLocked } from "../test/install.ts";
import manifest from "./peers/package.json" with { type: "json" };
import { startListening } from "./processes.ts";
import type { ServerProcess } from "./processes.ts";

/** With its version, which bench/peers/package.json fixes. */
export const PEER = `emulate ${manifest.dependencies.emulate}`;

const FOLDER = join(import.meta.dirname, "peers");
const PROGRAM = join(FOLDER, "node_modules/emulate/dist/index.js");
/** The user that it always has. */
const LOGIN = "admin";
/** It answers 403 when an hour's requests of a token are used up. */
export const REQUESTS_PER_TOKEN = 4_999;

/** Why it cannot be installed; null when it is. */
export function installEmulate(): string | null {
  try {
    installLocked(FOLDER);
    return null;
  } catch (error) {
    return (error as Error).message.split("\n")[0] ?? "";
  }
}

/** Starts it with teams of the one user whom all tokens stand for. */
export async function startEmulate(folder: string, teams: number, tokens: readonly string[]): Promise<ServerProcess> {
  const seed = join(folder, `emulate-${teams}.json`);
  writeFileSync(
    seed,
    JSON.stringify({
      tokens: Object.fromEntries(tokens.map((token) => [token, { login: LOGIN, scopes: [] }])),
      vercel: { teams: Array.from({ length: teams }, (_, at) => ({ slug: `team-${at}`, name: `team-${at}` })) },
    }),
  );
  const port = await freePort();
  const args = [PROGRAM, "--service", "vercel", "--port", String(port), "--seed", seed];
  return await startListening(port, tokens[0] as string, () =>
    spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }),
  );
}
