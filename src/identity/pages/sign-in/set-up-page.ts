// The page of a set-up link: the first sign-in to an account, which gets its name, its address and a password here.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { textOf } from "../form-body.ts";
import { PASSKEYS, methodOf, newMethodPart } from "./method-fields.ts";
import { problemOf } from "../page.ts";
import type { Page } from "../page.ts";
import { EMAIL, textField } from "../text-field.ts";

/** What a link that no longer works shows: the same for every reason, because a stranger may be asking. */
export function deadLink(): { readonly title: string; readonly content: Html; readonly status: number } {
  return {
    title: "This link no longer works",
    content: html`<p>It has expired, was used, or was replaced by a newer one.</p>
      <p>
        <a href="sign-in">Sign in</a>, or ask the operator of this server for another link (<code
          >reeve user sign-in-link NAME</code
        >).
      </p>`,
    status: 404,
  };
}

export const setUpPage: Page = {
  path: "set-up",
  summary: "Set up an account from a link",
  needsSession: false,

  async show(pageRequest) {
    const { signIn, query, refusal, request } = pageRequest;
    const code = query("code");
    const link = await signIn.previewLink(code);
    if (!link || refusal?.code === "link_unknown") return deadLink();
    if (link.purpose !== "set-up") return { redirect: `recover?code=${encodeURIComponent(code)}` };
    const isGiven = request.method === "POST";
    const placeholder = link.email.endsWith("@localhost") ? "" : link.email;
    const problem = problemOf(pageRequest);
    const content = html`<p>
        This link signs in to the account <strong>${link.username}</strong> once. Say who you are, and choose how to
        sign in from now on.
      </p>
      <form method="post">
        ${textField(problem, {
          name: "name",
          label: "Your name",
          value: isGiven ? textOf(request, "name") : (link.name ?? ""),
          attributes: html`autocomplete="name" maxlength="256"`,
          isFirst: true,
        })}
        ${textField(problem, {
          name: "email",
          label: "E-mail address",
          value: isGiven ? textOf(request, "email") : placeholder,
          attributes: EMAIL,
        })}
        <input type="hidden" name="username" value="${link.username}" autocomplete="username" />
        ${newMethodPart(pageRequest, "Set up and sign in")}
      </form>`;
    return { title: "Set up your account", content, problem, script: PASSKEYS };
  },

  async submit({ signIn, client, request, query }) {
    const opened = await signIn.withLink(
      {
        code: query("code"),
        account: { name: textOf(request, "name") || null, email: textOf(request, "email") },
        method: methodOf(request),
      },
      client,
    );
    return { redirect: "./", signedIn: opened };
  },
};
