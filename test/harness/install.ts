// Installs what a folder with a lockfile of its own names, when it is missing or belongs to another lockfile: programs of
// others that are run beside Reeve and that the project's own `npm ci` stays free of.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const INSTALL_TIMEOUT_MS = 300_000;

/** Brings the folder's node_modules to what its lockfile says; throws with npm's output when npm cannot. */
export function installLocked(folder: string): void {
  const lockfile = join(folder, "package-lock.json");
  // Of the last complete installation; `npm ci` removes it together with the rest of node_modules.
  const installed = join(folder, "node_modules", ".installed-lockfile.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lockfile, "utf8")) return;
  console.log(`Installing what ${folder} names (once)`);
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (npm.status !== 0) {
    throw new Error(`npm ci failed in ${folder}: ${npm.error?.message ?? `${npm.stdout}${npm.stderr}`}`);
  }
  copyFileSync(lockfile, installed);
}
