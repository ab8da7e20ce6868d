// Making an account for oneself: the address first, then, where the mailed link leads, the account.
import { html } from "../../../platform/kernel/text/html.ts";
import { textOf } from "../form-body.ts";
import { PASSKEYS } from "./method-fields.ts";
import { newAccountFields, newAccountOf } from "./new-account-fields.ts";
import { problemOf } from "../page.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";
import { EMAIL, textField } from "../text-field.ts";
import { deadLink } from "./set-up-page.ts";

const SENT = "A mail is on its way to this address. Its link works once, for a day.";
const SIGN_IN = html`<p>You have an account? <a href="sign-in">Sign in</a></p>`;

function showClosed(): PageResult {
  return {
    title: "Ask for an invitation",
    content: html`<p>Accounts are made by invitation on this server.</p>
      <p>
        Ask an owner of your team, or the operator of this server, to invite your e-mail address. The operator can
        change this with <code>REEVE_SIGN_UP</code>.
      </p>`,
    footer: SIGN_IN,
    status: 403,
  };
}

function showForm({ request, refusal, query, signIn }: PageRequest): PageResult {
  const { signUp } = signIn.policy;
  const domains = signUp.kind === "domains" ? signUp.domains.join(" or ") : null;
  const problem = problemOf({ refusal });
  const content = html`<form method="post">
    ${textField(problem, {
      name: "email",
      label: "E-mail address",
      value: textOf(request, "email"),
      attributes: EMAIL,
      hint: `${domains === null ? "" : `An address of ${domains}. `}A link goes there, which makes the account.`,
      isFirst: true,
    })}
    <button class="primary wide">Send me a link</button>
  </form>`;
  const note = query("sent") === "" || refusal ? null : SENT;
  return { title: "Create an account", content, footer: SIGN_IN, problem, note };
}

export const signUpPage: Page = {
  path: "sign-up",
  summary: "Make an account for oneself",
  needsSession: false,

  async show(pageRequest) {
    const { caller, query, refusal, signIn } = pageRequest;
    const code = query("code");
    if (signIn.policy.signUp.kind === "invitation") return showClosed();
    if (code === "") return caller && !refusal ? { redirect: "./" } : showForm(pageRequest);
    const email = await signIn.previewSignUp(code);
    if (email === undefined || refusal?.code === "link_unknown") return deadLink();
    const content = html`<form method="post">${newAccountFields(pageRequest, email, "Create account")}</form>`;
    return { title: "Create an account", content, problem: problemOf({ refusal }), script: PASSKEYS };
  },

  async submit(pageRequest) {
    const { signIn, client, request, query } = pageRequest;
    const code = query("code");
    if (code === "") {
      await signIn.askSignUp(textOf(request, "email"), client);
      return { redirect: "sign-up?sent=1" };
    }
    return {
      redirect: "./",
      signedIn: await signIn.withSignUp({ code, ...newAccountOf(pageRequest) }, client),
    };
  },
};
