// What all pages without script have in common: their look, their head and the messages above a form.
import { createPageFrame } from "../../platform/http/page-frame.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";

/** The colours are those of console/style/tokens.css; without script nothing is loaded, fonts neither. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --panel: #fff; --line: #d3d8df; --ink: #171a20; --quiet: #5f6774; --accent: #2f56d3; --on-accent: #fff;
  --danger: #ab1c22; --danger-ground: #fdeeeb; --good: #0b6a5c; --good-ground: #e5f5f2;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0c0e11; --panel: #121418; --line: #343a44; --ink: #e8eaee; --quiet: #949dab; --accent: #96adff; --on-accent: #10131a;
    --danger: #ff9b8c; --danger-ground: #351c19; --good: #6cd0c0; --good-ground: #10292a;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: baseline; padding: 1rem 1.25rem; max-width: 60rem; margin: 0 auto; }
header strong { font-size: 1.05rem; letter-spacing: -0.01em; }
header nav { margin-left: auto; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
header form { display: inline; }
main { padding: 0 1.25rem 4rem; margin: 0 auto; max-width: 60rem; }
main.narrow { max-width: 28rem; padding-top: 4vh; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.015em; margin: 0 0 0.75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 0.5rem; }
p { margin: 0.5rem 0; max-width: 65ch; overflow-wrap: anywhere; }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem; margin: 1rem 0; }
.quiet { color: var(--quiet); }
label { display: block; font-weight: 600; margin: 1rem 0 0.25rem; }
.hint { color: var(--quiet); font-size: 0.875rem; margin: 0.25rem 0 0; }
button + .hint, .button + .hint, div + .hint { margin-top: 0.75rem; }
input, select { width: 100%; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--quiet); border-radius: 8px; padding: 0.55rem 0.7rem; }
input[type="radio"], input[type="checkbox"] { width: auto; }
button, .button {
  display: inline-block; font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; border-radius: 8px; padding: 0.55rem 1rem; margin-top: 1.25rem;
  border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent);
}
button.plain, .button.plain { background: transparent; color: var(--accent); border-color: var(--line); }
button.danger { background: transparent; color: var(--danger); border-color: var(--danger); }
button:has(+ button) { margin-right: 0.5rem; }
td button, li button, header button { margin-top: 0; padding: 0.25rem 0.65rem; }
.panel > :first-child, .panel > form:first-child > :first-child, .panel > input[type="hidden"]:first-child + *,
.panel > [data-passkey-part]:first-child > button, .provider:first-child > button { margin-top: 0; }
.wide { width: 100%; text-align: center; }
.wide-page :is(input, select, .wide, .or) { max-width: 26rem; }
.wide-page :is(input:not([type="hidden"]), select, .wide) { display: block; }
.problem, .note { border-radius: 8px; padding: 0.65rem 0.85rem; margin: 0 0 1rem; max-width: none; }
.problem { background: var(--danger-ground); color: var(--danger); border: 1px solid currentColor; }
.note { background: var(--good-ground); color: var(--good); border: 1px solid currentColor; }
.or { display: flex; max-width: none; align-items: center; gap: 0.75rem; color: var(--quiet); margin: 1.25rem 0 0; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1rem; margin: 0.75rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
ul.rows { list-style: none; margin: 0; padding: 0; }
ul.rows > li { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; padding: 0.6rem 0; border-top: 1px solid var(--line); }
ul.rows > li:first-child { border-top: 0; }
ul.rows > li > :last-child { margin-left: auto; }
code, .code { font: 0.9em/1.6 var(--mono); overflow-wrap: anywhere; }
.code { display: block; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; margin: 0.75rem 0; }
.large { font-size: 1.5rem; letter-spacing: 0.12em; text-align: center; }
`;

const FRAME = createPageFrame(STYLE, { hasForms: true, script: "'self'" });

/** Search engines index no page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = { ...FRAME.headers, "x-robots-tag": "noindex" };

export interface PageContent {
  readonly title: string;
  readonly content: Html | readonly Html[];
  /** What went wrong with the last try, for people. */
  readonly problem?: string | null;
  /** What succeeded. */
  readonly note?: string | null;
  /** The name of the person who is signed in; null: nobody is. */
  readonly signedInAs?: string | null;
  /** Relative path of a script. */
  readonly script?: string;
}

function header(signedInAs: string | null, root: string): Html {
  const links =
    signedInAs === null
      ? html``
      : html`<nav aria-label="Account">
          <a href="${root}./">Home</a>
          <a href="${root}account">Account</a>
          <form method="post" action="${root}sign-out"><button class="plain">Sign out ${signedInAs}</button></form>
        </nav>`;
  return html`<header><strong>Reeve</strong>${links}</header>`;
}

/** A page of people who are signed in is wide; the others are one narrow form. `root` leads from the page to /console/. */
export function renderPage(
  { title, content, problem, note, signedInAs = null, script }: PageContent,
  root = "",
): string {
  // The message gets the focus, before any field that asks for it: screen readers say it, and the next Tab leads to the first field.
  const messages = html`${
    problem ? html`<p class="problem" role="alert" tabindex="-1" autofocus>${problem}</p>` : html``
  }${note ? html`<p class="note" role="status" tabindex="-1" autofocus>${note}</p>` : html``}`;
  return FRAME.render(
    `${title} · Reeve`,
    html`${header(signedInAs, root)}
      <main class="${signedInAs === null ? "narrow" : "wide-page"}">
        <h1>${title}</h1>
        ${messages}${content}
      </main>
      ${script === undefined ? html`` : html`<script src="${script}" type="module"></script>`}`,
  );
}
