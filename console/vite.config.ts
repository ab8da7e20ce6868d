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
      output: {
        // What several pages share is one file: of some thirty small ones, most would wait for a connection.
        codeSplitting: {
          groups: [{ name: "parts", test: /console\/(?:parts|api)\/(?!headless)|lucide-react/, minShareCount: 2 }],
        },
      },
      // Libraries name the side that they run on, which means nothing here.
      onLog: (level, log, handle) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : handle(level, log)),
    },
  },
});
