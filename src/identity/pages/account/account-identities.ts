// The part of the account page about accounts at providers.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { formatTime } from "../format-time.ts";
import { signedIn } from "../page.ts";
import type { PageRequest } from "../page.ts";
import { providerButtons } from "../sign-in/provider-buttons.ts";

interface ListedIdentity {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly email: string | null;
  readonly createdAt: number;
  readonly usedAt: number;
}

const PAGE = 100;

/** What the API says of the visitor's accounts at providers. */
export async function readIdentities(pageRequest: PageRequest): Promise<readonly ListedIdentity[]> {
  const found = await pageRequest.runOperation(pageRequest.request, signedIn(pageRequest), "listIdentities", {
    query: { limit: PAGE },
  });
  return (found as { readonly identities: readonly ListedIdentity[] }).identities;
}

function identityRow(
  { id, provider, subject, email, createdAt, usedAt }: ListedIdentity,
  names: PageRequest["providers"]["list"],
) {
  const name = names.find((one) => one.id === provider)?.name;
  const who = email ?? subject;
  const known = name === undefined ? html` · this provider is no longer there` : html``;
  return html`<li>
    <div>
      <strong>${name ?? provider}</strong> ${who}<br /><span class="quiet"
        >since ${formatTime(createdAt)} · last used ${formatTime(usedAt)}${known}</span
      >
    </div>
    <form method="post">
      <input type="hidden" name="action" value="delete-identity" />
      <input type="hidden" name="id" value="${id}" />
      <button class="danger" aria-label="Disconnect ${who} at ${name ?? provider}">Disconnect</button>
    </form>
  </li>`;
}

/** Nothing where there are no providers, and never were. */
export async function renderIdentities(pageRequest: PageRequest): Promise<Html> {
  const { list } = pageRequest.providers;
  const identities = await readIdentities(pageRequest);
  if (list.length + identities.length === 0) return html``;
  const buttons = providerButtons(list, { kind: "link", returnTo: "account", label: (name) => `Connect ${name}` });
  return html`<section class="panel" aria-labelledby="identities">
    <h2 id="identities">Single sign-on</h2>
    ${
      identities.length === 0
        ? html`<p class="quiet">No account elsewhere signs in to this one.</p>`
        : html`<ul class="rows">
            ${identities.map((identity) => identityRow(identity, list))}
          </ul>`
    }
    ${buttons}
  </section>`;
}

/** Buttons to prove with who one is: of the providers that sign in to the visitor's account. */
export async function proofButtons(pageRequest: PageRequest, returnTo: string): Promise<readonly Html[]> {
  const identities = await readIdentities(pageRequest);
  const own = pageRequest.providers.list.filter(({ id }) => identities.some(({ provider }) => provider === id));
  return providerButtons(own, { kind: "proof", returnTo, label: (name) => `Confirm with ${name}` });
}
