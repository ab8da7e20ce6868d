// How bundles for Node.js are made: the program, the gate as a package of its own, and the kept server of a release.
import type { BuildOptions } from "esbuild";

export const NODE_BUNDLE = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24.15",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Bundled CommonJS asks for what comes with Node.js. */
export const WITH_REQUIRE = {
  banner: {
    js: `import { createRequire as bundleRequire } from "node:module"; const require = bundleRequire(import.meta.url);`,
  },
} as const satisfies BuildOptions;
