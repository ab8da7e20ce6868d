#!/usr/bin/env node
// Starts Reeve: the source in a checkout, and built into dist/ the package. This one file is JavaScript so that the
// compile cache is on before the first TypeScript is read: from the second start on nothing is stripped or compiled,
// and the 18 MB that the stripper takes are never loaded.
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// An older Node.js would stop at the first thing that it lacks, and name only that.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(`reeve: expected Node.js 24.15 or newer, got ${process.versions.node} (${process.execPath})\n`);
  process.exit(1);
}

// Whoever can write the cache decides what runs. So a checkout has it beside its modules, and never where Node.js would put
// it, in a temporary folder that all share. The package needs none; NODE_COMPILE_CACHE gives it one.
if (import.meta.url.endsWith("/bin/reeve.js") && module.getCompileCacheDir() === undefined) {
  keepCompiled(fileURLToPath(new URL("../node_modules/.cache", import.meta.url)));
}

/** Whether it is a folder, and no link to one, that no other account may change. */
function isOwn(folder) {
  const facts = lstatSync(folder);
  // Without accounts of this kind the system knows no such modes.
  if (!facts.isDirectory() || process.getuid === undefined) return facts.isDirectory();
  return facts.uid === process.getuid() && (facts.mode & 0o022) === 0;
}

/** Keeps compiled code in a folder of `parent` that only its owner may enter; where another account could have written, none. */
function keepCompiled(parent) {
  const folder = join(parent, "compile");
  const forOwner = { recursive: true, mode: 0o700 };
  try {
    mkdirSync(parent, forOwner);
    if (!isOwn(parent)) return;
    mkdirSync(folder, forOwner);
    // A folder for each version of Node.js.
    if (!isOwn(folder) || !readdirSync(folder).every((version) => isOwn(join(folder, version)))) return;
    chmodSync(folder, 0o700);
    module.enableCompileCache(folder);
    const version = module.getCompileCacheDir();
    if (version !== undefined) chmodSync(version, 0o700);
  } catch {
    // What cannot be written keeps nothing, and starts all the same.
  }
}

// npm ends on SIGTERM without passing it on; a server that it started ends with it instead of living on unseen.
if (process.env["npm_lifecycle_event"] !== undefined) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 250).unref();
}

// Not awaited here: a Node.js too old to know `await` outside of functions would say that instead of what it is.
void import("../src/cli/main.ts");
