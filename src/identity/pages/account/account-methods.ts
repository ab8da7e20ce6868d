// The part of the account page about sign-in: password, passkeys and recovery codes.
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { formatTime } from "../format-time.ts";
import { SECURE_SITES, newPasswordField, passkeyButton } from "../sign-in/method-fields.ts";
import { signedIn } from "../page.ts";
import type { PageRequest } from "../page.ts";
import { textField } from "../text-field.ts";

interface ListedPasskey {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

export interface Methods {
  readonly passkeys: readonly ListedPasskey[];
  readonly password: { readonly isSet: boolean; readonly changedAt: number | null };
  readonly recoveryCodes: { readonly remaining: number };
}

const PAGE = 100;

/** What the API says of the visitor's ways to sign in. */
export async function readMethods(pageRequest: PageRequest): Promise<Methods> {
  const caller = signedIn(pageRequest);
  const read = (operation: string, query = {}) =>
    pageRequest.runOperation(pageRequest.request, caller, operation, { query });
  const [listed, password, recoveryCodes] = await Promise.all([
    read("listPasskeys", { limit: PAGE }),
    read("getPassword"),
    read("getRecoveryCodes"),
  ]);
  const { passkeys } = listed as Pick<Methods, "passkeys">;
  return { passkeys, password, recoveryCodes } as Methods;
}

function passkeyRow({ id, name, host, createdAt, usedAt }: ListedPasskey, ownHost: string): Html {
  const foreign = host === ownHost ? html`` : html` · made for ${host}`;
  return html`<li>
    <div>
      <strong>${name}</strong><br /><span class="quiet"
        >since ${formatTime(createdAt)} ·
        ${usedAt === null ? "never used" : html`last used ${formatTime(usedAt)}`}${foreign}</span
      >
    </div>
    <form method="post">
      <input type="hidden" name="action" value="delete-passkey" />
      <input type="hidden" name="id" value="${id}" />
      <button class="danger" aria-label="Remove the passkey ${name}">Remove</button>
    </form>
  </li>`;
}

function passkeySection({ passkeys }: Methods, pageRequest: PageRequest): Html {
  const { site } = pageRequest.client;
  const add = pageRequest.signIn.supportsPasskeys(site)
    ? html`<form method="post">
        ${textField(null, {
          name: "passkey-name",
          label: "Name of a new passkey",
          attributes: html`maxlength="100" placeholder="Laptop"`,
        })}
        ${passkeyButton("new", "Add a passkey", true)}
        <button name="action" value="add-passkey" hidden>Add</button>
      </form>`
    : html`<p class="hint">${SECURE_SITES} to add one.</p>`;
  return html`<section class="panel" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    ${
      passkeys.length === 0
        ? html`<p class="quiet">
            None. A passkey signs you in with your device's lock, and can't be guessed or phished.
          </p>`
        : html`<ul class="rows">
            ${passkeys.map((passkey) => passkeyRow(passkey, new URL(site.origin).hostname))}
          </ul>`
    }
    ${add}
  </section>`;
}

function newPasswordForm(isSet: boolean, pageRequest: PageRequest): Html {
  return html`<form method="post">
    <input type="hidden" name="username" value="${signedIn(pageRequest).account.username}" autocomplete="username" />
    ${newPasswordField(pageRequest, "New password")}
    <p class="hint">A new password signs you out everywhere else.</p>
    <button name="action" value="set-password">${isSet ? "Change the password" : "Set a password"}</button>
  </form>`;
}

function passwordSection({ password: { isSet, changedAt } }: Methods, pageRequest: PageRequest): Html {
  const { hasPasswords } = pageRequest.signIn.policy;
  if (!hasPasswords && !isSet) return html``;
  const state = isSet && changedAt !== null ? html`Set ${formatTime(changedAt)}.` : html`None.`;
  const remove = isSet
    ? html`<form method="post">
        <button class="danger" name="action" value="delete-password">Remove the password</button>
      </form>`
    : html``;
  return html`<section class="panel" aria-labelledby="password-heading">
    <h2 id="password-heading">Password</h2>
    <p class="quiet">${state}${hasPasswords ? html`` : html` Passwords are switched off here: it signs nobody in.`}</p>
    ${hasPasswords ? newPasswordForm(isSet, pageRequest) : html``} ${remove}
  </section>`;
}

function recoverySection({ recoveryCodes: { remaining } }: Methods): Html {
  return html`<section class="panel" aria-labelledby="recovery">
    <h2 id="recovery">Recovery codes</h2>
    <p>
      Each signs you in once when nothing else does. You have <strong>${remaining === 0 ? "none" : remaining}</strong>.
      Keep them where your devices are not.
    </p>
    <form method="post">
      <button name="action" value="new-codes">${remaining > 0 ? "Replace the codes" : "Make ten codes"}</button>
    </form>
  </section>`;
}

export function renderMethods(methods: Methods, pageRequest: PageRequest): Html {
  return html`${passkeySection(methods, pageRequest)} ${passwordSection(methods, pageRequest)}
  ${recoverySection(methods)}`;
}
