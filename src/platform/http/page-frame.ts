// The frame of pages: its headers keep them from running scripts and loading anything.
import { hash } from "node:crypto";
import { MARK_FILE } from "../kernel/appearance.ts";
import { Html, html } from "../kernel/text/html.ts";

/** Text whose `backquoted` words are code. */
export function prose(text: string): Html[] {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}

/** The head and the headers of all pages with one style. */
export interface PageFrame {
  readonly headers: Readonly<Record<string, string>>;
  render(title: string, content: Html): string;
}

/** Within the page, because pages lie at different depths, and behind proxies below other paths. */
const ICON = `data:image/svg+xml,${encodeURIComponent(MARK_FILE)}`;

/**
 * A frame whose Content-Security-Policy allows its style by hash, its icon, forms only to this server, and scripts only as `script`
 * says (then also requests to this server).
 */
export function createPageFrame(
  style: string,
  { hasForms = false, script }: { readonly hasForms?: boolean; readonly script?: string } = {},
): PageFrame {
  // Built without the template tag, because the hash covers every character between the tags.
  const element = new Html(`<style>${style}</style>`);
  const allowed = {
    "default-src": "'none'",
    "style-src": `'sha256-${hash("sha256", style, "base64")}'`,
    "img-src": "data:",
    ...(script === undefined ? {} : { "script-src": script, "connect-src": "'self'" }),
    "base-uri": "'none'",
    "form-action": hasForms ? "'self'" : "'none'",
    "frame-ancestors": "'none'",
  };
  return {
    headers: {
      "content-security-policy": Object.entries(allowed)
        .map((pair) => pair.join(" "))
        .join("; "),
      "referrer-policy": "no-referrer",
    },
    render: (title, content) =>
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <title>${title}</title>
            <link rel="icon" href="${ICON}" />
            ${element}
          </head>
          <body>
            ${content}
          </body>
        </html>`.text,
  };
}
