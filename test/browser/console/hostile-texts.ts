// Texts that do harm where they are taken for anything but text. Each sets `window.ran` or asks another host if it is run.
const RUN = "window.ran=1";

export const HOSTILE: readonly string[] = [
  `<script>${RUN}</script>`,
  `"><img src=x onerror="${RUN}">`,
  `'><svg/onload=${RUN}>`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<a href="javascript:${RUN}" autofocus onfocus=${RUN}>link</a>`,
  `javascript:${RUN}//`,
  `data:text/html,<script>${RUN}</script>`,
  `" autofocus onfocus="${RUN}" x="`,
  `</textarea></title></style></script><script>${RUN}</script>`,
  `<link rel=stylesheet href=http://198.51.100.1/x.css><img src=//198.51.100.1/x>`,
  "<base href=//198.51.100.1/><meta http-equiv=refresh content=0;url=//198.51.100.1/>",
  "{{constructor.constructor('window.ran=1')()}} ${window.ran=1} <%= 1 %> #{1}",
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  "\u{202E}txet desrever\u{2066} <b>isolate",
  "zero\u{200B}width\u{200D}\u{FEFF}\u{2060} joined",
  "W".repeat(400),
  "\u{0041}" + "\u{0301}".repeat(80),
  `');drop table users;--\\`,
  "__proto__",
];
