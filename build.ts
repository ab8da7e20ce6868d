// `npm run build`: dist/, the program in a few files. Finding and loading some thousand modules one by one would be most of
// the time to start, and a seventh of the memory of a server at rest (decisions/0027-one-bundle.md).
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Metafile } from "esbuild";
import { buildConsole } from "./console/build.ts";

const ROOT = import.meta.dirname;
const OUTPUT = join(ROOT, "dist");
const NOTICES = "THIRD-PARTY-NOTICES.txt";
/** The types of `reeve/gate`. */
const TYPES = "gate.d.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
}

/** The packages that went into the bundle: their folders under node_modules. */
function bundledFolders({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

/** Of packages that name it and leave its text out. */
const ISC = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;

/** The licence's own text where its package leaves it out. */
function standardText({ license, author }: Manifest): string[] {
  const by = typeof author === "string" ? author : author?.name;
  return license === "ISC" && by !== undefined ? [`Copyright (c) ${by}\n\n${ISC}`] : [];
}

/** Licences ask to go with copies of what they are for. */
function renderNotices(metafile: Metafile): string {
  const notices = bundledFolders(metafile).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest;
    const files = globSync(join(ROOT, folder, "{LICENSE,LICENCE,license,licence,NOTICE}*"));
    const texts = files.toSorted().map((file) => readFileSync(file, "utf8").trim());
    const { name, version, license } = manifest;
    return [`${name} ${version} (${license})`, ...(texts.length > 0 ? texts : standardText(manifest))];
  });
  return ["Reeve contains these packages.", ...notices.map((parts) => parts.join("\n\n"))].join(
    `\n\n${"-".repeat(80)}\n\n`,
  );
}

/** The declarations of the modules that programs import, in one file: what they import of each other is in it too. */
function writeGateTypes(): void {
  const folder = mkdtempSync(join(tmpdir(), "reeve-types-"));
  const modules = ["gate-log", "gate-options", "middleware"];
  try {
    const options =
      "--ignoreConfig --declaration --emitDeclarationOnly --module nodenext --target esnext --lib esnext --types node " +
      "--strict --exactOptionalPropertyTypes --allowImportingTsExtensions --verbatimModuleSyntax --skipLibCheck";
    const paths = ["--rootDir", join(ROOT, "src"), "--outDir", folder, join(ROOT, "src/gate/middleware.ts")];
    execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...options.split(" "), ...paths]);
    const texts = modules.map((name) => readFileSync(join(folder, "gate", `${name}.d.ts`), "utf8"));
    const isOwnImport = (line: string) => /^import .* from "\.\//.test(line);
    const lines = texts.flatMap((text) => text.split("\n").filter((line) => !isOwnImport(line)));
    writeFileSync(join(OUTPUT, TYPES), lines.join("\n"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [
    { in: "bin/reeve.js", out: "reeve" },
    { in: "src/server/writer.ts", out: "writer" },
    { in: "src/server/evaluation/evaluation-worker.ts", out: "evaluation-worker" },
    { in: "src/gate/middleware.ts", out: "gate" },
  ],
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
writeGateTypes();
// Not before: another process may be starting from what is there.
const built = new Set([
  NOTICES,
  TYPES,
  "console",
  ...Object.keys(metafile.outputs).map((file) => file.slice("dist/".length)),
]);
for (const file of readdirSync(OUTPUT))
  if (!built.has(file)) rmSync(join(OUTPUT, file), { recursive: true, force: true });
await buildConsole();
