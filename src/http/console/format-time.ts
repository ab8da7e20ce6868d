// Times on pages.
import { formatUtc } from "../../kernel/text/time-text.ts";
import { html } from "../../kernel/text/html.ts";
import type { Html } from "../../kernel/text/html.ts";

export function formatTime(ms: number): Html {
  return html`<time datetime="${new Date(ms).toISOString()}">${formatUtc(ms)}</time>`;
}
