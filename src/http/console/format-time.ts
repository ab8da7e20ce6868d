// Times on pages: in UTC, because the server does not know where its reader is.
import { html } from "../../kernel/text/html.ts";
import type { Html } from "../../kernel/text/html.ts";

export function formatTime(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}
