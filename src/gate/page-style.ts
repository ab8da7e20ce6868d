// The look of the gate's pages: the console's colours, and the fonts of the system. Visitors get it with each page, so it is short.
import { hash } from "node:crypto";
import { colourSheet } from "../platform/kernel/appearance.ts";
import type { Colour } from "../platform/kernel/appearance.ts";
import { Html } from "../platform/kernel/text/html.ts";

/** What both kinds of page have. */
const BASE = `*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;align-content:center;justify-items:center;gap:1.25rem;padding:2rem 1rem;background:var(--bg-app);color:var(--text);font:.875rem/1.5 system-ui,"Segoe UI","Noto Sans",sans-serif}
main,footer{width:min(27rem,100%)}
main{display:grid;gap:1rem;padding:1rem;border:1px solid var(--line-2);border-radius:12px;background:var(--bg)}
svg{width:1.75rem;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
h1,p{margin:0;overflow-wrap:anywhere}
h1{font-size:1.25rem;line-height:1.25}
.site{font-weight:600}
.hint,footer{color:var(--text-3);font-size:.8125rem}
footer{text-align:center}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
button,.button{display:inline-flex;align-items:center;justify-self:start;min-height:2.25rem;padding:0 .75rem;border:1px solid var(--line-2);border-radius:6px;background:var(--bg);color:var(--text);font:inherit;text-decoration:none;cursor:pointer}
.primary{border-color:transparent;background:var(--accent);color:#fff}
:focus-visible{outline:2px solid var(--accent-text);outline-offset:2px}
`;

const COMMON = ["bg-app", "bg", "text", "text-3", "line-2", "accent", "accent-text", "denied-text"] as const;

/** A style sheet as an element, and what a Content-Security-Policy names it by. */
export interface PageStyle {
  readonly element: Html;
  readonly source: string;
}

function createStyle(colours: readonly Colour[], sheet: string): PageStyle {
  const text = `${colourSheet([...COMMON, ...colours])}${BASE}${sheet}`;
  // Without the template tag, because the hash covers every character between the tags.
  return { element: new Html(`<style>${text}</style>`), source: `'sha256-${hash("sha256", text, "base64")}'` };
}

export const REFUSAL_STYLE = createStyle(
  [],
  `svg{color:var(--denied-text)}
.value{display:block;margin:.375rem 0;padding:.375rem .75rem;border:1px solid var(--line-2);border-radius:6px;background:var(--bg-app);user-select:all}
.row{display:flex;flex-wrap:wrap;gap:.5rem}`,
);

/** The bar is the browser's: its parts have other names in each. */
export const CHALLENGE_STYLE = createStyle(
  ["challenged-text"],
  `svg{color:var(--challenged-text)}
[hidden]{display:none!important}
a{color:var(--accent-text)}
#failure p{color:var(--denied-text);margin-bottom:.5rem}
progress{width:100%;accent-color:var(--accent)}
#skip{animation:appear 0s 8s both}
@keyframes appear{from{visibility:hidden}to{visibility:visible}}`,
);
