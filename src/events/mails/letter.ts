// What a mail says, and its two forms: plain text, and HTML. The HTML has no pictures, and its layout is in `style` attributes, because
// mail programs drop the rest; colours are in a sheet, which alone can say what they are in the dark.
import { COLOURS } from "../../platform/kernel/appearance.ts";
import type { Colour } from "../../platform/kernel/appearance.ts";
import { Html, html } from "../../platform/kernel/text/html.ts";

/** The parts of a mail in the order in which they are read. A paragraph is one line of text. */
export interface Letter {
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** The one link: what to do. `path` is below the URL of the instance. */
  readonly action: { readonly label: string; readonly path: string };
  /** Until when the link works, and what to do with a mail that one did not expect. */
  readonly notes: readonly string[];
}

/** Where a mail comes from. */
export interface Sender {
  /** The URL at which clients reach this instance, without a slash at the end; empty where the instance does not know it. */
  readonly baseUrl: string;
  /** The page that stops further mail from the team; null for mail of no team. */
  readonly stopPath: string | null;
}

const NO_URL =
  "This server does not know its own address, so put it before the path above. Its operator sets it with REEVE_PUBLIC_URL.";
const STOP_LABEL = "Get no more mail from this team";

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const SMALL = "font-size:13px;line-height:1.5";
const [ACCENT, ON_ACCENT] = [COLOURS.accent[0], COLOURS["on-accent"][0]];
const BUTTON = `display:inline-block;padding:10px 18px;border-radius:6px;background-color:${ACCENT};color:${ON_ACCENT};font-weight:600;text-decoration:none`;

/**
 * The mark as a letter on a coloured ground. Gmail and Outlook remove `svg` elements and images at `data:` URLs, and others load no
 * picture before they are asked; an attached one is shown among the attachments by some. A ground and a letter are everywhere.
 */
const MARK = html`<span
  aria-hidden="true"
  style="display:inline-block;width:24px;margin-right:8px;border-radius:6px;background-color:${ACCENT};color:${ON_ACCENT};font-size:15px;line-height:24px;font-weight:700;text-align:center"
  >R</span
>`;

/** Rules for one scheme. What the elements set themselves for programs without the sheet needs `!important`. */
function colourRules(scheme: 0 | 1): string {
  const colour = (name: Colour) => COLOURS[name][scheme];
  return [
    `.ground{background-color:${colour("bg-app")};color:${colour("text")}}`,
    `.card{background-color:${colour("bg")};border-color:${colour("line")}!important}`,
    `.soft{color:${colour("text-2")}}`,
    `.quiet{color:${colour("text-3")}}`,
    `.link{color:${colour("accent-text")}!important}`,
    `.button{background-color:${colour("accent")}!important}`,
  ].join("");
}

/** A program that drops the sheet has colours of its own, and knows whether it is dark: what the elements have is readable on both. */
const SHEET = new Html(
  `<style>:root{color-scheme:light dark;supported-color-schemes:light dark}${colourRules(0)}@media(prefers-color-scheme:dark){${colourRules(1)}}</style>`,
);

/** The instance as people know it: its host, and the path below which a proxy serves it. */
export function instanceName(baseUrl: string): string {
  return baseUrl === "" ? "Reeve" : `Reeve at ${baseUrl.replace(/^[a-z]+:\/\//, "")}`;
}

export function renderText({ paragraphs, action, notes }: Letter, { baseUrl, stopPath }: Sender): string {
  const hint = baseUrl === "" ? [NO_URL] : [];
  const blocks = [...paragraphs, `${action.label}:\n${baseUrl}${action.path}`, ...hint, ...notes];
  const stop = stopPath === null ? [] : [`${STOP_LABEL}:`, `${baseUrl}${stopPath}`];
  // Two hyphens, by themselves, begin what mail programs show as a signature.
  return `${blocks.join("\n\n")}\n\n${["--", `Sent by ${instanceName(baseUrl)}.`, ...stop].join("\n")}`;
}

function link(label: string, path: string, baseUrl: string, look: Html): Html {
  // A relative link would lead to the reader's mail program.
  return baseUrl === "" ? html`${label}: ${path}` : html`<a href="${baseUrl}${path}" ${look}>${label}</a>`;
}

export function renderHtml(letter: Letter, { baseUrl, stopPath }: Sender): string {
  const { subject, heading, paragraphs, action, notes } = letter;
  const button = html`class="button" style="${BUTTON}"`;
  const stop =
    stopPath === null
      ? html``
      : html`<br />${link(STOP_LABEL, stopPath, baseUrl, html`class="link" style="color:inherit"`)}`;
  return html`<!doctype html>
    <html lang="en" style="color-scheme:light dark">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
        ${SHEET}
      </head>
      <body class="ground" style="margin:0;padding:0">
        <div
          class="ground"
          style="min-height:100vh;box-sizing:border-box;padding:24px 16px;${FONT};font-size:15px;line-height:1.5;overflow-wrap:anywhere"
        >
          <div style="max-width:544px;margin:0 auto">
            <header style="margin:0 0 16px;${SMALL}">${MARK}<span class="quiet">${instanceName(baseUrl)}</span></header>
            <main class="card" style="padding:24px;border:1px solid ${COLOURS["line-control"][0]};border-radius:12px">
              <h1 style="margin:0 0 12px;font-size:20px;line-height:1.3;font-weight:600">${heading}</h1>
              ${paragraphs.map((text) => html`<p class="soft" style="margin:0 0 16px">${text}</p>`)}
              <p style="margin:24px 0">${link(action.label, action.path, baseUrl, button)}</p>
              ${[...(baseUrl === "" ? [NO_URL] : []), ...notes].map(
                (text) => html`<p class="quiet" style="margin:0 0 8px;${SMALL}">${text}</p>`,
              )}
            </main>
            <footer class="quiet" style="padding:16px 24px 0;${SMALL}">Sent by ${instanceName(baseUrl)}.${stop}</footer>
          </div>
        </div>
      </body>
    </html>`.text;
}
