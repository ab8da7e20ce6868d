// The page of the link in each mail: its button stops or resumes mail. Opening the link changes nothing, because mail scanners open
// every link.
import { createPageFrame } from "../../platform/http/page-frame.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";

/** The team of a link, and whether its mail is stopped. */
export interface MailStop {
  readonly slug: string;
  readonly isStopped: boolean;
}

/** Looks up the links of mails. Undefined: the link belongs to no team. */
export interface MailLinks {
  find(token: string): Promise<MailStop | undefined>;
  change(token: string, isStopped: boolean): Promise<MailStop | undefined>;
}

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;margin:10vh auto;max-width:34rem;padding:0 1rem}button{font:inherit;padding:.5em 1em}";

const FRAME = createPageFrame(STYLE, { hasForms: true });

export const MAIL_PAGE_HEADERS = { ...FRAME.headers, "x-robots-tag": "noindex" };

function form(token: string, action: "stop" | "resume", label: string): Html {
  // Relative, because a proxy may serve Reeve below a path.
  return html`<form method="post" action="../${action}/${token}"><button>${label}</button></form>`;
}

export function renderMailPage(token: string, { slug, isStopped }: MailStop): string {
  const title = isStopped ? "No more mail from this team" : "Stop mail from this team?";
  const content = isStopped
    ? html`<p>The team <strong>${slug}</strong> sends you no more mail.</p>
        ${form(token, "resume", "Let it send mail again")}`
    : html`<p>The team <strong>${slug}</strong> may send mail to your address, such as invitations.</p>
        ${form(token, "stop", "Send me no more mail")}`;
  return FRAME.render(
    title,
    html`<main>
      <h1>${title}</h1>
      ${content}
    </main>`,
  );
}
