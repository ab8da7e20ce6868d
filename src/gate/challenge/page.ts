// The pages of the challenge.
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";
import { escapeText, fill, place, preparePage } from "../page-frame.ts";
import type { Prepared } from "../page-frame.ts";
import { CHALLENGE_STYLE } from "../page-style.ts";
import { SCRIPT_NAME } from "./browser-script.ts";
import { PUZZLES } from "./difficulty.ts";
import type { FormFields } from "./form.ts";
import { BASE_PATH } from "./routes.ts";
import { TEXTS } from "./texts.ts";
import type { Language, PageTexts } from "./page-texts.ts";

/** A shield with a question mark. */
const SHIELD =
  "M20 13c0 5-3.5 7.5-7.7 9a1 1 0 0 1-.6 0C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.2-2.7a1.2 1.2 0 0 1 1.6 0C14.5 3.8 17 5 19 5a1 1 0 0 1 1 1zM9.1 9a3 3 0 0 1 5.8 1c0 2-3 3-3 3M12 17h.01";

function prepareChallenge(texts: PageTexts): Prepared {
  const attributes = html`id="challenge" data-token="${place("token")}" data-difficulty="${place("difficulty")}"
  data-return="${place("return")}" data-form="${place("formState")}" data-working="${texts.working}"
  data-done="${texts.done}" data-cookies-title="${texts.cookiesTitle}" data-cookies="${texts.cookies}"
  data-failed-title="${texts.failedTitle}" data-failed="${texts.failed}"`;
  const content = html`<div id="explanation">
      <p>${texts.why}</p>
      <p class="hint">${texts.duration} ${place("opens")}</p>
      ${place("note")}
    </div>
    <div id="work" hidden>
      <p id="status" role="status"></p>
      <progress id="progress" max="${PUZZLES}" value="0" aria-label="${texts.progress}"></progress>
    </div>
    <div id="failure" role="alert" hidden>
      <p id="failure-text"></p>
      <button type="button" id="again" class="primary">${texts.tryAgain}</button>
    </div>
    ${place("back")} ${place("skip")}`;
  const end = html`<script nonce="${place("nonce")}" src="${BASE_PATH}/${SCRIPT_NAME}"></script>`;
  return preparePage(texts, { title: texts.title, icon: SHIELD, style: CHALLENGE_STYLE, attributes, content, end });
}

function prepareNotice(texts: PageTexts, [title, text, action]: readonly [string, string, string]): Prepared {
  const content = html`<p>${text}</p>
    <a class="button primary" href="${place("return")}">${action}</a>`;
  return preparePage(texts, { title, icon: SHIELD, style: CHALLENGE_STYLE, content });
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

interface PageSubject {
  readonly language: Language;
  readonly host: string;
  readonly reference: ChallengeReference | undefined;
}

function renderReference({ language, reference }: PageSubject): string {
  if (reference === undefined) return "";
  const texts = TEXTS[language];
  const rule = reference.rule === null ? html`` : html` <span>${texts.rule}: <bdi>${reference.rule}</bdi></span>`;
  return html`<span>${texts.reference}: <code dir="ltr">${reference.id}</code></span
    >${rule}`.text;
}

export interface ChallengePage extends PageSubject {
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

/** Leads back to a form that was lost, after the challenge. */
function renderBack({ formReady, goBack }: PageTexts): Html {
  return html`<button type="button" id="back" class="primary" data-ready="${formReady}" hidden>${goBack}</button>`;
}

function renderNote({ form, isEarly, language }: ChallengePage): string {
  const texts = TEXTS[language];
  const early = isEarly ? html`<p>${texts.early}</p>` : html``;
  if (form === undefined) return html`${early}<noscript><p>${texts.withoutScript}</p></noscript>`.text;
  return html`${early}
    <p>${form === "lost" ? texts.formLost : texts.formKept}</p>`.text;
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
    back: form === "lost" ? renderBack(TEXTS[language]).text : "",
    skip: canCarry
      ? renderForm(page).text
      : `<p id="skip"><a href="${url}">${escapeText(TEXTS[language].skip)}</a></p>`,
    footer: renderReference(page),
  });
}

export interface NoticePage extends PageSubject {
  readonly notice: Exclude<keyof PreparedPages, "challenge">;
  /** Where its link leads. */
  readonly link: string;
}

export function renderNotice(page: NoticePage): string {
  return fill(preparePages(page.language)[page.notice], {
    host: escapeText(page.host),
    return: escapeText(page.link),
    footer: renderReference(page),
  });
}

/** Loads nothing but the script of ours, and sends nothing but to this origin. */
export function pageHeaders(language: Language, nonce?: string): Readonly<Record<string, string>> {
  const script = nonce === undefined ? "" : ` script-src 'nonce-${nonce}'; worker-src 'self'; connect-src 'self';`;
  return {
    "content-type": "text/html; charset=utf-8",
    "content-language": TEXTS[language].lang,
    "content-security-policy": `default-src 'none';${script} style-src ${CHALLENGE_STYLE.source}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
    vary: "accept, accept-language, cookie, sec-fetch-dest, sec-fetch-mode, x-requested-with",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex",
  };
}
