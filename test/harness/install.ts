// Installs the packages of a folder with its own lockfile, if they are missing or the lockfile has changed: programs of others
// that tests run beside Reeve, and that the project's own `npm ci` does not install.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const INSTALL_TIMEOUT_MS = 300_000;

/** Makes the folder's node_modules match its lockfile; throws with npm's output on failure. */
export async function installLocked(folder: string): Promise<void> {
  const lockfile = join(folder, "package-lock.json");
  // The lockfile of the last complete installation; `npm ci` removes it together with the rest of node_modules.
  const installed = join(folder, "node_modules", ".installed-lockfile.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lockfile, "utf8")) return;
  console.log(`Installing what ${folder} names (once)`);
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", args, { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    throw new Error(`npm ci failed in ${folder}: ${(error as Error).message}`, { cause: error });
  }
  copyFileSync(lockfile, installed);
}
