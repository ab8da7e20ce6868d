// The fields of a form that makes an account for a known address: the name, the username, and how to sign in.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { textOf } from "../form-body.ts";
import { methodOf, newMethodPart } from "./method-fields.ts";
import type { PageRequest } from "../page.ts";

/** A name that an address suggests, in the form of usernames. */
function suggestUsername(email: string): string {
  return (email.split("@")[0] ?? "")
    .replace(/[^A-Za-z0-9_.-]/g, "")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 48);
}

export function newAccountFields(visit: PageRequest, email: string, label: string): Html {
  const { request } = visit;
  const isGiven = request.method === "POST";
  return html`<label for="name">Your name</label>
    <input id="name" name="name" value="${textOf(request, "name")}" autocomplete="name" maxlength="256" />
    <label for="username">Username</label>
    <input
      id="username"
      name="username"
      value="${isGiven ? textOf(request, "username") : suggestUsername(email)}"
      autocomplete="username"
      autocapitalize="none"
      spellcheck="false"
      maxlength="48"
      required
      aria-describedby="username-hint"
    />
    <p class="hint" id="username-hint">
      Letters, digits, <code>_</code>, <code>.</code> and <code>-</code>. Your address is ${email}.
    </p>
    ${newMethodPart(visit, label)}`;
}

/** What these fields hold. */
export function newAccountOf({ request }: PageRequest) {
  return {
    username: textOf(request, "username"),
    name: textOf(request, "name") || null,
    method: methodOf(request),
  };
}
