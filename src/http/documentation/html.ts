// HTML that cannot be injected into: whatever is not itself made here is escaped, and a page runs and loads nothing.
import { hash } from "node:crypto";

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Chunk = string | number | Html | readonly Chunk[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(part: Chunk): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}

/** Template tag; safe in element content and in attribute values between double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Chunk[]): Html {
  return new Html(strings.reduce((text, string, index) => text + render(parts[index - 1] ?? "") + string));
}

/** Text whose `backquoted` parts are code. */
export function prose(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** What all pages of one style have around their content. */
export interface PageFrame {
  readonly headers: Readonly<Record<string, string>>;
  render(title: string, content: Html): string;
}

/** Pages of one style, which is allowed by its hash; their forms, if there are any, go to this server. */
export function createPageFrame(style: string, { hasForms = false } = {}): PageFrame {
  // Joined by hand: the hash covers every character between the tags.
  const element = new Html(`<style>${style}</style>`);
  const allowed = {
    "default-src": "'none'",
    "style-src": `'sha256-${hash("sha256", style, "base64")}'`,
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
