// The fields of a form that makes an account for a known address: the name, the username, and how to sign in.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { textOf } from "../form-body.ts";
import { methodOf, newMethodPart } from "./method-fields.ts";
import { problemOf } from "../page.ts";
import type { PageRequest } from "../page.ts";
import { textField } from "../text-field.ts";

/** A name that an address suggests, in the form of usernames. */
function suggestUsername(email: string): string {
  return (email.split("@")[0] ?? "")
    .replace(/[^A-Za-z0-9_.-]/g, "")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 48);
}

export function newAccountFields(pageRequest: PageRequest, email: string, label: string): Html {
  const { request } = pageRequest;
  const problem = problemOf(pageRequest);
  return html`${textField(problem, {
    name: "name",
    label: "Your name",
    value: textOf(request, "name"),
    attributes: html`autocomplete="name" maxlength="256"`,
  })}
  ${textField(problem, {
    name: "username",
    label: "Username",
    value: request.method === "POST" ? textOf(request, "username") : suggestUsername(email),
    attributes: html`autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="48" required`,
    hint: html`Letters, digits, <code>_</code>, <code>.</code> and <code>-</code>. Your address is ${email}.`,
  })}
  ${newMethodPart(pageRequest, label)}`;
}

/** What these fields hold. */
export function newAccountOf({ request }: PageRequest) {
  return {
    username: textOf(request, "username"),
    name: textOf(request, "name") || null,
    method: methodOf(request),
  };
}
