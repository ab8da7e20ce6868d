// The look of the pages: the console's colours and type, with the fonts of the system.

export const PAGE_STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f7;--panel:#fff;--line:#d5d9df;--ink:#1c2128;--quiet:#57606a;--accent:#0b57d0;--on-accent:#fff;--danger:#b3261e;--danger-ground:#fdecea}
@media(prefers-color-scheme:dark){:root{--ground:#0e1116;--panel:#171b22;--line:#39414d;--ink:#e6eaf0;--quiet:#a3adba;--accent:#8ab4f8;--on-accent:#10131a;--danger:#ff9d94;--danger-ground:#33191a}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;padding:12vh 1.25rem 2rem;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}
main,footer{width:100%;max-width:34rem}
main{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:1.75rem}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;margin:0 0 .75rem}
:lang(ar) h1{letter-spacing:0}
p{margin:.75rem 0 0;overflow-wrap:anywhere}
.site{margin:0 0 .25rem;color:var(--quiet);font-size:.875rem}
.quiet{color:var(--quiet)}
.note{border-inline-start:4px solid var(--accent);padding-inline-start:.75rem}
.failure{margin-top:1.25rem;border-radius:8px;padding:.75rem 1rem;background:var(--danger-ground);color:var(--danger);border:1px solid currentColor}
.failure p{margin:0}
#work{margin-top:1.5rem}
#work p{margin:0;min-height:1.5em;font-weight:600}
progress{display:block;appearance:none;-webkit-appearance:none;width:100%;height:8px;margin-top:.5rem;border:0;border-radius:4px;overflow:hidden;background:var(--line);accent-color:var(--accent)}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--accent);transition:inline-size .2s}
progress::-moz-progress-bar{background:var(--accent)}
#skip{animation:appear 0s 8s both}
@keyframes appear{from{visibility:hidden}to{visibility:visible}}
@media(prefers-reduced-motion:reduce){progress::-webkit-progress-value{transition:none}}
a{color:var(--accent)}
button,.button{display:inline-block;font:inherit;font-weight:600;text-decoration:none;cursor:pointer;border-radius:8px;padding:.55rem 1rem;margin-top:1.25rem;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
footer{padding:1rem 1.75rem;font-size:.875rem;color:var(--quiet)}
footer p{margin:0}
footer span{display:inline-block;margin-inline-end:1rem}
code{font:.9em/1.6 ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
`;
