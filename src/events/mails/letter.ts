// What a mail says, and its two forms: plain text, and HTML that needs no images and no style sheet, because mail programs drop those.
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";

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
const STOP_LABEL = "To get no more mail from this team, with or without an account:";

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
/** Colours of text and ground are left to the mail program, which knows whether it is dark. The button is readable on both. */
const BUTTON =
  "display:inline-block;padding:12px 20px;border-radius:8px;background-color:#0b57d0;color:#ffffff;font-weight:600;text-decoration:none";
const SMALL = "margin:0 0 8px;font-size:14px;line-height:1.5";

/** The instance as people know it: its host, and the path below which a proxy serves it. */
export function instanceName(baseUrl: string): string {
  return baseUrl === "" ? "Reeve" : `Reeve at ${baseUrl.replace(/^[a-z]+:\/\//, "")}`;
}

export function renderText({ paragraphs, action, notes }: Letter, { baseUrl, stopPath }: Sender): string {
  const hint = baseUrl === "" ? [NO_URL] : [];
  const blocks = [...paragraphs, `${action.label}:\n${baseUrl}${action.path}`, ...hint, ...notes];
  const stop = stopPath === null ? [] : [STOP_LABEL, `${baseUrl}${stopPath}`];
  // Two hyphens, by themselves, begin what mail programs show as a signature.
  return `${blocks.join("\n\n")}\n\n${["--", `Sent by ${instanceName(baseUrl)}.`, ...stop].join("\n")}`;
}

function link(label: string, path: string, baseUrl: string, style: string): Html {
  // A relative link would lead to the reader's mail program.
  return baseUrl === "" ? html`${label}: ${path}` : html`<a href="${baseUrl}${path}" style="${style}">${label}</a>`;
}

export function renderHtml(letter: Letter, { baseUrl, stopPath }: Sender): string {
  const { subject, heading, paragraphs, action, notes } = letter;
  const stop =
    stopPath === null
      ? html``
      : html`<br />${link("Get no more mail from this team", stopPath, baseUrl, "color:inherit")}`;
  return html`<!doctype html>
    <html lang="en" style="color-scheme:light dark">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
      </head>
      <body style="margin:0;padding:0">
        <div
          style="max-width:544px;margin:0 auto;padding:24px 16px;${FONT};font-size:16px;line-height:1.5;overflow-wrap:anywhere"
        >
          <main>
            <h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${heading}</h1>
            ${paragraphs.map((text) => html`<p style="margin:0 0 16px">${text}</p>`)}
            <p style="margin:24px 0">${link(action.label, action.path, baseUrl, BUTTON)}</p>
            ${[...(baseUrl === "" ? [NO_URL] : []), ...notes].map((text) => html`<p style="${SMALL}">${text}</p>`)}
          </main>
          <footer>
            <p style="${SMALL};margin-top:24px;padding-top:16px;border-top:1px solid #8c959f">
              Sent by ${instanceName(baseUrl)}.${stop}
            </p>
          </footer>
        </div>
      </body>
    </html>`.text;
}
