// Signing in with a passkey, at a provider, or with a password.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { textOf } from "../form-body.ts";
import { PASSKEYS, proofForms, proofOf, proofProblem } from "./method-fields.ts";
import { providerButtons } from "./provider-buttons.ts";
import { returnPath } from "../page.ts";
import type { Page, PageRequest } from "../page.ts";
import { LOGIN, textField } from "../text-field.ts";

function passwordFields(pageRequest: PageRequest): Html {
  const problem = proofProblem(pageRequest);
  return html`${textField(problem, {
      name: "login",
      label: "E-mail or username",
      value: textOf(pageRequest.request, "login"),
      attributes: LOGIN,
      isFirst: true,
    })}
    ${textField(problem, {
      name: "password",
      label: "Password",
      attributes: html`type="password" autocomplete="current-password" maxlength="256" required`,
      ...(pageRequest.signIn.policy.hasMail && { aside: html`<a href="recover">Send me a link instead</a>` }),
    })} <button class="primary wide">Sign in</button>`;
}

export const signInPage: Page = {
  path: "sign-in",
  summary: "Sign in",
  needsSession: false,

  show(pageRequest) {
    const { caller, query, refusal, signIn, providers } = pageRequest;
    const returnTo = returnPath(query("return"));
    if (caller && !refusal) return { redirect: returnTo };
    const label = (name: string) => `Continue with ${name}`;
    return {
      title: "Sign in",
      preposition: "to",
      content: proofForms(pageRequest, {
        passkeyLabel: label("a passkey"),
        providers: providerButtons(providers.list, { kind: "sign-in", returnTo, label }),
        password: passwordFields(pageRequest),
      }),
      foot: html`<a href="recover">I can't sign in</a>`,
      footer:
        signIn.policy.signUp.kind === "invitation"
          ? html`<p>No account? Open the link of your invitation.</p>`
          : html`<p>No account? <a href="sign-up">Create an account</a></p>`,
      problem: proofProblem(pageRequest),
      script: PASSKEYS,
    };
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
