// The peer: the npm package `emulate`, which answers the same calls for users and teams from memory. It is no dependency of the project:
// it has a lockfile of its own in bench/peers, and is installed when it is first measured.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../test/harness/free-port.ts";
import { installLocked } from "../test/harness/install.ts";
import manifest from "./peers/package.json" with { type: "json" };
import { startListening } from "./processes.ts";
import type { ServerProcess } from "./processes.ts";

/** With its version, which bench/peers/package.json fixes. */
export const PEER = `emulate ${manifest.dependencies.emulate}`;

const FOLDER = join(import.meta.dirname, "peers");
const PROGRAM = join(FOLDER, "node_modules/emulate/dist/index.js");
/** The user that it always has. */
const LOGIN = "admin";

/** Starts it with teams of its one user, whom all tokens stand for. It answers 403 after 5 000 requests of a token in an hour. */
export async function startEmulate(
  folder: string,
  slugs: readonly string[],
  tokens: readonly string[],
): Promise<ServerProcess> {
  await installLocked(FOLDER);
  const seed = join(folder, "emulate.json");
  writeFileSync(
    seed,
    JSON.stringify({
      tokens: Object.fromEntries(tokens.map((token) => [token, { login: LOGIN, scopes: [] }])),
      vercel: { teams: slugs.map((slug) => ({ slug, name: slug })) },
    }),
  );
  const port = await freePort();
  const args = [PROGRAM, "--service", "vercel", "--port", String(port), "--seed", seed];
  return await startListening(port, tokens[0] as string, () =>
    spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }),
  );
}
