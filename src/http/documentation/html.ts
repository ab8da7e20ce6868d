// HTML that is safe against injection: everything but Html objects is escaped, and the headers keep pages from running scripts and
// loading anything.
import { hash } from "node:crypto";

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Html | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(content: Content): string {
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(render).join("");
  return String(content).replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}

/** Template tag; safe in element content and in attribute values between double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(strings.reduce((text, string, index) => text + render(values[index - 1] ?? "") + string));
}

/** Text whose `backquoted` words are code. */
export function prose(text: string): Html[] {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}

/** The head and the headers of all pages with one style. */
export interface PageFrame {
  readonly headers: Readonly<Record<string, string>>;
  render(title: string, content: Html): string;
}

/**
 * A frame whose Content-Security-Policy allows its style by hash, forms only to this server, and scripts only as `script` says
 * (then also requests to this server).
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
      "x-content-type-options": "nosniff",
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
            ${element}
          </head>
          <body>
            ${content}
          </body>
        </html>`.text,
  };
}
