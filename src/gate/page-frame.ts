// What the gate's pages have in common. Each is prepared once per language; a request adds what differs between the prepared pieces.
import { Html, html } from "../platform/kernel/text/html.ts";
import type { PageTexts } from "./challenge/page-texts.ts";
import type { PageStyle } from "./page-style.ts";

/** Text and names of values by turns; begins and ends with text. */
export type Prepared = readonly string[];

/** Stands for a value in a page that is prepared. No text of ours has the character. */
const MARK = "\u0001";
export const place = (name: string) => new Html(`${MARK}${name}${MARK}`);

export function fill(prepared: Prepared, values: Readonly<Record<string, string>>): string {
  let page = prepared[0] as string;
  for (let at = 1; at < prepared.length; at += 2) page += (values[prepared[at] as string] ?? "") + prepared[at + 1];
  return page;
}

export const escapeText = (text: string) => html`${text}`.text;

export interface FramedPage {
  readonly title: string;
  /** Icon of lucide, by its path. */
  readonly icon: string;
  readonly style: PageStyle;
  /** The attributes of the card. */
  readonly attributes?: Html;
  readonly content: Html;
  /** After the card. */
  readonly end?: Html;
}

/** A page with one card. Its places `host`, `refresh` and `footer` are for what requests add. */
export function preparePage(
  { lang, dir, protection }: PageTexts,
  { title, icon, style, attributes = html``, content, end = html`` }: FramedPage,
): Prepared {
  return (
    html`<!doctype html>
      <html lang="${lang}" dir="${dir}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>${title}: ${place("host")}</title>
          <link rel="icon" href="data:," />
          ${style.element} ${place("refresh")}
        </head>
        <body>
          <main ${attributes}>
            <svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}" /></svg>
            <div>
              <h1 id="title">${title}</h1>
              <p class="site"><bdi>${place("host")}</bdi></p>
            </div>
            ${content}
          </main>
          ${end}
          <footer>${protection} ${place("footer")}</footer>
        </body>
      </html> `.text
      // What indents our source would be a tenth of the page.
      .replaceAll(/\s*\n\s*/g, "\n")
      .split(MARK)
  );
}
