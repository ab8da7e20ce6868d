// The page of a link that confirms a change of address, at the old or at the new one. It needs no session: the link may be opened
// anywhere.
import { isSameEmail } from "../../../platform/kernel/text/email-address.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import { problemOf } from "../page.ts";
import type { Page, PageResult } from "../page.ts";
import { deadLink } from "../sign-in/set-up-page.ts";

const RESULTS: Readonly<Record<string, string>> = {
  changed: "The e-mail address of the account is changed.",
  old: "Confirmed. The address changes when the old one has confirmed, too: look for the mail there.",
  new: "Confirmed. The address changes when the new one has confirmed, too: look for the mail there.",
};

const STRANGERS = {
  old: "You did not ask for this? Do not confirm: somebody else is signed in to your account. Sign in, and end all other sessions.",
  new: "You did not ask for this? Close this page: nothing happens.",
} as const;

function showResult(note: string): PageResult {
  const content = html`<p><a href="account">Go to your account</a></p>`;
  return { title: "Your e-mail address", content, note };
}

export const confirmEmailPage: Page = {
  path: "confirm-email",
  summary: "Confirm a change of e-mail address",
  needsSession: false,

  async show({ signIn, query, refusal }) {
    const note = RESULTS[query("done")];
    if (note !== undefined) return showResult(note);
    const change = await signIn.previewEmailChange(query("code"));
    if (!change || refusal?.code === "link_unknown") return deadLink();
    const { username, previous, email, side } = change;
    const isSame = isSameEmail(email, previous);
    const content = html`<dl>
        <dt>Account</dt>
        <dd><strong>${username}</strong></dd>
        ${
          isSame
            ? html``
            : html`<dt>Old address</dt>
                <dd>${previous}</dd>`
        }
        <dt>${isSame ? "Address" : "New address"}</dt>
        <dd>${email}</dd>
      </dl>
      <form method="post">
        <button class="primary wide">${isSame ? "Confirm the address" : "Confirm the change"}</button>
      </form>`;
    const footer = html`<p>${STRANGERS[side]}</p>`;
    return { title: "Confirm an e-mail address", content, footer, problem: problemOf({ refusal }) };
  },

  async submit({ signIn, client, query }) {
    const { waitsFor } = await signIn.confirmEmail(query("code"), client);
    return { redirect: `confirm-email?done=${waitsFor ?? "changed"}` };
  },
};
