// `node tools/keep-release.ts`, at the commit of a release: keeps its server as test/fronts/last-release.tgz, from which a test upgrades
// to the present code, and its names as last-release.json, which a test compares with the present ones. It is the release's own code;
// packages are those of the checkout that runs it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { VERSION } from "../src/platform/kernel/version.ts";
import { NODE_BUNDLE } from "./node-bundle.ts";
import { readPublicSurface } from "./public-surface.ts";

const ROOT = join(import.meta.dirname, "..");
const FILE = join(ROOT, "test/fronts/last-release.tgz");

const folder = mkdtempSync(join(tmpdir(), "reeve-release-"));
try {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [
      { in: "src/cli/main.ts", out: "reeve" },
      { in: "src/serve/writer.ts", out: "writer" },
      { in: "src/firewall/evaluation-worker/evaluation-worker.ts", out: "evaluation-worker" },
    ],
    outdir: folder,
    ...NODE_BUNDLE,
    minify: true,
    packages: "external",
  });
  execFileSync("tar", ["--create", "--gzip", "--file", FILE, "--directory", folder, "."]);
  console.log(`kept test/fronts/last-release.tgz, ${Math.round(statSync(FILE).size / 1_000)} kB`);
  const names = { version: VERSION, ...(await readPublicSurface()) };
  writeFileSync(join(ROOT, "test/fronts/last-release.json"), `${JSON.stringify(names, null, 2)}\n`);
  console.log(`kept test/fronts/last-release.json, of ${VERSION}`);
} finally {
  rmSync(folder, { recursive: true });
}
