// The page that a mail's link leads to: it asks, and its button stops or resumes mail. Programs that look where links lead
// only read it, so a link that was merely followed changes nothing.
import { hash } from "node:crypto";
import { Html, html } from "./html.ts";

/** What a link is about. */
export interface MailStop {
  readonly slug: string;
  readonly isStopped: boolean;
}

/** The links of mails; undefined for one that leads to no team. */
export interface MailLinks {
  find(token: string): Promise<MailStop | undefined>;
  change(token: string, isStopped: boolean): Promise<MailStop | undefined>;
}

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;margin:10vh auto;max-width:34rem;padding:0 1rem}button{font:inherit;padding:.5em 1em}";

export const MAIL_PAGE_HEADERS = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "referrer-policy": "no-referrer",
} as const;

function form(token: string, action: "stop" | "resume", label: string): Html {
  // Relative, for a server that is reached below a path.
  return html`<form method="post" action="../${action}/${token}"><button>${label}</button></form>`;
}

export function renderMailPage(token: string, { slug, isStopped }: MailStop): string {
  const title = isStopped ? "No more mail from this team" : "Stop mail from this team?";
  const content = isStopped
    ? html`<p>The team <strong>${slug}</strong> sends you no more mail.</p>
        ${form(token, "resume", "Let it send mail again")}`
    : html`<p>The team <strong>${slug}</strong> may send mail to your address, such as invitations.</p>
        ${form(token, "stop", "Send me no more mail")}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`;
  return page.text;
}
