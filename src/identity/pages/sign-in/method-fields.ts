// Fields of forms that prove who somebody is, or make a method to sign in with: a password, or a passkey.
import type { FastifyRequest } from "fastify";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import type { MethodInput, ProofInput } from "../../sign-in/sign-in-methods.ts";
import { fieldOf, textOf } from "../form-body.ts";
import type { PageRequest } from "../page.ts";

/** The path of the script that passkeys need. */
export const PASSKEYS = "passkeys.js";

/** A field for a new password. Password managers offer one, and its owner can paste. */
export function newPasswordField(label = "Password"): Html {
  return html`<label for="password">${label}</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="new-password"
      minlength="8"
      maxlength="256"
      required
      aria-describedby="password-hint"
    />
    <p class="hint" id="password-hint">
      Hard to guess, and at least 8 characters: several words are easiest to remember.
    </p>`;
}

/** A button that asks for a passkey; the page's script shows it. `isAlone`: the form has no other button. */
export function passkeyButton(purpose: "new" | "proof", label: string, isAlone = false): Html {
  return html`<div data-passkey-part hidden>
    ${isAlone ? html`` : html`<p class="or">or</p>`}
    <input type="hidden" name="passkey" />
    <button type="button" class="plain wide" data-passkey="${purpose}">${label}</button>
    <p class="hint" data-passkey-status role="alert"></p>
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

/** What a form ends with that makes a way to sign in: a password or a passkey, or a passkey where passwords are switched off. */
export function newMethodPart(visit: Pick<PageRequest, "signIn" | "client">, label: string): Html {
  if (!visit.signIn.policy.hasPasswords) return onlyPasskey(visit, "new", `${label} with a passkey`);
  return html`${newPasswordField()}
    <button class="wide">${label}</button>
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
