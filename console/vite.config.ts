// Builds the console to dist/console/: hashed files with relative addresses, so that a proxy may serve it below any path.
import { join } from "node:path";
import { defineConfig } from "vite";
import type { Rolldown } from "vite";

// oxlint-disable-next-line import/no-default-export -- Vite reads it
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [
    {
      name: "load-the-app-with-the-page",
      // Without waiting for the script that imports it.
      transformIndexHtml: {
        order: "post",
        handler(_html, { bundle = {} }) {
          const files = new Set<string>();
          const add = (chunk: Rolldown.OutputBundle[string] | undefined): void => {
            if (chunk?.type !== "chunk" || chunk.isEntry || files.has(chunk.fileName)) return;
            files.add(chunk.fileName);
            for (const file of chunk.imports) add(bundle[file]);
          };
          add(Object.values(bundle).find(({ type, name }) => type === "chunk" && name === "main"));
          const attrs = { rel: "modulepreload", crossorigin: true };
          return [...files].map((file) => ({ tag: "link", attrs: { ...attrs, href: `./${file}` }, injectTo: "head" }));
        },
      },
    },
  ],
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
          groups: [
            // The first script waits for no other.
            {
              name: "begin",
              test: /preload-helper|rolldown\/runtime|console\/(?:addresses|routes|page-code|api\/early)\.ts/,
              priority: 1,
            },
            {
              // But for what few pages need.
              name: "parts",
              test: /console\/(?:parts|api)\/(?!headless|early|limits|permission-choice|names-form|verify-chain|save-bar|credential-filters|env-text|strip|picks|search-dates|conflict|shown-once)|lucide-react/,
              minShareCount: 2,
            },
          ],
        },
      },
      // Libraries name the side that they run on, which means nothing here.
      onLog: (level, log, handle) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : handle(level, log)),
    },
  },
});
