// One's own account: sign-in, and the browsers that are signed in.
import { requireFreshProof } from "../../../platform/kernel/giving.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { renderEmail } from "./account-email.ts";
import { renderIdentities } from "./account-identities.ts";
import { readMethods, renderMethods } from "./account-methods.ts";
import { fieldOf, textOf } from "../form-body.ts";
import { formatTime } from "../format-time.ts";
import { PASSKEYS } from "../sign-in/method-fields.ts";
import { nameOf, problemOf, signedIn } from "../page.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";

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

/** An action that one operation of the API does. */
const operation =
  (id: string, inputOf: (visit: PageRequest) => Parameters<PageRequest["runOperation"]>[3]) =>
  async (visit: PageRequest): Promise<PageResult> => {
    await visit.runOperation(visit.request, signedIn(visit), id, inputOf(visit));
    return { redirect: "account" };
  };

const idOf = ({ request }: PageRequest) => fieldOf(request, "id");

function showCodes(codes: readonly string[], visit: PageRequest): PageResult {
  const content = html`<p>
      Print them, or store them where your devices are not. They are not shown again, and earlier ones no longer work.
    </p>
    <pre class="code" aria-label="Recovery codes">${codes.join("\n")}</pre>
    <a class="button primary wide" href="account">I have stored them</a>`;
  return { title: "Your recovery codes", content, signedInAs: nameOf(signedIn(visit)) };
}

const ACTIONS: Readonly<Record<string, (visit: PageRequest) => Promise<PageResult>>> = {
  "end-session": operation("deleteSession", (visit) => ({ params: { sessionId: idOf(visit) } })),
  "end-others": operation("deleteSessions", () => ({ query: { keepCurrent: true } })),
  "delete-passkey": operation("deletePasskey", (visit) => ({ params: { passkeyId: idOf(visit) } })),
  "delete-identity": operation("deleteIdentity", (visit) => ({ params: { identityId: idOf(visit) } })),
  "delete-password": operation("deletePassword", () => ({})),
  "change-email": operation("changeEmail", ({ request }) => ({ body: { email: textOf(request, "email") } })),
  "set-password": operation("setPassword", ({ request }) => ({ body: { password: fieldOf(request, "password") } })),

  async "add-passkey"(visit) {
    const { account } = signedIn(visit);
    requireFreshProof(signedIn(visit), visit.now);
    const input = { passkey: fieldOf(visit.request, "passkey"), name: textOf(visit.request, "passkey-name") };
    await visit.signIn.addPasskey(account, input, visit.client);
    return { redirect: "account" };
  },

  async "new-codes"(visit) {
    const made = await visit.runOperation(visit.request, signedIn(visit), "createRecoveryCodes");
    return showCodes((made as { readonly codes: readonly string[] }).codes, visit);
  },
};

const END_OTHERS = html`<form method="post">
  <button class="danger" name="action" value="end-others">Sign out everywhere else</button>
</form>`;

async function renderSessions(visit: PageRequest): Promise<Html> {
  const found = await visit.runOperation(visit.request, signedIn(visit), "listSessions", { query: { limit: PAGE } });
  const { sessions } = found as { readonly sessions: readonly ListedSession[] };
  return html`<section class="panel" aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    <ul class="rows">
      ${sessions.map(sessionRow)}
    </ul>
    ${sessions.length > 1 ? END_OTHERS : html``}
  </section>`;
}

export const accountPage: Page = {
  path: "account",
  summary: "One's own address, sign-in and sessions",
  needsSession: true,

  async show(visit) {
    const content = [
      await renderEmail(visit),
      renderMethods(await readMethods(visit), visit),
      await renderIdentities(visit),
      await renderSessions(visit),
    ];
    return {
      title: "Your account",
      width: "broad",
      content,
      problem: problemOf(visit),
      signedInAs: nameOf(signedIn(visit)),
      script: PASSKEYS,
    };
  },

  async submit(visit) {
    const act = ACTIONS[fieldOf(visit.request, "action")];
    return act ? await act(visit) : { redirect: "account" };
  },
};
