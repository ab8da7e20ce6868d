// `npm run packages [-- FOLDER]`: the client and the gate as packages of their own, each with its version, types and licence, as files for `npm install`.
// They are the code of the package with the server, which has both too.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build } from "esbuild";
import type { BuildOptions } from "esbuild";
import { NODE_BUNDLE, WITH_REQUIRE } from "./node-bundle.ts";
import { NOTICES, renderNotices } from "./notices.ts";

const ROOT = join(import.meta.dirname, "..");
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, "packages"));

interface Package {
  readonly description: string;
  readonly entry: string;
  readonly options: BuildOptions;
  /** Members of its package.json besides. */
  readonly manifest: object;
  /** Shown in its README. */
  readonly example: string;
}

const { version, license, engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const PACKAGES: Readonly<Record<"client" | "gate", Package>> = {
  client: {
    description: "every operation of Reeve's API, typed, for Node.js, Deno, Bun and browsers",
    entry: "src/client/exports.ts",
    // A failure's stack has the names of functions, and the source where the runtime reads source maps.
    options: { platform: "neutral", target: "es2023", minify: true, keepNames: true, sourcemap: true },
    manifest: { sideEffects: false },
    example: `import { createClient } from "@reeve-hq/client";

const client = createClient({ server: "https://reeve.example.com", token: process.env.REEVE_TOKEN });
for await (const { name } of client.items("listSecrets", { query: { slug: "acme" } })) console.log(name);`,
  },
  gate: {
    description: "Reeve's gate within a Node.js application: firewall rules, rate limits, challenge",
    entry: "src/gate/middleware.ts",
    options: { ...NODE_BUNDLE, ...WITH_REQUIRE },
    manifest: { engines },
    example: `import { createServer } from "node:http";
import { createGate } from "@reeve-hq/gate";

const gate = createGate({ server: "https://reeve.example.com", key: process.env.GATE_KEY, team: "acme", project: "shop" });
await gate.ready; // rejects for a mistake, such as a mistyped project
createServer(gate.node((request, response) => response.end("hello"))).listen(3000);`,
  },
};

function readmeOf(name: string, file: string, { description, example }: Package): string {
  return `# @reeve-hq/${name}

${description[0]?.toUpperCase()}${description.slice(1)}.

\`\`\`sh
npm install ./${file}
\`\`\`

\`\`\`js
${example}
\`\`\`

docs/${name}.md of Reeve has the rest.
`;
}

for (const [name, described] of Object.entries(PACKAGES)) {
  const folder = join(OUTPUT, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [{ in: described.entry, out: "index" }],
    outdir: folder,
    bundle: true,
    format: "esm",
    logLevel: "warning",
    ...described.options,
    metafile: true,
  });
  copyFileSync(join(ROOT, `dist/${name}.d.ts`), join(folder, "index.d.ts"));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const hasPackages = Object.keys(metafile.inputs).some((file) => file.includes("node_modules/"));
  if (hasPackages) writeFileSync(join(folder, NOTICES), renderNotices(metafile));
  const manifest = {
    name: `@reeve-hq/${name}`,
    version,
    description: described.description,
    license,
    type: "module",
    exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./package.json": "./package.json" },
    ...described.manifest,
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const file = `reeve-hq-${name}-${version}.tgz`;
  writeFileSync(join(folder, "README.md"), readmeOf(name, file, described));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", OUTPUT], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  console.log(`${relative(ROOT, join(OUTPUT, file))}, ${Math.round(statSync(join(OUTPUT, file)).size / 1_000)} kB`);
}
