// Installs the public clients of this folder when they are missing or belong to another lockfile. They weigh 900 MB,
// so the project's own `npm ci` stays free of them. `overrides` replaces what vercel 64 asks for and does not use here: a
// version of a dependency that the registry does not have, and programs of 160 MB, for which a tiny package stands in.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = import.meta.dirname;
const LOCKFILE = join(FOLDER, "package-lock.json");
/** The lockfile of the last complete installation; `npm ci` removes it together with the rest of node_modules. */
const INSTALLED_LOCKFILE = join(FOLDER, "node_modules", ".installed-lockfile.json");
const INSTALL_TIMEOUT_MS = 300_000;

function isInstalled(): boolean {
  return existsSync(INSTALLED_LOCKFILE) && readFileSync(INSTALLED_LOCKFILE, "utf8") === readFileSync(LOCKFILE, "utf8");
}

/** Brings test/clients/node_modules to what its lockfile says; throws with npm's output when npm cannot. */
export function installClients(): void {
  if (isInstalled()) return;
  console.log("Installing the public clients of test/clients (once)");
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: FOLDER,
    encoding: "utf8",
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (npm.status !== 0) {
    throw new Error(`npm ci failed in test/clients: ${npm.error?.message ?? `${npm.stdout}${npm.stderr}`}`);
  }
  copyFileSync(LOCKFILE, INSTALLED_LOCKFILE);
}
