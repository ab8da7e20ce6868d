// The licences of the packages in a bundle, which ask to go with copies of what they are for.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const ROOT = join(import.meta.dirname, "..");
export const NOTICES = "THIRD-PARTY-NOTICES.txt";

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

/** The text for one bundle; throws for a package whose licence has no text. */
export function renderNotices(metafile: Metafile): string {
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
