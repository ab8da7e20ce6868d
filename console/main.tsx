import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { dropEarlyReads } from "./api/early.ts";
import { FRESH_MS, createQueryClient } from "./api/queries.ts";
import { watchTyping } from "./api/session-end.ts";
import { App } from "./app.tsx";
import { preloadWhenIdle } from "./parts/menu.tsx";
import { applyTheme, readTheme } from "./theme.ts";

const base = new URL(document.baseURI).pathname.replace(/\/$/, "");

watchTyping();
applyTheme(readTheme());
preloadWhenIdle();

/** Until so long after the beginning, ms, the fonts are waited for: a text that changes its font moves what is around it. */
const FONTS_MS = 1_000;
const fonts = ["1em 'Inter Variable'", "1em 'JetBrains Mono Variable'"].map((font) => document.fonts.load(font));
await Promise.race([
  Promise.allSettled(fonts),
  new Promise((resolve) => setTimeout(resolve, FONTS_MS - performance.now())),
]);

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <Router base={base}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);

// What was not asked for by now would be old.
setTimeout(dropEarlyReads, FRESH_MS);
