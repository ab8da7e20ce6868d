// The one script of the server's pages, which work without it: it asks the browser's authenticator and puts what it says into the form. Buttons for passkeys
// are shown by it, so that a browser without them shows none.

import { createPasskeyCodec } from "./passkey-codec.ts";

export const PASSKEY_SCRIPT = `
const supported = window.PublicKeyCredential !== undefined && navigator.credentials !== undefined;
const codec = (${createPasskeyCodec.toString()})();

async function ask(purpose, form) {
  const body = new URLSearchParams({ purpose });
  for (const name of ["username", "name"]) if (form.elements[name]) body.set(name, form.elements[name].value);
  const response = await fetch("passkey-options" + location.search, { method: "POST", body, redirect: "error" });
  const options = await response.json();
  if (!response.ok) throw new Error(options.error.message);
  const asked = { publicKey: codec.readOptions(options) };
  return purpose === "proof" ? navigator.credentials.get(asked) : navigator.credentials.create(asked);
}

async function press(button) {
  const { form } = button;
  const purpose = button.dataset.passkey;
  const status = form.querySelector("[data-passkey-status]");
  const password = form.elements.password;
  const isRequired = password?.required;
  if (password) password.required = false;
  if (purpose === "new" && !form.reportValidity()) {
    if (password) password.required = isRequired;
    return;
  }
  button.disabled = true;
  status.textContent = "";
  try {
    const credential = await ask(purpose, form);
    form.elements.passkey.value = JSON.stringify(codec.describe(credential));
    const action = form.querySelector("button[name=action]");
    if (action) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "action", value: action.value }));
    form.submit();
  } catch (error) {
    if (password) password.required = isRequired;
    button.disabled = false;
    status.textContent =
      error.name === "NotAllowedError" ? "That was cancelled, or took too long: try again."
      : error.name === "InvalidStateError" ? "This device has a passkey of this account already."
      : error.message;
  }
}

for (const button of document.querySelectorAll("button[data-passkey]")) {
  button.closest("[data-passkey-part]").hidden = !supported;
  button.addEventListener("click", () => press(button));
}
`;
