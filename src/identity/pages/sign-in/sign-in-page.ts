// Signing in with a password or a passkey.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { textOf } from "../form-body.ts";
import { PASSKEYS, onlyPasskey, passkeyButton, proofOf } from "./method-fields.ts";
import { providerPanel } from "./provider-buttons.ts";
import { problemOf, returnPath } from "../page.ts";
import type { Page, PageRequest } from "../page.ts";

function passwordOrPasskey({ request }: PageRequest): Html {
  return html`<label for="login">Username or e-mail address</label>
    <input
      id="login"
      name="login"
      value="${textOf(request, "login")}"
      autocomplete="username"
      autocapitalize="none"
      spellcheck="false"
      maxlength="256"
      required
      autofocus
    />
    <label for="password">Password</label>
    <input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required />
    <button class="wide">Sign in</button>
    ${passkeyButton("proof", "Sign in with a passkey")}`;
}

export const signInPage: Page = {
  path: "sign-in",
  summary: "Sign in",
  needsSession: false,

  show(visit) {
    const { caller, query, refusal, signIn, providers } = visit;
    const back = returnPath(query("return"));
    if (caller && !refusal) return { redirect: back };
    const content = html`<form method="post" class="panel">
        ${signIn.policy.hasPasswords ? passwordOrPasskey(visit) : onlyPasskey(visit, "proof", "Sign in with a passkey")}
        <p class="hint"><a href="recover">I can't sign in</a></p>
        ${
          signIn.policy.signUp.kind === "invitation"
            ? html``
            : html`<p class="hint"><a href="sign-up">I have no account: make one</a></p>`
        }
      </form>
      ${providerPanel(providers.list, { kind: "sign-in", returnTo: back, label: (name) => `Continue with ${name}` })}`;
    return { title: "Sign in", content, problem: problemOf({ refusal }), script: PASSKEYS };
  },

  async submit({ signIn, client, request, query }) {
    const proof = proofOf(request);
    const opened =
      "passkey" in proof
        ? await signIn.withPasskey(proof.passkey, client)
        : await signIn.withPassword({ login: textOf(request, "login"), ...proof }, client);
    return { redirect: returnPath(query("return")), signedIn: opened };
  },
};
