// `npm run build`: dist/, the program in a few files. Finding and loading some thousand modules one by one would be most of
// the time to start, and a seventh of the memory of a server at rest (decisions/0027-one-bundle.md).
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Metafile } from "esbuild";
import { buildConsole } from "./console/build.ts";
import { renderClientTypes } from "./tools/client-types.ts";
import { CONTRACTS } from "./src/contracts.ts";

const ROOT = import.meta.dirname;
const OUTPUT = join(ROOT, "dist");
const NOTICES = "THIRD-PARTY-NOTICES.txt";
const IMPORTED = ["gate.d.ts", "client.d.ts", "client.js"];

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

/** Of packages that name a licence and leave its text out. */
const STANDARD_TEXTS: Readonly<Record<string, string>> = {
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
};

/** The authors that the repositories of these packages name, and the packages do not. */
const AUTHORS: Readonly<Record<string, string>> = {
  "@redis/client": "2022-2025, Redis, inc.",
  "koa-compose": "2013 TJ Holowaychuk",
};

/** What a package contains of others, and says nothing of. */
const INSIDE: Readonly<Record<string, string>> = { "jq-wasm": "tools/jq-notices.txt" };

/** The files with a licence, whatever the case of their names. */
function readLicenceFiles(folder: string): string[] {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file));
  return files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
}

/** The section of a README that has the licence's text. */
function readLicenceSection(folder: string): string[] {
  const file = readdirSync(folder).find((name) => /^readme(?:\.md)?$/i.test(name));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
  const [, section = ""] = /^#+ licen[cs]e\s*$([^]*)/im.exec(text) ?? [];
  return /copyright/i.test(section) && /permission|redistribution/i.test(section) ? [section.trim()] : [];
}

/** The licence's own text where its package leaves it out. */
function standardText({ name, license, author }: Manifest): string[] {
  const by = AUTHORS[name] ?? (typeof author === "string" ? author : author?.name);
  const text = STANDARD_TEXTS[license];
  if (by === undefined || text === undefined) throw new Error(`${name} (${license}) comes without a licence's text`);
  return [`Copyright (c) ${by}\n\n${text}`];
}

/** Licences ask to go with copies of what they are for. */
function renderNotices(metafile: Metafile): string {
  const notices = bundledFolders(metafile).map((path) => {
    const folder = join(ROOT, path);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
    const texts = [readLicenceFiles, readLicenceSection].map((read) => read(folder)).find(({ length }) => length > 0);
    const { name, version, license } = manifest;
    const inside = INSIDE[name] === undefined ? [] : [readFileSync(join(ROOT, INSIDE[name]), "utf8").trim()];
    return [`${name} ${version} (${license})`, ...(texts ?? standardText(manifest)), ...inside];
  });
  return ["Reeve contains these packages.", ...notices.map((parts) => parts.join("\n\n"))].join(
    `\n\n${"-".repeat(80)}\n\n`,
  );
}

/** What programs import, and the modules whose declarations are the types of it: what they import of each other is among them. */
const IMPORTS = {
  gate: {
    entry: "gate/middleware",
    modules: ["gate/gate-log", "gate/gate-options", "gate/gate-status", "gate/middleware"],
  },
  client: {
    entry: "client/exports",
    modules: ["client/error", "client/transport", "client/operations", "client/webhook", "client/client"],
  },
} as const;

/** The declarations of an import in one file. `more` is the text of modules that are left out. */
function writeTypes(name: keyof typeof IMPORTS, more = ""): void {
  const folder = mkdtempSync(join(tmpdir(), "reeve-types-"));
  const { entry, modules } = IMPORTS[name];
  try {
    const options =
      "--ignoreConfig --declaration --emitDeclarationOnly --module nodenext --target esnext --lib esnext --types node " +
      "--strict --exactOptionalPropertyTypes --allowImportingTsExtensions --verbatimModuleSyntax --skipLibCheck";
    const paths = ["--rootDir", join(ROOT, "src"), "--outDir", folder, join(ROOT, `src/${entry}.ts`)];
    execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...options.split(" "), ...paths]);
    const texts = modules.map((module) => readFileSync(join(folder, `${module}.d.ts`), "utf8"));
    // Each is exported where it is declared.
    const isOwn = (line: string) => /^(?:(?:import|export) .* from "\.\/|export (?:type )?\{[^}]*\};$)/.test(line);
    const lines = texts.flatMap((text) => text.split("\n").filter((line) => !isOwn(line)));
    writeFileSync(join(OUTPUT, `${name}.d.ts`), [...lines, more].join("\n"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Browsers load it too, so it is a file of its own that asks for nothing. */
async function buildClient(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/client/exports.ts"],
    outfile: join(OUTPUT, "client.js"),
    bundle: true,
    minify: true,
    keepNames: false,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    logLevel: "warning",
  });
}

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [
    { in: "bin/reeve.js", out: "reeve" },
    { in: "src/serve/writer.ts", out: "writer" },
    { in: "src/firewall/evaluation-worker/evaluation-worker.ts", out: "evaluation-worker" },
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
await buildClient();
writeTypes("gate");
writeTypes(
  "client",
  renderClientTypes(
    CONTRACTS.flatMap((contract) => Object.entries(contract).map(([id, endpoint]) => ({ id, endpoint }))),
  ),
);
// Not before: another process may be starting from what is there.
const built = new Set([
  NOTICES,
  ...IMPORTED,
  "console",
  ...Object.keys(metafile.outputs).map((file) => file.slice("dist/".length)),
]);
for (const file of readdirSync(OUTPUT))
  if (!built.has(file)) rmSync(join(OUTPUT, file), { recursive: true, force: true });
await buildConsole();
