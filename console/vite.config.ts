// Builds the console to dist/console/: hashed files with relative addresses, so that a proxy may serve it below any path.
import { join } from "node:path";
import { defineConfig } from "vite";

// oxlint-disable-next-line import/no-default-export -- Vite reads it
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  build: {
    outDir: join(import.meta.dirname, "../dist/console"),
    emptyOutDir: true,
    target: "baseline-widely-available",
    // The policy of the page allows no inline data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "THIRD-PARTY-NOTICES.md" },
    rolldownOptions: {
      // Libraries name the side that they run on, which means nothing here.
      onLog: (level, log, handle) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : handle(level, log)),
    },
  },
});
