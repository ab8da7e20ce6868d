// The page of the link in each mail: its button stops or resumes mail. Opening the link changes nothing, because mail scanners open
// every link.
import { createCardFrame } from "../../platform/http/card-page.ts";
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

const FRAME = createCardFrame({ hasForms: true });

export const MAIL_PAGE_HEADERS = { ...FRAME.headers, "x-robots-tag": "noindex" };

function form(token: string, action: "stop" | "resume", label: string, kind: string): Html {
  // Relative, because a proxy may serve Reeve below a path.
  return html`<form method="post" action="../${action}/${token}"><button class="${kind}wide">${label}</button></form>`;
}

export function renderMailPage(token: string, { slug, isStopped }: MailStop, host: string): string {
  if (isStopped) {
    const content = html`<p>The team <strong>${slug}</strong> sends you no more mail.</p>
      ${form(token, "resume", "Resume mail", "")}`;
    return FRAME.render({ title: "No more mail from this team", host, content });
  }
  const content = html`<p>The team <strong>${slug}</strong> may send mail to your address, such as invitations.</p>
    ${form(token, "stop", "Stop mail", "primary ")}`;
  return FRAME.render({ title: "Stop mail from this team?", host, content });
}
