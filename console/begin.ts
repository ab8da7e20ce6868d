// The first script of every page: the app, the code of the page and what it reads first are loaded at the same time.
import { ADDRESSES } from "./addresses.ts";
import { readEarly } from "./api/early.ts";
import { PAGE_CODE } from "./page-code.ts";
import { isOfProject, routeOf, sectionOf } from "./routes.ts";
import type { PageName } from "./routes.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/parts.css";
import "./style/table.css";
import "./style/popups.css";
import "./style/shell.css";
import "./style/drawer.css";
import "./style/project.css";
import "./style/firewall.css";

const PROJECTS = "v9/projects?teamId=:team&limit=100";

/** The lists of a page without filters, as the page asks for them. */
const LISTS: Readonly<Partial<Record<PageName, readonly string[]>>> = {
  home: ["v2/teams?limit=100"],
  secrets: ["v2/secrets?teamId=:team&limit=50"],
  events: ["v3/events?limit=50&teamId=:team&withPayload=true"],
  checkpoints: ["v1/events/checkpoints?teamId=:team&limit=20"],
  webhooks: ["v1/webhooks?teamId=:team&withHealth=true"],
  members: [
    "v2/teams/:team/members?limit=50&withActivity=true",
    "v2/teams/:team/members?limit=100&accessRequested=true",
  ],
  tokens: ["v6/user/tokens?limit=50"],
};

const base = new URL(document.baseURI).pathname.replace(/\/$/, "");
const params = new URLSearchParams(location.search);
const place = location.pathname.slice(base.length);

for (const [page, address] of Object.entries(ADDRESSES) as [PageName, string][]) {
  const match = new RegExp(`^${address.replaceAll(/:\w+/g, "([^/]+)")}$`).exec(place);
  if (!match) continue;
  const reads = [
    "v2/user",
    ...(address.startsWith(ADDRESSES.team) ? ["v2/teams/:team"] : []),
    ...((location.search === "" && LISTS[page]) || []),
    // Without one in its address, the page is about one of them.
    ...(isOfProject(sectionOf(routeOf(page))) && !params.has("project") ? [PROJECTS] : []),
  ];
  for (const read of reads) readEarly(read.replace(":team", match[1] ?? ""));
  // The page itself says why its code does not come.
  PAGE_CODE[page]().catch(() => undefined);
}
void import("./main.tsx");
