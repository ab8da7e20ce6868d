// Times on pages.
import { formatUtc } from "../../platform/kernel/text/time-text.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";

export function formatTime(ms: number): Html {
  return html`<time datetime="${new Date(ms).toISOString()}">${formatUtc(ms)}</time>`;
}
