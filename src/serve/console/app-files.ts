// The files of the console's app, as `npm run build` makes them: index.html, and assets whose names carry a hash of their content.
import { hash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";

/** How an asset is sent; null: as it is. */
export type Encoding = "br" | "gzip" | null;

export interface AppFiles {
  /** The page, for an address from which `root` leads to /console/. */
  renderIndex(root: string): string;
  /** What a policy names the page's own style by: of its frame, which is shown while the app loads. */
  readonly styleSource: string;
  /** Undefined: there is no such asset. */
  findAsset(name: string): Asset | undefined;
}

export interface Asset {
  readonly contentType: string;
  /** The bytes for each encoding that the client may accept, best first. */
  readonly forms: readonly { readonly encoding: Encoding; readonly bytes: Buffer }[];
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const COMPRESSED: readonly (readonly [Encoding, string])[] = [
  ["br", ".br"],
  ["gzip", ".gz"],
  [null, ""],
];

function readAsset(path: string): Asset {
  const forms = COMPRESSED.flatMap(([encoding, extension]) =>
    existsSync(path + extension) ? [{ encoding, bytes: readFileSync(path + extension) }] : [],
  );
  return { contentType: TYPES[extname(path)] ?? "application/octet-stream", forms };
}

/** Reads what is in the folder, a megabyte or so, once; null: the console was not built. */
export function readAppFiles(folder: string): AppFiles | null {
  if (!existsSync(join(folder, "index.html"))) return null;
  const index = readFileSync(join(folder, "index.html"), "utf8");
  const [start = "", end = ""] = index.split(/(?<=<head>)/);
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(index) ?? [];
  const names = new Set(readdirSync(join(folder, "assets")).filter((name) => !/\.(?:br|gz)$/.test(name)));
  const assets = new Map<string, Asset>();
  return {
    styleSource: `'sha256-${hash("sha256", style, "base64")}'`,
    // The app's addresses are of any depth, so that its files and links are named from its own root.
    renderIndex: (root) => `${start}<base href="${root || "./"}" />${end}`,
    findAsset(name) {
      if (!names.has(name)) return undefined;
      const asset = assets.get(name) ?? readAsset(join(folder, "assets", name));
      assets.set(name, asset);
      return asset;
    },
  };
}
