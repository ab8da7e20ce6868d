// The page of those who have no script, or whose server has no app: who one is here, and the teams one is in.
import { roleName } from "../../platform/kernel/roles.ts";
import { html } from "../../platform/kernel/text/html.ts";
import { nameOf, signedIn } from "./page.ts";
import type { Page } from "./page.ts";

interface ListedTeam {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
  readonly membership?: { readonly role: string };
}

const PAGE = 100;

export const homePage: Page = {
  path: "plain",
  summary: "Who one is, and one's teams, without script",
  needsSession: true,

  async show(pageRequest) {
    const caller = signedIn(pageRequest);
    const { username, email, isAdmin } = caller.account;
    const found = await pageRequest.runOperation(pageRequest.request, caller, "listTeams", { query: { limit: PAGE } });
    const { teams } = found as { readonly teams: readonly ListedTeam[] };
    const content = html`<section class="panel" aria-labelledby="you">
        <h2 id="you">You</h2>
        <dl>
          <dt>Username</dt>
          <dd>${username}</dd>
          <dt>E-mail</dt>
          <dd>${email}</dd>
          ${
            isAdmin
              ? html`<dt>Instance</dt>
                  <dd>administrator</dd>`
              : html``
          }
        </dl>
        <p><a href="account">Sign-in and sessions</a> · <a href="tokens">Access tokens</a></p>
      </section>
      <section class="panel" aria-labelledby="teams">
        <h2 id="teams">Teams</h2>
        ${
          teams.length === 0
            ? html`<p class="quiet">
                You are in no team yet. Open the link of an invitation, or create a team by the API.
              </p>`
            : html`<ul class="rows">
                ${teams.map(
                  ({ slug, name, membership }) =>
                    html`<li>
                      <strong>${name ?? slug}</strong>
                      ${name === null || name === slug ? html`` : html`<code>${slug}</code>`}
                      <span class="quiet">${roleName(membership?.role ?? "")}</span>
                    </li>`,
                )}
              </ul>`
        }
      </section>`;
    return {
      title: `Welcome, ${nameOf(caller)}`,
      preposition: "to",
      width: "broad",
      content,
      signedInAs: nameOf(caller),
    };
  },
};
