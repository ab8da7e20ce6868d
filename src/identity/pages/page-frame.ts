// What the pages without script have in common: the card, the messages above its content, and who is signed in.
import { ICONS, createCardFrame } from "../../platform/http/card-page.ts";
import type { Card } from "../../platform/http/card-page.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";
import { PROBLEM_ID } from "./text-field.ts";
import type { Problem } from "./text-field.ts";

const FRAME = createCardFrame({ hasForms: true, script: "'self'" });

/** Search engines index no page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = { ...FRAME.headers, "x-robots-tag": "noindex" };

export interface PageContent extends Omit<Card, "host" | "content"> {
  readonly content: Html | readonly Html[];
  /** What went wrong with the last try, for people. */
  readonly problem?: Problem | null;
  /** What succeeded. */
  readonly note?: string | null;
  /** The name of the person who is signed in; null: nobody is. */
  readonly signedInAs?: string | null;
  /** Relative path of a script. */
  readonly script?: string;
}

/** Where a page is. */
export interface PagePlace {
  /** What leads from the page to /console/: empty, or `../` for each folder. */
  readonly root: string;
  readonly host: string;
}

function account(signedInAs: string | null, root: string): Html {
  if (signedInAs === null) return html``;
  return html`<nav aria-label="Account">
    <a href="${root}./">Home</a>
    <a href="${root}account">Account</a>
    <form method="post" action="${root}sign-out"><button>Sign out ${signedInAs}</button></form>
  </nav>`;
}

/** A message gets the focus, before any field that asks for it: screen readers say it, and the next Tab leads to the first field. */
function messages(problem: Problem | null, note: string | null): Html {
  return html`${
    problem
      ? html`<p class="problem banner" role="alert" tabindex="-1" autofocus>${ICONS.alert}${problem.text}</p>`
      : html``
  }${note ? html`<p class="note banner" role="status" tabindex="-1" autofocus>${ICONS.done}${note}</p>` : html``}`;
}

export function renderPage(
  { content, problem = null, note = null, signedInAs = null, script, footer = html``, ...card }: PageContent,
  { root, host }: PagePlace,
): string {
  const body = html`${content}`;
  // A field that shows the problem beside itself has the focus, too.
  const isBeside = body.text.includes(`id="${PROBLEM_ID}"`);
  return FRAME.render(
    {
      ...card,
      host,
      content: html`${messages(isBeside ? null : problem, note)}${body}`,
      footer: html`${footer}${account(signedInAs, root)}`,
    },
    script === undefined ? html`` : html`<script src="${script}" type="module"></script>`,
  );
}
