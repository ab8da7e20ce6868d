// A folder as programs have it that use a package of Reeve, and the compiler there.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { builtFile } from "../harness/program.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
const STRICT =
  "--ignoreConfig --module nodenext --target esnext --types node --strict --exactOptionalPropertyTypes --noEmit";

/** Puts `@reeve-hq/client` into a folder `node_modules`, from what is built. */
export function addClient(packages: string): void {
  const alone = join(packages, "@reeve-hq/client");
  mkdirSync(alone, { recursive: true });
  const exports = { types: "./index.d.ts", default: "./index.js" };
  writeFileSync(join(alone, "package.json"), JSON.stringify({ type: "module", exports }));
  for (const end of ["js", "d.ts"]) copyFileSync(builtFile(`client.${end}`), join(alone, `index.${end}`));
}

/** Links packages of the checkout into a folder `node_modules`. */
export function linkPackages(packages: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
  }
}

/** What the compiler says of files in a folder, strictly: nothing where all is well. */
export function compileStrictly(cwd: string, names: readonly string[], more: readonly string[] = []): string {
  try {
    const args = [TSC, ...STRICT.split(" "), ...more, ...names.map((name) => join(cwd, name))];
    execFileSync(process.execPath, args, { cwd, stdio: "pipe" });
    return "";
  } catch (error) {
    return String((error as { readonly stdout: Buffer }).stdout);
  }
}
