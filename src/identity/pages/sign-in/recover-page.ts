// The page for those who are locked out: what they can do, and the link that signs in once.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { fieldOf, textOf } from "../form-body.ts";
import { PASSKEYS, methodOf, passkeyButton } from "./method-fields.ts";
import { problemOf } from "../page.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";
import { deadLink } from "./set-up-page.ts";

const SENT =
  "If there is an account with this name, a link is on its way to its e-mail address. It works once, for an hour. Asking again sends no second one before that: use the latest mail.";

function mailForm({ request }: PageRequest): Html {
  return html`<form method="post" class="panel" aria-labelledby="with-mail">
    <h2 id="with-mail">With a link by mail</h2>
    <input type="hidden" name="action" value="mail" />
    <label for="mail-login">Username or e-mail address</label>
    <input
      id="mail-login"
      name="login"
      value="${textOf(request, "login")}"
      autocomplete="username"
      autocapitalize="none"
      spellcheck="false"
      maxlength="256"
      required
    />
    <button class="wide">Send me a link</button>
  </form>`;
}

/** What those can do who have no link. */
function showHelp(visit: PageRequest): PageResult {
  const { request, refusal, query, signIn } = visit;
  const content = html`${signIn.policy.hasMail ? mailForm(visit) : html``}
    <form method="post" class="panel" aria-labelledby="with-code">
      <h2 id="with-code">With a recovery code</h2>
      <label for="login">Username or e-mail address</label>
      <input
        id="login"
        name="login"
        value="${textOf(request, "login")}"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        maxlength="256"
        required
      />
      <label for="code">Recovery code</label>
      <input
        id="code"
        name="code"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        maxlength="64"
        required
      />
      <button class="wide">Sign in</button>
    </form>
    <div class="panel">
      <h2>With a link of the operator</h2>
      <p>
        Ask whoever operates this server for a link. They make one with <code>reeve user sign-in-link NAME</code>; it
        signs you in once.
      </p>
      <p><a href="sign-in">Back to signing in</a></p>
    </div>`;
  const note = query("sent") === "" || refusal ? null : SENT;
  return { title: "I can't sign in", content, problem: problemOf({ refusal }), note };
}

const OPTIONAL_PASSWORD = html`<label for="password">New password</label>
  <input
    id="password"
    name="password"
    type="password"
    autocomplete="new-password"
    maxlength="256"
    aria-describedby="password-hint"
  />
  <p class="hint" id="password-hint">
    Leave it empty to keep the one that you have. A new one signs you out everywhere else.
  </p>`;

export const recoverPage: Page = {
  path: "recover",
  summary: "Sign in with a link",
  needsSession: false,

  async show(visit) {
    const { signIn, query, refusal } = visit;
    const code = query("code");
    if (code === "") return showHelp(visit);
    const link = await signIn.previewLink(code);
    if (!link || refusal?.code === "link_unknown") return deadLink();
    if (link.purpose === "set-up") return { redirect: `set-up?code=${encodeURIComponent(code)}` };
    const content = html`<p>This link signs in to the account <strong>${link.username}</strong> once.</p>
      <form method="post" class="panel">
        <input type="hidden" name="username" value="${link.username}" autocomplete="username" />
        ${signIn.policy.hasPasswords ? OPTIONAL_PASSWORD : html``}
        <button class="wide">Sign in</button>
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
