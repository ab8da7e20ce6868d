// This program's version, from its package.json, which the bundle contains.
import manifest from "../../../package.json" with { type: "json" };

export const VERSION: string = manifest.version;
