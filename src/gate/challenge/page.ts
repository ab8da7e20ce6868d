// The pages of the challenge. Each is prepared once per language; a request adds what differs between the prepared pieces.
import { hash } from "node:crypto";
import { Html, html } from "../../platform/kernel/text/html.ts";
import { SCRIPT_NAME } from "./browser-script.ts";
import { PUZZLES } from "./difficulty.ts";
import type { FormFields } from "./form.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { BASE_PATH } from "./routes.ts";
import { TEXTS } from "./texts.ts";
import type { Language, PageTexts } from "./page-texts.ts";

/** Text and names of values by turns; begins and ends with text. */
type Prepared = readonly string[];

/** Stands for a value in a page that is prepared. No text of ours has the character. */
const MARK = "\u0001";
const place = (name: string) => new Html(`${MARK}${name}${MARK}`);

function fill(prepared: Prepared, values: Readonly<Record<string, string>>): string {
  let page = prepared[0] as string;
  for (let at = 1; at < prepared.length; at += 2) page += (values[prepared[at] as string] ?? "") + prepared[at + 1];
  return page;
}

const escapeText = (text: string) => html`${text}`.text;

// Without the template tag, because the hash in the policy covers every character between the tags.
const STYLE = new Html(`<style>${PAGE_STYLE}</style>`);
const STYLE_HASH = `sha256-${hash("sha256", PAGE_STYLE, "base64")}`;

function renderFrame({ lang, dir }: PageTexts, title: string, content: Html): Prepared {
  return html`<!doctype html>
    <html lang="${lang}" dir="${dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${place("host")}</title>
        <link rel="icon" href="data:," />
        ${STYLE} ${place("refresh")}
      </head>
      <body>
        ${content}
        <footer><p>${place("reference")}</p></footer>
      </body>
    </html> `.text.split(MARK);
}

const HEADING = html`<p class="site"><bdi>${place("host")}</bdi></p>`;

function prepareChallenge(texts: PageTexts): Prepared {
  const content = html`<main
      id="challenge"
      data-token="${place("token")}"
      data-difficulty="${place("difficulty")}"
      data-return="${place("return")}"
      data-form="${place("formState")}"
      data-working="${texts.working}"
      data-done="${texts.done}"
      data-form-ready="${texts.formReady}"
      data-cookies-title="${texts.cookiesTitle}"
      data-cookies="${texts.cookies}"
      data-failed-title="${texts.failedTitle}"
      data-failed="${texts.failed}"
    >
      ${HEADING}
      <h1 id="title">${texts.title}</h1>
      <div id="explanation">
        <p>${texts.why}</p>
        <p class="quiet">${texts.duration} ${place("opens")}</p>
        ${place("note")}
      </div>
      <div id="work" hidden>
        <p id="status" role="status"></p>
        <progress id="progress" max="${PUZZLES}" value="0" aria-label="${texts.progress}"></progress>
      </div>
      <div id="failure" class="failure" role="alert" hidden>
        <p id="failure-text"></p>
        <button type="button" id="again">${texts.tryAgain}</button>
      </div>
      <button type="button" id="back" hidden>${texts.goBack}</button>
      ${place("skip")}
    </main>
    <script nonce="${place("nonce")}" src="${BASE_PATH}/${SCRIPT_NAME}"></script>`;
  return renderFrame(texts, texts.title, content);
}

function prepareNotice(texts: PageTexts, [title, text, action]: readonly [string, string, string]): Prepared {
  const content = html`<main>
    ${HEADING}
    <h1>${title}</h1>
    <p>${text}</p>
    <p><a class="button" href="${place("return")}">${action}</a></p>
  </main>`;
  return renderFrame(texts, title, content);
}

const prepareAll = (texts: PageTexts) => ({
  challenge: prepareChallenge(texts),
  passed: prepareNotice(texts, [texts.passedTitle, texts.passed, texts.proceed]),
  cookies: prepareNotice(texts, [texts.cookiesTitle, texts.cookies, texts.tryAgain]),
  failed: prepareNotice(texts, [texts.failedTitle, texts.failed, texts.tryAgain]),
  crowded: prepareNotice(texts, [texts.crowdedTitle, texts.crowded, texts.tryAgain]),
});

type PreparedPages = ReturnType<typeof prepareAll>;

const prepared = new Map<Language, PreparedPages>();

function preparePages(language: Language): PreparedPages {
  const pages = prepared.get(language) ?? prepareAll(TEXTS[language]);
  prepared.set(language, pages);
  return pages;
}

/** What people may tell the operator. */
export interface ChallengeReference {
  /** Of the decision. */
  readonly id: string;
  /** Name of the rule that challenged the request; null: attack challenge mode, or not known. */
  readonly rule: string | null;
}

interface PageFrame {
  readonly language: Language;
  readonly host: string;
  readonly reference: ChallengeReference | undefined;
}

function renderReference({ language, reference }: PageFrame): string {
  if (reference === undefined) return "";
  const texts = TEXTS[language];
  const rule = reference.rule === null ? html`` : html` <span>${texts.rule}: <bdi>${reference.rule}</bdi></span>`;
  return html`<span>${texts.reference}: <code dir="ltr">${reference.id}</code></span
    >${rule}`.text;
}

export interface ChallengePage extends PageFrame {
  readonly token: string;
  readonly difficulty: number;
  /** Allows the script, and nothing that others put into the page. */
  readonly nonce: string;
  /** Where to go afterwards; empty: the page is shown in place of what was asked for. */
  readonly returnPath: string;
  /** Issues the pass to a browser without script. */
  readonly waitUrl: string;
  readonly waitSeconds: number;
  /** The form that the request was. */
  readonly form: FormFields | "lost" | undefined;
  /** The person came too early. */
  readonly isEarly: boolean;
}

function renderForm({ form, returnPath, waitUrl, language }: ChallengePage): Html {
  if (form === undefined || form === "lost") return html``;
  const inputs = form.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
  const action = returnPath === "" ? html`` : html` action="${returnPath}"`;
  return html`<form id="form" method="post" ${action}>
    ${inputs}
    <p id="skip"><button formaction="${waitUrl}">${TEXTS[language].formSend}</button></p>
  </form>`;
}

function renderNote({ form, isEarly, language }: ChallengePage): string {
  const texts = TEXTS[language];
  const early = isEarly ? html`<p class="note">${texts.early}</p>` : html``;
  if (form === undefined) return html`${early}<noscript><p>${texts.withoutScript}</p></noscript>`.text;
  return html`${early}
    <p class="note">${form === "lost" ? texts.formLost : texts.formKept}</p>`.text;
}

export function renderChallenge(page: ChallengePage): string {
  const { language, host, token, difficulty, nonce, returnPath, waitUrl, waitSeconds, form } = page;
  const canCarry = form !== undefined && form !== "lost";
  const url = escapeText(waitUrl);
  return fill(preparePages(language).challenge, {
    host: escapeText(host),
    // A form would be lost by it.
    refresh: canCarry ? "" : `<noscript><meta http-equiv="refresh" content="${waitSeconds};url=${url}"></noscript>\n`,
    token,
    difficulty: String(difficulty),
    nonce,
    return: escapeText(returnPath),
    formState: form === undefined ? "" : form === "lost" ? "lost" : "kept",
    opens: form === undefined ? escapeText(TEXTS[language].opens) : "",
    note: renderNote(page),
    skip: canCarry
      ? renderForm(page).text
      : `<p id="skip"><a href="${url}">${escapeText(TEXTS[language].skip)}</a></p>`,
    reference: renderReference(page),
  });
}

export interface NoticePage extends PageFrame {
  readonly notice: Exclude<keyof PreparedPages, "challenge">;
  /** Where its link leads. */
  readonly link: string;
}

export function renderNotice(page: NoticePage): string {
  return fill(preparePages(page.language)[page.notice], {
    host: escapeText(page.host),
    return: escapeText(page.link),
    reference: renderReference(page),
  });
}

/** Loads nothing but the script of ours, and sends nothing but to this origin. */
export function pageHeaders(language: Language, nonce?: string): Readonly<Record<string, string>> {
  const script = nonce === undefined ? "" : ` script-src 'nonce-${nonce}'; worker-src 'self'; connect-src 'self';`;
  return {
    "content-type": "text/html; charset=utf-8",
    "content-language": TEXTS[language].lang,
    "content-security-policy": `default-src 'none';${script} style-src '${STYLE_HASH}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
    vary: "accept, accept-language, cookie, sec-fetch-dest, sec-fetch-mode, x-requested-with",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex",
  };
}
