// A page that stands alone: the mark, one card whose title is the thing, and what belongs below it.
import { MARK } from "../kernel/appearance.ts";
import { html } from "../kernel/text/html.ts";
import type { Content, Html } from "../kernel/text/html.ts";
import { CARD_STYLE } from "./card-style.ts";
import { createPageFrame } from "./page-frame.ts";
import type { PageFrame } from "./page-frame.ts";

export interface Card {
  readonly title: string;
  /** What leads from the title to the host. */
  readonly preposition?: "at" | "to" | "from";
  /** The host that the visitor is at: people learn to look for it. */
  readonly host: string;
  /** How wide the card is; by default as wide as a form with one column. */
  readonly width?: "medium" | "broad";
  readonly content: Content;
  /** Links at the end of the card. */
  readonly foot?: Html;
  /** Below the card. */
  readonly footer?: Html;
}

interface CardFrame {
  readonly headers: PageFrame["headers"];
  render(card: Card, script?: Html): string;
}

/** An icon of lucide, by its paths. */
function icon(paths: string): Html {
  return html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="${paths}" /></svg>`;
}

export const ICONS = {
  alert: icon("M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0M12 8v4M12 16h.01"),
  done: icon("M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0M9 12l2 2 4-4"),
  warning: icon("m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4M12 17h.01"),
  mail: icon("M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2M22 7l-9 5.7a2 2 0 0 1-2 0L2 7"),
  passkey: icon(
    "M12 10a2 2 0 0 0-2 2c0 1.02-.1 2.51-.26 4M14 13.12c0 2.38 0 6.38-1 8.88M17.29 21.02c.12-.6.43-2.3.5-3.02M2 12a10 10 0 0 1 18-6M2 16h.01M21.8 16c.2-2 .131-5.354 0-6M5 19.5C5.5 18 6 15 6 12a6 6 0 0 1 .34-2M8.65 22c.21-.66.45-1.32.57-2M9 6.8a6 6 0 0 1 9 5.2v2",
  ),
  provider: icon(
    "M10 12h4M10 8h4M14 21v-3a2 2 0 0 0-4 0v3M6 10H4a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V9a2 2 0 0 0-2-2h-2M6 21V5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v16",
  ),
} as const;

export function createCardFrame(options: Parameters<typeof createPageFrame>[1]): CardFrame {
  const { headers, render } = createPageFrame(CARD_STYLE, options);
  return {
    headers,
    render: ({ title, preposition = "at", host, width, content, foot, footer }, script = html``) =>
      render(
        `${title} · Reeve`,
        html`<header>${MARK}Reeve</header>
          <main class="${width ?? "narrow"}">
            <div class="title">
              <h1>${title}</h1>
              <p class="soft">${preposition} ${host}</p>
            </div>
            ${content} ${foot === undefined ? html`` : html`<div class="foot">${foot}</div>`}
          </main>
          ${footer === undefined ? html`` : html`<footer>${footer}</footer>`} ${script}`,
      ),
  };
}
