// Proving again who one is, before something that a stranger at an open screen must not do.
import { html } from "../../../platform/kernel/text/html.ts";
import { proofButtons } from "../account/account-identities.ts";
import { PASSKEYS, proofForms, proofOf, proofProblem } from "./method-fields.ts";
import { nameOf, returnPath, signedIn } from "../page.ts";
import type { Page } from "../page.ts";
import { textField } from "../text-field.ts";

export const provePage: Page = {
  path: "prove",
  summary: "Confirm it is you",
  needsSession: true,

  async show(pageRequest) {
    const caller = signedIn(pageRequest);
    const problem = proofProblem(pageRequest);
    const password = textField(problem, {
      name: "password",
      label: "Your password",
      attributes: html`type="password" autocomplete="current-password" maxlength="256" required`,
      isFirst: true,
    });
    const content = html`<p>What you are about to do needs it. It holds for ten minutes.</p>
      ${proofForms(pageRequest, {
        passkeyLabel: "Use a passkey",
        providers: await proofButtons(pageRequest, returnPath(pageRequest.query("return"))),
        password: html`${password}<button class="primary wide">Confirm</button>`,
        hidden: html`<input
          type="hidden"
          name="username"
          value="${caller.account.username}"
          autocomplete="username"
        />`,
      })}`;
    return { title: "Confirm it is you", content, problem, signedInAs: nameOf(caller), script: PASSKEYS };
  },

  async submit(pageRequest) {
    const { account, credentialId } = signedIn(pageRequest);
    const session = { account, sessionId: credentialId as string };
    await pageRequest.signIn.prove(session, proofOf(pageRequest.request), pageRequest.client);
    return { redirect: returnPath(pageRequest.query("return")) };
  },
};
