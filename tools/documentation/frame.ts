// The frame of a page of the documentation: heading with search, navigation, the page, and what it is made of.
import { Html, html } from "../../src/platform/kernel/text/html.ts";
import { MARK, MARK_FILE } from "../../src/platform/kernel/appearance.ts";
import type { NavigationGroup } from "./source-pages.ts";

/** The group that is folded elsewhere: it is long. */
export const API = "API";

const ICON = `data:image/svg+xml,${encodeURIComponent(MARK_FILE)}`;

export interface SitePage {
  readonly name: string;
  readonly title: string;
  readonly content: Html;
  readonly headings: readonly { readonly id: string; readonly title: string }[];
}

function navigation(groups: readonly NavigationGroup[], current: string): Html {
  return html`<nav class="side" id="navigation" aria-label="Documentation">
    ${groups.map(
      ({ title, pages }) =>
        html`<details ${title !== API || pages.some(({ name }) => name === current) ? "open" : ""}>
          <summary>${title}</summary>
          <ul>
            ${pages.map(
              (page) =>
                html`<li>
                  <a href="${page.name}" ${page.name === current ? new Html('aria-current="page"') : ""}
                    >${page.title}</a
                  >
                </li>`,
            )}
          </ul>
        </details>`,
    )}
  </nav>`;
}

function contents(headings: SitePage["headings"]): Html {
  if (headings.length < 2) return html``;
  return html`<nav class="contents" aria-label="On this page">
    <h2>On this page</h2>
    <ul>
      ${headings.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`;
}

export function framePage(
  { name, title, content, headings }: SitePage,
  groups: readonly NavigationGroup[],
  version: string,
): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${name === "" ? "Reeve documentation" : `${title} · Reeve documentation`}</title>
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="docs.css" />
        <script type="module" src="docs.js"></script>
      </head>
      <body>
        <a class="skip" href="#page">Skip to content</a>
        <header>
          <a class="home" href="./">${MARK}<b>Reeve</b> <span>documentation</span></a>
          <span class="version">${version}</span>
          <form role="search" hidden>
            <input
              type="search"
              aria-label="Search the documentation"
              placeholder="Search"
              autocomplete="off"
              role="combobox"
              aria-expanded="false"
              aria-controls="results"
              aria-autocomplete="list"
            />
            <div id="results" role="listbox" aria-label="Results" hidden></div>
          </form>
          <a class="console" href="../console/">Console</a>
          <a class="menu" href="#navigation">Menu</a>
        </header>
        <div class="columns">
          ${navigation(groups, name)}
          <main id="page" tabindex="-1">${content}</main>
          ${contents(headings)}
        </div>
      </body>
    </html>`.text;
}
