// One's own account: the ways to sign in, and the browsers that are signed in.
import { html } from "../documentation/html.ts";
import type { Html } from "../documentation/html.ts";
import { fieldOf } from "./form-body.ts";
import { formatTime } from "./format-time.ts";
import { nameOf, signedIn } from "./page.ts";
import type { Page, PageResult, Visit } from "./page.ts";

interface ListedSession {
  readonly id: string;
  readonly device: string;
  readonly ip: string;
  readonly isCurrent: boolean;
  readonly createdAt: number;
  readonly activeAt: number;
}

const PAGE = 100;

function sessionRow({ id, device, ip, isCurrent, createdAt, activeAt }: ListedSession): Html {
  const end = isCurrent
    ? html`<span class="quiet">this browser</span>`
    : html`<form method="post">
        <input type="hidden" name="action" value="end-session" />
        <input type="hidden" name="id" value="${id}" />
        <button class="danger" aria-label="End the session on ${device} from ${ip}">End</button>
      </form>`;
  return html`<li>
    <div>
      <strong>${device}</strong><br /><span class="quiet"
        >${ip} · since ${formatTime(createdAt)} · last used ${formatTime(activeAt)}</span
      >
    </div>
    ${end}
  </li>`;
}

const ACTIONS: Readonly<Record<string, (visit: Visit) => Promise<PageResult>>> = {
  async "end-session"(visit) {
    const params = { sessionId: fieldOf(visit.request, "id") };
    await visit.runOperation(visit.request, signedIn(visit), "deleteSession", { params });
    return { redirect: "account" };
  },
  async "end-others"(visit) {
    await visit.runOperation(visit.request, signedIn(visit), "deleteSessions", { query: { keepCurrent: true } });
    return { redirect: "account" };
  },
};

export const accountPage: Page = {
  path: "account",
  summary: "One's own sessions and ways to sign in",
  needsSession: true,

  async show(visit) {
    const caller = signedIn(visit);
    const found = await visit.runOperation(visit.request, caller, "listSessions", { query: { limit: PAGE } });
    const { sessions } = found as { readonly sessions: readonly ListedSession[] };
    const content = html`<section class="panel" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul class="rows">
        ${sessions.map(sessionRow)}
      </ul>
      <form method="post">
        <input type="hidden" name="action" value="end-others" />
        <button class="danger">Sign out everywhere else</button>
      </form>
    </section>`;
    return { title: "Your account", content, problem: visit.refusal?.message ?? null, signedInAs: nameOf(caller) };
  },

  async submit(visit) {
    const act = ACTIONS[fieldOf(visit.request, "action")];
    return act ? await act(visit) : { redirect: "account" };
  },
};
