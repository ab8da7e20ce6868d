// One's own access tokens, also those that programs got: when they were last used, and a button to end each.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { fieldOf } from "../form-body.ts";
import { formatTime } from "../format-time.ts";
import { nameOf, problemOf, signedIn } from "../page.ts";
import type { Page } from "../page.ts";

interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly suffix: string;
  readonly teamId?: string;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly expiresAt?: number;
}

/** As many as a user has by default (`REEVE_MAX_TOKENS`). */
const PAGE = 100;

function tokenRow({ id, name, suffix, teamId, createdAt, activeAt, expiresAt }: ListedToken): Html {
  const limit = teamId === undefined ? html`` : html` · limited to <code>${teamId}</code>`;
  const end = expiresAt === undefined ? html`no end` : html`ends ${formatTime(expiresAt)}`;
  return html`<li>
    <div>
      <strong>${name}</strong> <code>…${suffix}</code><br /><span class="quiet"
        >since ${formatTime(createdAt)} · last used ${formatTime(activeAt)} · ${end}${limit}</span
      >
    </div>
    <form method="post">
      <input type="hidden" name="id" value="${id}" />
      <button class="danger" aria-label="End the token ${name}, which ends in ${suffix}">End</button>
    </form>
  </li>`;
}

export const tokensPage: Page = {
  path: "tokens",
  summary: "One's own access tokens",
  needsSession: true,

  async show(pageRequest) {
    const caller = signedIn(pageRequest);
    const found = await pageRequest.runOperation(pageRequest.request, caller, "listTokens", { query: { limit: PAGE } });
    const { tokens } = found as { readonly tokens: readonly ListedToken[] };
    const content =
      tokens.length === 0
        ? html`<p>You have none. Programs get them when you approve them, or by the API.</p>`
        : html`<section class="panel">
            <ul class="rows">
              ${tokens.map(tokenRow)}
            </ul>
          </section>`;
    return {
      title: "Your access tokens",
      width: "broad",
      content,
      problem: problemOf(pageRequest),
      signedInAs: nameOf(caller),
    };
  },

  async submit(pageRequest) {
    const params = { tokenId: fieldOf(pageRequest.request, "id") };
    await pageRequest.runOperation(pageRequest.request, signedIn(pageRequest), "deleteToken", { params });
    return { redirect: "tokens" };
  },
};
