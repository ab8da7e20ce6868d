// Fields of forms that prove who somebody is, or make a method to sign in with: a password, or a passkey.
import type { FastifyRequest } from "fastify";
import { ICONS } from "../../../platform/http/card-page.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import type { MethodInput, ProofInput } from "../../sign-in/sign-in-methods.ts";
import { fieldOf, textOf } from "../form-body.ts";
import { problemOf } from "../page.ts";
import type { PageRequest } from "../page.ts";
import { textField } from "../text-field.ts";

/** The path of the script that passkeys need. */
export const PASSKEYS = "passkeys.js";

/** A field for a new password. Password managers offer one, and its owner can paste. */
export function newPasswordField(pageRequest: Pick<PageRequest, "refusal">, label = "Password"): Html {
  return textField(problemOf(pageRequest), {
    name: "password",
    label,
    attributes: html`type="password" autocomplete="new-password" minlength="8" maxlength="256" required`,
    hint: "Hard to guess, and at least 8 characters: several words are easiest to remember.",
  });
}

/** What a form needs for a passkey; the page's script shows its button. */
function passkeyInputs(purpose: "new" | "proof", label: string, kind: "primary" | "plain"): Html {
  return html`<input type="hidden" name="passkey" />
    <button type="button" class="${kind} wide" data-passkey="${purpose}">${ICONS.passkey}${label}</button>
    <p class="problem" data-passkey-status role="alert"></p>`;
}

/** A button that asks for a passkey. `isAlone`: the form has no other button. */
export function passkeyButton(purpose: "new" | "proof", label: string, isAlone = false): Html {
  return html`<div data-passkey-part hidden>
    ${isAlone ? html`` : html`<p class="or">or</p>`} ${passkeyInputs(purpose, label, isAlone ? "primary" : "plain")}
  </div>`;
}

/** Where browsers make no passkeys. */
export const SECURE_SITES =
  "Browsers make passkeys for names of hosts over https, or for localhost: open this server as one of these";

/** A passkey where there is no other way. */
export function onlyPasskey(
  { signIn, client }: Pick<PageRequest, "signIn" | "client">,
  purpose: "new" | "proof",
  label: string,
): Html {
  if (!signIn.supportsPasskeys(client.site)) return html`<p class="hint">${SECURE_SITES}.</p>`;
  return html`${passkeyButton(purpose, label, true)}
    <p class="hint">This needs JavaScript, and a browser that has passkeys.</p>`;
}

export interface Proofs {
  readonly passkeyLabel: string;
  /** Forms that lead to providers. */
  readonly providers: readonly Html[];
  /** Asks for the password. */
  readonly password: Html;
  /** What every form holds. */
  readonly hidden?: Html;
}

/**
 * The ways to prove who one is, the strongest first. Its button is the primary one; where the browser has no passkeys, that of the
 * password is.
 */
export function proofForms(
  pageRequest: PageRequest,
  { passkeyLabel, providers, password, hidden = html`` }: Proofs,
): Html {
  if (!pageRequest.signIn.policy.hasPasswords) {
    return html`<form method="post">${hidden}${onlyPasskey(pageRequest, "proof", passkeyLabel)}</form>
      ${providers}`;
  }
  return html`<form method="post" data-passkey-part hidden>${passkeyInputs("proof", passkeyLabel, "primary")}</form>
    ${providers}
    <p class="or">or</p>
    <form method="post">${hidden}${password}</form>`;
}

/** What a form ends with that makes a way to sign in: a password or a passkey, or a passkey where passwords are switched off. */
export function newMethodPart(pageRequest: PageRequest, label: string): Html {
  if (!pageRequest.signIn.policy.hasPasswords) return onlyPasskey(pageRequest, "new", `${label} with a passkey`);
  return html`${newPasswordField(pageRequest)}
    <button class="primary wide">${label}</button>
    ${passkeyButton("new", "Use a passkey instead of a password")}`;
}

/** The method that a form makes; an empty password makes none. */
export function methodOf(request: FastifyRequest): MethodInput {
  const passkey = fieldOf(request, "passkey");
  return passkey === ""
    ? { password: fieldOf(request, "password") }
    : { passkey, name: textOf(request, "passkey-name") };
}

/** The proof that a form holds. */
export function proofOf(request: FastifyRequest): ProofInput {
  const passkey = fieldOf(request, "passkey");
  return passkey === "" ? { password: fieldOf(request, "password") } : { passkey };
}

/** What a page shows of a refused proof: beside the password, if that was the proof. */
export function proofProblem(pageRequest: PageRequest) {
  return problemOf(pageRequest, "password" in proofOf(pageRequest.request) ? "password" : undefined);
}
