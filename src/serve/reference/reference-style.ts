// The look of the reference page.

export const STYLE = `
:root {
  --ground: #fff; --panel: #f6f7f9; --line: #e1e4e8; --ink: #1c2128; --quiet: #59636e; --accent: #0b57d0;
  --get: #0a6640; --post: #0b57d0; --patch: #8a4b00; --put: #8a4b00; --delete: #b3261e; --mark: #fff4c2;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101318; --panel: #181c23; --line: #2b313b; --ink: #e3e7ee; --quiet: #97a1b0; --accent: #8ab4f8;
    --get: #6fd6a3; --post: #8ab4f8; --patch: #f0b45f; --put: #f0b45f; --delete: #ff8f85; --mark: #3a3414;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent); text-decoration: none; }
a:hover, main p a { text-decoration: underline; }
code { font: 0.875em/1.5 var(--mono); overflow-wrap: anywhere; }
p code, td code { background: var(--panel); border-radius: 4px; padding: 0.1em 0.3em; }
header {
  position: sticky; top: 0; z-index: 1; display: flex; gap: 0.75rem; align-items: baseline;
  padding: 0.75rem 1.5rem; background: var(--ground); border-bottom: 1px solid var(--line);
}
header h1 { margin: 0; font-size: 1rem; line-height: inherit; font-weight: 400; }
header h1 a { color: var(--ink); font-weight: 700; }
header .version, .quiet { color: var(--quiet); }
header .machine { margin-left: auto; }
.columns { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
nav {
  position: sticky; top: 3.2rem; align-self: start; max-height: calc(100vh - 3.2rem); overflow-y: auto;
  padding: 1.25rem 0.75rem 3rem 1.5rem; font-size: 0.875rem; line-height: 1.4;
}
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul > li { margin-bottom: 1rem; }
nav .tag { font-weight: 600; color: var(--ink); }
nav li li a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.15rem 0; color: var(--quiet); }
nav li li a:hover { color: var(--ink); }
nav .method { flex: none; width: 3.2rem; font-size: 0.66rem; }
main { padding: 1rem 2.5rem 30vh 2rem; min-width: 0; }
h2 { font-size: 1.65rem; line-height: 1.25; margin: 3rem 0 0.75rem; letter-spacing: -0.015em; }
main > section:first-child h2 { margin-top: 0.75rem; }
h3 { font-size: 1.15rem; margin: 1.5rem 0 0.25rem; }
h4 { font-size: 0.75rem; margin: 1.4rem 0 0.35rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--quiet); }
p { margin: 0.4rem 0; max-width: 70ch; }
.endpoint { border: 1px solid var(--line); border-radius: 10px; padding: 0.25rem 1.5rem 1.25rem; margin: 1.25rem 0; }
.endpoint:target { border-color: var(--accent); }
.endpoint h3 a { color: inherit; }
.path { font-size: 1rem; }
.path code { font-weight: 600; background: none; padding: 0; }
.method { font: 600 0.75rem/1.5 var(--mono); color: var(--quiet); }
.path .method { border: 1px solid currentColor; border-radius: 5px; padding: 0.05rem 0.4rem; margin-right: 0.4rem; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.put { color: var(--put); }
.method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
.aliases { font-size: 0.875rem; color: var(--quiet); }
.access { border-left: 3px solid var(--line); padding-left: 0.75rem; color: var(--quiet); }
.status { letter-spacing: 0; color: var(--get); font-family: var(--mono); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: 0.8rem; }
td, th { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
tr:target td { background: var(--mark); }
.fields td { overflow-wrap: anywhere; } .fields td:nth-child(1) { width: 34%; } .fields .type { width: 20%; color: var(--quiet); }
.fields code { background: none; padding: 0; }
.fields .limits { display: block; color: var(--quiet); } .fields .limits code { background: var(--panel); padding: 0.1em 0.3em; }
.required { color: var(--delete); }
.depth-1 { padding-left: 1.25rem; } .depth-2 { padding-left: 2.5rem; } .depth-3 { padding-left: 3.75rem; }
.depth-4 { padding-left: 5rem; } .depth-5 { padding-left: 6.25rem; } .depth-6 { padding-left: 7.5rem; }
.errors td:first-child, .error-list td:first-child { width: 4.5rem; font-family: var(--mono); font-size: 0.85rem; }
.error-list code { white-space: nowrap; }
.list { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; }
.roles td, .roles thead th { text-align: center; padding: 0.3rem 0.4rem; }
.roles thead th { vertical-align: bottom; }
.roles tr:last-child th { border-bottom: 0; }
.roles thead th span { writing-mode: vertical-rl; transform: rotate(180deg); font: 600 0.72rem/1 var(--mono); }
.roles .yes { color: var(--get); } .roles .no { color: var(--quiet); opacity: 0.5; }
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
