// What a client gets in place of the application: a page for people, in their language, and a problem document for programs, each with
// the decision's id.
import { html } from "../platform/kernel/text/html.ts";
import { canonicalHost } from "./challenge/keys.ts";
import { chooseLanguage } from "./challenge/language.ts";
import type { Language } from "./challenge/page-texts.ts";
import { TEXTS } from "./challenge/texts.ts";
import { DECISION_HEADER, decisionHeader } from "./decision.ts";
import type { GateDecision } from "./decision.ts";
import { headerOf, prefersPages } from "./message.ts";
import type { GateRequest, GateResponse } from "./message.ts";
import { escapeText, fill, place, preparePage } from "./page-frame.ts";
import type { Prepared } from "./page-frame.ts";
import { REFUSAL_TEXTS } from "./refusal-texts.ts";
import { REFUSAL_STYLE } from "./page-style.ts";

const CSP = `default-src 'none'; style-src ${REFUSAL_STYLE.source}; img-src data:; frame-ancestors 'none'; base-uri 'none'`;

/** An octagon with a cross. */
const OCTAGON =
  "m15 9-6 6M9 9l6 6M2.6 16.7A2 2 0 0 1 2 15.3V8.7a2 2 0 0 1 .6-1.4l4.7-4.7A2 2 0 0 1 8.7 2h6.6a2 2 0 0 1 1.4.6l4.7 4.7a2 2 0 0 1 .6 1.4v6.6a2 2 0 0 1-.6 1.4l-4.7 4.7a2 2 0 0 1-1.4.6H8.7a2 2 0 0 1-1.4-.6z";

type Kind = "denied" | "limited";
/** As `code` of the challenge's problem documents. */
const CODES: Readonly<Record<Kind, string>> = { denied: "denied", limited: "rate_limited" };
const kindOf = (status: number): Kind => (status === 429 ? "limited" : "denied");

function prepare(language: Language, kind: Kind): Prepared {
  const [common, texts] = [TEXTS[language], REFUSAL_TEXTS[language]];
  // Trying again is right after a rate limit; a rule denies the same request again.
  const [start, again] = kind === "limited" ? ["", " primary"] : [" primary", ""];
  const content = html`<p>${texts[kind]}</p>
    <div>
      <b id="id">${common.reference}</b>
      <code class="value" dir="ltr" role="group" aria-labelledby="id">${place("id")}</code>
      <p class="hint">${texts.mistake}</p>
    </div>
    <div class="row">
      <a class="button${start}" href="/">${texts.home}</a><a class="button${again}" href="">${common.tryAgain}</a>
    </div>`;
  return preparePage(common, { title: texts[`${kind}Title`], icon: OCTAGON, style: REFUSAL_STYLE, content });
}

const prepared = new Map<string, Prepared>();

function page(request: GateRequest, kind: Kind, id: string, language: Language): string {
  const name = `${language} ${kind}`;
  const found = prepared.get(name) ?? prepare(language, kind);
  prepared.set(name, found);
  return fill(found, { host: escapeText(canonicalHost(request)), id: escapeText(id) });
}

function problem(status: number, id: string): string {
  const kind = kindOf(status);
  const texts = REFUSAL_TEXTS.en;
  const detail = `${texts[kind]} ${TEXTS.en.reference}: ${id}`;
  return `${JSON.stringify({ type: "about:blank", title: texts[`${kind}Title`], status, detail, code: CODES[kind], id })}\n`;
}

/** Headers of every response that the gate gives itself. */
const COMMON = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

/** The response of a decision that neither lets the request through nor challenges it. */
export function refuse(request: GateRequest, decision: GateDecision): GateResponse {
  const { id, location, retryAfter } = decision;
  const status = decision.status ?? 403;
  const headers = {
    ...COMMON,
    [DECISION_HEADER]: decisionHeader(decision),
    ...(retryAfter !== null && { "retry-after": String(retryAfter) }),
  };
  if (location !== null) return { status, headers: { ...headers, location }, body: null };
  if (prefersPages(request)) {
    const language = chooseLanguage(headerOf(request, "accept-language"));
    const typed = {
      "content-type": "text/html; charset=utf-8",
      "content-language": TEXTS[language].lang,
      "content-security-policy": CSP,
      vary: "accept, accept-language",
    };
    return { status, headers: { ...headers, ...typed }, body: page(request, kindOf(status), id, language) };
  }
  const typed = { "content-type": "application/problem+json", vary: "accept" };
  return { status, headers: { ...headers, ...typed }, body: problem(status, id) };
}
