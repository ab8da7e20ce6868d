// The look of pages that stand alone: one card in the middle. The values are those of console/style/tokens.css; nothing is loaded, so
// the fonts are those of the system.
import { colourSheet } from "../kernel/appearance.ts";

const COLOUR_SHEET = colourSheet([
  "bg-app",
  "bg",
  "bg-hover",
  "bg-input",
  "text",
  "text-2",
  "text-3",
  "line",
  "line-2",
  "line-control",
  "accent",
  "accent-hover",
  "accent-text",
  "on-accent",
  "focus",
  "allowed-text",
  "allowed-tint",
  "denied-mark",
  "denied-text",
  "denied-tint",
  "limited-text",
  "limited-tint",
]);

export const CARD_STYLE = `${COLOUR_SHEET}
:root {
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --control: 2rem;
}
@media (pointer: coarse) { :root { --control: 2.5rem; } }
@media (prefers-contrast: more) { :root { --line: var(--line-control); --line-2: var(--line-control); --text-3: var(--text-2); } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); align-content: center; justify-items: center; gap: 1.25rem; padding: 2rem 1rem;
  background: var(--bg-app); color: var(--text); font: 0.8125rem/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
}
h1, h2, p, dl, dd, pre, ul { margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; line-height: 1.25; font-weight: 600; letter-spacing: -0.012em; }
h2 { font-size: 0.875rem; line-height: 1.25; font-weight: 600; }
strong { font-weight: 500; color: var(--text); }
a { color: var(--accent-text); text-decoration: none; }
a:hover, p a { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
header { display: flex; align-items: center; gap: 0.5rem; font-size: 1rem; font-weight: 600; }
.mark { flex: none; inline-size: 1.5rem; block-size: 1.5rem; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; inline-size: min(22.5rem, 100%); padding: 1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--bg); }
main.medium { inline-size: min(27rem, 100%); }
main.broad { inline-size: min(46rem, 100%); }
main > form, .panel, .title { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
.title { gap: 0.25rem; }
.panel > form { display: grid; gap: 1rem; }
.panel, .foot { margin-inline: -1rem; padding: 1rem 1rem 0; border-block-start: 1px solid var(--line); }
.foot { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding-block-start: 0.75rem; margin-block-end: -0.25rem; color: var(--text-3); font-size: 0.75rem; }
.soft { color: var(--text-2); }
.quiet, .hint, footer { color: var(--text-3); }
.hint, footer { font-size: 0.75rem; }
footer { display: grid; justify-items: center; gap: 0.25rem; text-align: center; inline-size: min(27rem, 100%); }
footer nav { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.25rem 1rem; align-items: center; }
footer nav a, footer nav button, .foot a { min-block-size: 1.5rem; display: inline-flex; align-items: center; }
footer nav button { padding: 0; border: 0; background: none; color: var(--accent-text); font-weight: 400; }
footer nav button:hover { background: none; text-decoration: underline; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.375rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(10rem, 100%), 1fr)); gap: 1rem; }
.field:has(> a) { grid-template-columns: auto minmax(0, 1fr); column-gap: 0.75rem; }
.field:has(> a) > :not(label, a) { grid-column: 1 / -1; }
.field > a { grid-area: 1 / 2; justify-self: end; font-size: 0.75rem; }
label { font-weight: 500; }
input, select {
  inline-size: 100%; min-block-size: var(--control); padding: 0.25rem 0.5rem; border: 1px solid var(--line-control); border-radius: 6px;
  background: var(--bg-input); color: inherit; font: inherit;
}
input:focus-visible, select:focus-visible { outline-offset: -1px; }
input[aria-invalid] { border-color: var(--denied-mark); }
@media (pointer: coarse) { input, select { font-size: 1rem; } }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; justify-self: start; gap: 0.375rem; min-block-size: var(--control); padding: 0.25rem 0.75rem; border: 1px solid var(--line-2);
  border-radius: 6px; background: var(--bg); color: var(--text); font: inherit; font-weight: 500; text-align: center; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { background: var(--bg-hover); text-decoration: none; }
.primary { border-color: transparent; background: var(--accent); color: var(--on-accent); }
.primary:hover { background: var(--accent-hover); }
[data-passkey-part]:not([hidden]) ~ form .primary { border-color: var(--line-2); background: var(--bg); color: var(--text); }
[data-passkey-part]:not([hidden]) ~ form .primary:hover { background: var(--bg-hover); }
.danger { color: var(--denied-text); }
.wide { justify-self: stretch; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.row > button { flex: 1 1 8rem; }
.i { flex: none; inline-size: 1rem; block-size: 1rem; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
button:not(.primary) > .i { color: var(--text-3); }
.problem { display: flex; gap: 0.375rem; align-items: flex-start; color: var(--denied-text); font-size: 0.75rem; }
.problem > .i { margin-block-start: 1px; }
[data-passkey-part] { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0; }
[data-passkey-part] > .or { margin-block-end: 1rem; }
[data-passkey-status]:not(:empty) { margin-block-start: 0.5rem; }
main.broad :is(.field, .wide, [data-passkey-part]) { inline-size: min(22.5rem, 100%); justify-self: start; }
.banner { display: flex; gap: 0.5rem; align-items: flex-start; padding: 0.5rem 0.75rem; border-radius: 6px; font-size: inherit; }
.banner > .i { margin-block-start: 1px; }
.problem.banner { background: var(--denied-tint); color: var(--text); }
.problem.banner > .i { color: var(--denied-text); }
.note { background: var(--allowed-tint); }
.note > .i { color: var(--allowed-text); }
.warning { background: var(--limited-tint); }
.warning > .i { color: var(--limited-text); }
.or { display: flex; align-items: center; gap: 0.75rem; color: var(--text-3); font-size: 0.75rem; }
.or::before, .or::after { content: ""; flex: 1; border-block-start: 1px solid var(--line-2); }
[hidden] + .or { display: none; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.5rem 1rem; align-items: baseline; }
dt { color: var(--text-3); }
ul.rows { list-style: none; padding: 0; }
ul.rows > li { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; padding-block: 0.5rem; border-block-start: 1px solid var(--line); }
ul.rows > li:first-child { border-block-start: 0; }
ul.rows > li > :last-child { margin-inline-start: auto; }
code, .code { font: 0.75rem/1.5 var(--mono); overflow-wrap: anywhere; }
.code { padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--bg-app); user-select: all; }
.large { font: 600 1.625rem/1.25 var(--mono); letter-spacing: 0.08em; }
`;
