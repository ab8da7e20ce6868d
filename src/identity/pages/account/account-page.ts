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
  (id: string, inputOf: (pageRequest: PageRequest) => Parameters<PageRequest["runOperation"]>[3]) =>
  async (pageRequest: PageRequest): Promise<PageResult> => {
    await pageRequest.runOperation(pageRequest.request, signedIn(pageRequest), id, inputOf(pageRequest));
    return { redirect: "account" };
  };

const idOf = ({ request }: PageRequest) => fieldOf(request, "id");

function showCodes(codes: readonly string[], pageRequest: PageRequest): PageResult {
  const content = html`<p>
      Print them, or store them where your devices are not. They are not shown again, and earlier ones no longer work.
    </p>
    <pre class="code" aria-label="Recovery codes">${codes.join("\n")}</pre>
    <a class="button primary wide" href="account">I have stored them</a>`;
  return { title: "Your recovery codes", content, signedInAs: nameOf(signedIn(pageRequest)) };
}

const ACTIONS: Readonly<Record<string, (pageRequest: PageRequest) => Promise<PageResult>>> = {
  "end-session": operation("deleteSession", (pageRequest) => ({ params: { sessionId: idOf(pageRequest) } })),
  "end-others": operation("deleteSessions", () => ({ query: { keepCurrent: true } })),
  "delete-passkey": operation("deletePasskey", (pageRequest) => ({ params: { passkeyId: idOf(pageRequest) } })),
  "delete-identity": operation("deleteIdentity", (pageRequest) => ({ params: { identityId: idOf(pageRequest) } })),
  "delete-password": operation("deletePassword", () => ({})),
  "change-email": operation("changeEmail", ({ request }) => ({ body: { email: textOf(request, "email") } })),
  "set-password": operation("setPassword", ({ request }) => ({ body: { password: fieldOf(request, "password") } })),

  async "add-passkey"(pageRequest) {
    const { account } = signedIn(pageRequest);
    requireFreshProof(signedIn(pageRequest), pageRequest.now);
    const input = {
      passkey: fieldOf(pageRequest.request, "passkey"),
      name: textOf(pageRequest.request, "passkey-name"),
    };
    await pageRequest.signIn.addPasskey(account, input, pageRequest.client);
    return { redirect: "account" };
  },

  async "new-codes"(pageRequest) {
    const made = await pageRequest.runOperation(pageRequest.request, signedIn(pageRequest), "createRecoveryCodes");
    return showCodes((made as { readonly codes: readonly string[] }).codes, pageRequest);
  },
};

const END_OTHERS = html`<form method="post">
  <button class="danger" name="action" value="end-others">Sign out everywhere else</button>
</form>`;

async function renderSessions(pageRequest: PageRequest): Promise<Html> {
  const found = await pageRequest.runOperation(pageRequest.request, signedIn(pageRequest), "listSessions", {
    query: { limit: PAGE },
  });
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

  async show(pageRequest) {
    const content = [
      await renderEmail(pageRequest),
      renderMethods(await readMethods(pageRequest), pageRequest),
      await renderIdentities(pageRequest),
      await renderSessions(pageRequest),
    ];
    return {
      title: "Your account",
      width: "broad",
      content,
      problem: problemOf(pageRequest),
      signedInAs: nameOf(signedIn(pageRequest)),
      script: PASSKEYS,
    };
  },

  async submit(pageRequest) {
    const act = ACTIONS[fieldOf(pageRequest.request, "action")];
    return act ? await act(pageRequest) : { redirect: "account" };
  },
};
