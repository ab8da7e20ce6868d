// Proving again who one is, before something that a stranger at an open screen must not do.
import { html } from "../../../platform/kernel/text/html.ts";
import { renderProofs } from "../account/account-identities.ts";
import { PASSKEYS, onlyPasskey, passkeyButton, proofOf } from "./method-fields.ts";
import { nameOf, problemOf, returnPath, signedIn } from "../page.ts";
import type { Page } from "../page.ts";

const PASSWORD_OR_PASSKEY = html`<label for="password">Your password</label>
  <input
    id="password"
    name="password"
    type="password"
    autocomplete="current-password"
    maxlength="256"
    required
    autofocus
  />
  <button class="wide">Confirm</button>
  ${passkeyButton("proof", "Use a passkey")}`;

export const provePage: Page = {
  path: "prove",
  summary: "Confirm that it is you",
  needsSession: true,

  async show(visit) {
    const caller = signedIn(visit);
    const content = html`<p>What you are about to do needs a fresh proof. It holds for ten minutes.</p>
      <form method="post" class="panel">
        <input type="hidden" name="username" value="${caller.account.username}" autocomplete="username" />
        ${visit.signIn.policy.hasPasswords ? PASSWORD_OR_PASSKEY : onlyPasskey(visit, "proof", "Use a passkey")}
      </form>
      ${await renderProofs(visit, returnPath(visit.query("return")))}`;
    return {
      title: "Confirm that it is you",
      content,
      problem: problemOf(visit),
      signedInAs: nameOf(caller),
      script: PASSKEYS,
    };
  },

  async submit(visit) {
    const { account, credentialId } = signedIn(visit);
    const session = { account, sessionId: credentialId as string };
    await visit.signIn.prove(session, proofOf(visit.request), visit.client);
    return { redirect: returnPath(visit.query("return")) };
  },
};
