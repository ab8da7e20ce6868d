import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { createQueryClient } from "./api/queries.ts";
import { watchTyping } from "./api/session-end.ts";
import { App } from "./app.tsx";
import { preloadWhenIdle } from "./parts/menu.tsx";
import { applyTheme, readTheme } from "./theme.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/parts.css";
import "./style/table.css";
import "./style/popups.css";
import "./style/shell.css";
import "./style/drawer.css";
import "./style/project.css";
import "./style/firewall.css";

const base = new URL(document.baseURI).pathname.replace(/\/$/, "");

watchTyping();
applyTheme(readTheme());
preloadWhenIdle();

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <Router base={base}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
