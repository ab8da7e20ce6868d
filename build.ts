// `npm run build`: dist/, the program in a few files. Finding and loading some thousand modules one by one would be most of
// the time to start, and a seventh of the memory of a server at rest (decisions/0027-one-bundle.md).
import { globSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Metafile } from "esbuild";
import { buildConsole } from "./console/build.ts";

const ROOT = import.meta.dirname;
const OUTPUT = join(ROOT, "dist");
const NOTICES = "THIRD-PARTY-NOTICES.txt";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The packages that went into the bundle: their folders under node_modules. */
function bundledFolders({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

/** Licences ask to go with copies of what they are for. */
function renderNotices(metafile: Metafile): string {
  const notices = bundledFolders(metafile).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest;
    const texts = globSync(join(ROOT, folder, "{LICENSE,LICENCE,license,licence,NOTICE}*"));
    return [`${name} ${version} (${license})`, ...texts.toSorted().map((file) => readFileSync(file, "utf8").trim())];
  });
  return ["Reeve contains these packages.", ...notices.map((parts) => parts.join("\n\n"))].join(
    `\n\n${"-".repeat(80)}\n\n`,
  );
}

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ["bin/reeve.js", "src/server/writer.ts", "src/server/evaluation/evaluation-worker.ts"],
  entryNames: "[name]",
  outdir: OUTPUT,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24.15",
  // `typebox/schema` is loaded with `require` at the first check, which no bundler sees; the builders are in the bundle.
  external: ["typebox/schema", "pg-native"],
  // Bundled CommonJS asks for what comes with Node.js.
  banner: {
    js: `import { createRequire as bundleRequire } from "node:module"; const require = bundleRequire(import.meta.url);`,
  },
  metafile: true,
  logLevel: "warning",
});
writeFileSync(join(OUTPUT, NOTICES), renderNotices(metafile));
// Not before: another process may be starting from what is there.
const built = new Set([NOTICES, "console", ...Object.keys(metafile.outputs).map((file) => file.slice("dist/".length))]);
for (const file of readdirSync(OUTPUT))
  if (!built.has(file)) rmSync(join(OUTPUT, file), { recursive: true, force: true });
await buildConsole();
