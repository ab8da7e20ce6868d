// `npm run build`: dist/, the program in a few files. Finding and loading some thousand modules one by one would be most of
// the time to start, and a seventh of the memory of a server at rest (decisions/0027-one-bundle.md).
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { buildConsole } from "./console/build.ts";
import { buildDocumentation } from "./tools/documentation/site.ts";
import { renderClientTypes } from "./tools/client-types.ts";
import { NODE_BUNDLE, WITH_REQUIRE } from "./tools/node-bundle.ts";
import { NOTICES, renderNotices } from "./tools/notices.ts";
import { CONTRACTS } from "./src/contracts.ts";

const ROOT = import.meta.dirname;
const OUTPUT = join(ROOT, "dist");
const IMPORTED = ["gate.d.ts", "client.d.ts", "client.js"];

/** What programs import, and the modules whose declarations are the types of it: what they import of each other is among them. */
const IMPORTS = {
  gate: {
    entry: "gate/middleware",
    modules: ["gate/gate-log", "gate/gate-options", "gate/gate-status", "gate/middleware"],
  },
  client: {
    entry: "client/exports",
    modules: [
      "client/error",
      "client/transport",
      "client/operations",
      "client/named-types",
      "client/webhook",
      "client/settings",
      "client/client",
    ],
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
  ...NODE_BUNDLE,
  ...WITH_REQUIRE,
  // `typebox/schema` is loaded with `require` at the first check, which no bundler sees; the builders are in the bundle.
  external: ["typebox/schema", "pg-native"],
  metafile: true,
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
  "docs",
  ...Object.keys(metafile.outputs).map((file) => file.slice("dist/".length)),
]);
for (const file of readdirSync(OUTPUT))
  if (!built.has(file)) rmSync(join(OUTPUT, file), { recursive: true, force: true });
await buildDocumentation(join(OUTPUT, "docs"));
await buildConsole();
