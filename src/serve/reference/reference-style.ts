// The look of the reference page, in the colours of the console.
import { colourSheet } from "../../platform/kernel/appearance.ts";

const COLOUR_SHEET = colourSheet([
  "bg",
  "bg-app",
  "line",
  "text",
  "text-3",
  "accent-text",
  "allowed-text",
  "limited-text",
  "limited-tint",
  "denied-text",
]);

export const STYLE = `${COLOUR_SHEET}
:root { --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0; background: var(--bg); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent-text); text-decoration: none; }
a:hover, main p a { text-decoration: underline; }
code { font: 0.875em/1.5 var(--mono); overflow-wrap: anywhere; }
p code, td code { background: var(--bg-app); border-radius: 4px; padding: 0.1em 0.3em; }
header {
  position: sticky; top: 0; z-index: 1; display: flex; gap: 0.75rem; align-items: baseline;
  padding: 0.75rem 1.5rem; background: var(--bg); border-bottom: 1px solid var(--line);
}
header h1 { margin: 0; font-size: 1rem; line-height: inherit; font-weight: 400; }
.mark { flex: none; align-self: center; width: 1.5rem; height: 1.5rem; }
header h1 a { color: var(--text); font-weight: 700; }
header .version, .quiet { color: var(--text-3); }
header .machine { margin-left: auto; }
.columns { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
nav {
  position: sticky; top: 3.2rem; align-self: start; max-height: calc(100vh - 3.2rem); overflow-y: auto;
  padding: 1.25rem 0.75rem 3rem 1.5rem; font-size: 0.875rem; line-height: 1.4;
}
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul > li { margin-bottom: 1rem; }
nav .tag { font-weight: 600; color: var(--text); }
nav li li a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.15rem 0; color: var(--text-3); }
nav li li a:hover { color: var(--text); }
nav .method { flex: none; width: 3.2rem; font-size: 0.66rem; }
main { padding: 1rem 2.5rem 30vh 2rem; min-width: 0; }
h2 { font-size: 1.65rem; line-height: 1.25; margin: 3rem 0 0.75rem; letter-spacing: -0.015em; }
main > section:first-child h2 { margin-top: 0.75rem; }
h3 { font-size: 1.15rem; margin: 1.5rem 0 0.25rem; }
h4 { font-size: 0.75rem; margin: 1.4rem 0 0.35rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--text-3); }
p { margin: 0.4rem 0; max-width: 70ch; }
.endpoint { border: 1px solid var(--line); border-radius: 10px; padding: 0.25rem 1.5rem 1.25rem; margin: 1.25rem 0; }
.endpoint:target { border-color: var(--accent-text); }
.endpoint h3 a { color: inherit; }
.path { font-size: 1rem; }
.path code { font-weight: 600; background: none; padding: 0; }
.method { font: 600 0.75rem/1.5 var(--mono); color: var(--text-3); }
.path .method { border: 1px solid currentColor; border-radius: 5px; padding: 0.05rem 0.4rem; margin-right: 0.4rem; }
.method.get { color: var(--allowed-text); } .method.post { color: var(--accent-text); } .method.put { color: var(--limited-text); }
.method.patch { color: var(--limited-text); } .method.delete { color: var(--denied-text); }
.aliases { font-size: 0.875rem; color: var(--text-3); }
.access { border-left: 3px solid var(--line); padding-left: 0.75rem; color: var(--text-3); }
.status { letter-spacing: 0; color: var(--allowed-text); font-family: var(--mono); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th { text-align: left; font-weight: 600; color: var(--text-3); font-size: 0.8rem; }
td, th { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
tr:target td { background: var(--limited-tint); }
.fields td { overflow-wrap: anywhere; } .fields td:nth-child(1) { width: 34%; } .fields .type { width: 20%; color: var(--text-3); }
.fields code { background: none; padding: 0; }
.fields .limits { display: block; color: var(--text-3); } .fields .limits code { background: var(--bg-app); padding: 0.1em 0.3em; }
.required { color: var(--denied-text); }
.depth-1 { padding-left: 1.25rem; } .depth-2 { padding-left: 2.5rem; } .depth-3 { padding-left: 3.75rem; }
.depth-4 { padding-left: 5rem; } .depth-5 { padding-left: 6.25rem; } .depth-6 { padding-left: 7.5rem; }
.errors td:first-child, .error-list td:first-child { width: 4.5rem; font-family: var(--mono); font-size: 0.85rem; }
.error-list td:nth-child(2) code { white-space: nowrap; }
.list { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; }
.roles td, .roles thead th { text-align: center; padding: 0.3rem 0.4rem; }
.roles thead th { vertical-align: bottom; }
.roles tr:last-child th { border-bottom: 0; }
.roles thead th span { writing-mode: vertical-rl; transform: rotate(180deg); font: 600 0.72rem/1 var(--mono); }
.roles .yes { color: var(--allowed-text); } .roles .no { color: var(--text-3); opacity: 0.5; }
@media (max-width: 60rem) {
  .columns { display: block; }
  nav { position: static; max-height: none; padding: 1rem 1.5rem; border-bottom: 1px solid var(--line); }
  nav ul ul { display: none; }
  nav > ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
  nav > ul > li { margin: 0; }
  main { padding: 0.5rem 1rem 30vh; }
  .endpoint { padding: 0.25rem 1rem 1rem; }
  .depth-1 { padding-left: 0.5rem; } .depth-2 { padding-left: 1rem; } .depth-3 { padding-left: 1.5rem; }
  .roles td, .roles thead th { padding: 0.3rem 0.1rem; }
  .depth-4 { padding-left: 2rem; } .depth-5 { padding-left: 2.5rem; } .depth-6 { padding-left: 3rem; }
}
@media print { nav, header .machine { display: none; } .columns { display: block; } }
`;
