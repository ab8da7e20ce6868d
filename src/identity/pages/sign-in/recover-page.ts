// The page for those who are locked out: what they can do, and the link that signs in once.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { fieldOf, textOf } from "../form-body.ts";
import { PASSKEYS, methodOf, passkeyButton } from "./method-fields.ts";
import { problemOf } from "../page.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";
import { LOGIN, textField } from "../text-field.ts";
import { deadLink } from "./set-up-page.ts";

const SENT =
  "If there is an account with this name, a link is on its way to its e-mail address. It works once, for an hour. Asking again sends no second one before that: use the latest mail.";

function loginField(pageRequest: PageRequest, id: string): Html {
  return textField(null, {
    name: "login",
    id,
    label: "E-mail or username",
    value: textOf(pageRequest.request, "login"),
    attributes: LOGIN,
  });
}

function mailForm(pageRequest: PageRequest): Html {
  return html`<form method="post" class="panel" aria-labelledby="with-mail">
    <h2 id="with-mail">With a link by mail</h2>
    <input type="hidden" name="action" value="mail" />
    ${loginField(pageRequest, "mail-login")}
    <button class="primary wide">Send me a link</button>
  </form>`;
}

/** What those can do who have no link. */
function showHelp(pageRequest: PageRequest): PageResult {
  const { refusal, query, signIn } = pageRequest;
  const problem = problemOf({ refusal }, "code");
  const { hasMail } = signIn.policy;
  const content = html`${hasMail ? mailForm(pageRequest) : html``}
    <form method="post" class="panel" aria-labelledby="with-code">
      <h2 id="with-code">With a recovery code</h2>
      ${loginField(pageRequest, "login")}
      ${textField(problem, {
        name: "code",
        label: "Recovery code",
        attributes: html`autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" required`,
      })}
      <button class="${hasMail ? "" : "primary "}wide">Sign in</button>
    </form>
    <div class="panel">
      <h2>With a link of the operator</h2>
      <p>
        Ask the operator of this server for a link. They make one with <code>reeve user sign-in-link NAME</code>; it
        signs you in once.
      </p>
    </div>`;
  const note = query("sent") === "" || refusal ? null : SENT;
  return {
    title: "I can't sign in",
    preposition: "to",
    content,
    foot: html`<a href="sign-in">Back to signing in</a>`,
    problem,
    note,
  };
}

function optionalPassword(pageRequest: PageRequest): Html {
  return textField(problemOf(pageRequest), {
    name: "password",
    label: "New password",
    attributes: html`type="password" autocomplete="new-password" maxlength="256"`,
    hint: "Leave it empty to keep the one that you have. A new one signs you out everywhere else.",
  });
}

export const recoverPage: Page = {
  path: "recover",
  summary: "Sign in with a link",
  needsSession: false,

  async show(pageRequest) {
    const { signIn, query, refusal } = pageRequest;
    const code = query("code");
    if (code === "") return showHelp(pageRequest);
    const link = await signIn.previewLink(code);
    if (!link || refusal?.code === "link_unknown") return deadLink();
    if (link.purpose === "set-up") return { redirect: `set-up?code=${encodeURIComponent(code)}` };
    const content = html`<p>This link signs in to the account <strong>${link.username}</strong> once.</p>
      <form method="post">
        <input type="hidden" name="username" value="${link.username}" autocomplete="username" />
        ${signIn.policy.hasPasswords ? optionalPassword(pageRequest) : html``}
        <button class="primary wide">Sign in</button>
        ${passkeyButton("new", "Sign in and add a passkey")}
      </form>`;
    return { title: `Sign in as ${link.username}`, content, problem: problemOf({ refusal }), script: PASSKEYS };
  },

  async submit({ signIn, client, request, query }) {
    const linkCode = query("code");
    if (linkCode === "" && fieldOf(request, "action") === "mail") {
      await signIn.askRecovery(textOf(request, "login"), client);
      return { redirect: "recover?sent=1" };
    }
    if (linkCode === "") {
      const input = { login: textOf(request, "login"), code: textOf(request, "code") };
      return { redirect: "account", signedIn: await signIn.withRecoveryCode(input, client) };
    }
    const method = methodOf(request);
    const isKept = "password" in method && method.password === "";
    const opened = await signIn.withLink({ code: linkCode, method: isKept ? null : method }, client);
    return { redirect: "./", signedIn: opened };
  },
};
