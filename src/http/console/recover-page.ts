// The page for those who are locked out: what they can do, and the link that signs in once.
import { html } from "../documentation/html.ts";
import { fieldOf } from "./form-body.ts";
import type { Page } from "./page.ts";
import { deadLink } from "./set-up-page.ts";

const HELP = html`<div class="panel">
  <p>
    Ask the operator of this server for a link. They make one with
    <code>reeve user sign-in-link NAME</code>; it signs you in once, and you can choose a new password then.
  </p>
  <p><a href="sign-in">Back to signing in</a></p>
</div>`;

export const recoverPage: Page = {
  path: "recover",
  summary: "Sign in with a link",
  needsSession: false,

  async show({ signIn, query, refusal }) {
    const code = query("code");
    if (code === "") return { title: "I can't sign in", content: HELP };
    const link = await signIn.previewLink(code);
    if (!link || refusal?.code === "link_unknown") return deadLink();
    if (link.purpose === "set-up") return { redirect: `set-up?code=${encodeURIComponent(code)}` };
    const content = html`<p>This link signs in to the account <strong>${link.username}</strong> once.</p>
      <form method="post" class="panel">
        <input type="hidden" name="username" value="${link.username}" autocomplete="username" />
        <label for="password">New password</label>
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
        </p>
        <button class="wide">Sign in</button>
      </form>`;
    return { title: `Sign in as ${link.username}`, content, problem: refusal?.message ?? null };
  },

  async submit({ signIn, client, cookies, request, query }) {
    const password = fieldOf(request, "password");
    const method = password === "" ? null : { password };
    const opened = await signIn.withLink({ code: query("code"), method }, client);
    return { redirect: "./", cookies: cookies.signedIn(opened) };
  },
};
