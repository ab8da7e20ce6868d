#!/usr/bin/env node
// Starts Reeve: the source in a checkout, and built into dist/ the package. This one file is JavaScript so that the
// compile cache is on before the first TypeScript is read: from the second start on nothing is stripped or compiled,
// and the 18 MB that the stripper takes are never loaded.
import module from "node:module";
import { fileURLToPath } from "node:url";

// An older Node.js would stop at the first thing that it lacks, and name only that.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(`reeve: expected Node.js 24.15 or newer, got ${process.versions.node} (${process.execPath})\n`);
  process.exit(1);
}

// Whoever can write the cache decides what runs. So a checkout has it beside its modules, and never where Node.js would put
// it, in a temporary folder that all share. The package needs none; NODE_COMPILE_CACHE gives it one.
if (import.meta.url.endsWith("/bin/reeve.js")) {
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)));
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
void import("../src/main.ts");
