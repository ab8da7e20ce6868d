// Fields of forms that make a method to sign in with.
import { html } from "../documentation/html.ts";
import type { Html } from "../documentation/html.ts";

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
    <p class="hint" id="password-hint">At least 12 characters; several words are easiest to remember.</p>`;
}
