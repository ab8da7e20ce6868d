// Builds the console's app into dist/console/.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";

const OUTPUT = join(import.meta.dirname, "../dist/console");

/** A style sheet in the head would hold up what is shown while the app loads. */
function moveStyles(file: string): void {
  const page = readFileSync(file, "utf8");
  const links = page.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
  const [start = "", end = ""] = links.reduce((left, link) => left.replace(link, ""), page).split(/(?= *<noscript>\n)/);
  writeFileSync(file, [start, ...links, end].join(""));
}

/** Builds the app, and compresses its files as well as can be: they are made once and sent often. */
export async function buildConsole(): Promise<void> {
  await build({ configFile: join(import.meta.dirname, "vite.config.ts"), logLevel: "warn" });
  moveStyles(join(OUTPUT, "index.html"));
  for (const file of globSync(join(OUTPUT, "assets/*.{js,css,svg}"))) {
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}
