// What a client gets in place of the application: a plain page for people, a problem document for programs, each with the decision's id.
import { hash } from "node:crypto";
import { html } from "../platform/kernel/text/html.ts";
import { DECISION_HEADER, decisionHeader } from "./decision.ts";
import type { GateDecision } from "./decision.ts";
import { prefersPages } from "./message.ts";
import type { GateRequest, GateResponse } from "./message.ts";

interface Words {
  readonly title: string;
  readonly text: string;
}

const REFUSED: Words = {
  title: "This request was refused",
  text: "The firewall of this site does not let this request through. If you think that it should, send the site's operator this id:",
};
const WORDS: Readonly<Record<number, Words>> = {
  403: REFUSED,
  429: {
    title: "Too many requests",
    text: "You have sent more requests than this site takes. Wait a little and try again. If it happens again, send the site's operator this id:",
  },
};

const STYLE = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;
font:1rem/1.5 system-ui,sans-serif}main{max-width:32rem;padding:1.5rem}h1{font-size:1.5rem;line-height:1.2;margin:0 0 .75rem}
code{font:1rem ui-monospace,monospace;overflow-wrap:anywhere}`;
const CSP = `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; frame-ancestors 'none'; base-uri 'none'`;

function page(words: Words, id: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${words.title}</title><style>${STYLE}</style>
<main><h1>${words.title}</h1><p>${words.text}</p><p><code>${html`${id}`.text}</code></p></main></html>
`;
}

function problem(status: number, { title, text }: Words, id: string): string {
  return `${JSON.stringify({ type: "about:blank", title, status, detail: `${text} ${id}`, id })}\n`;
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
  const words = WORDS[status] ?? REFUSED;
  if (prefersPages(request)) {
    const typed = { "content-type": "text/html; charset=utf-8", "content-security-policy": CSP, vary: "accept" };
    return { status, headers: { ...headers, ...typed }, body: page(words, id) };
  }
  const typed = { "content-type": "application/problem+json", vary: "accept" };
  return { status, headers: { ...headers, ...typed }, body: problem(status, words, id) };
}
