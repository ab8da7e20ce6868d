// This program's version, from its package.json: one folder up, from source and built alike.
import { readFileSync } from "node:fs";

const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");

export const VERSION = (JSON.parse(manifest) as { readonly version: string }).version;
