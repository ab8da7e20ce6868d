// The part of the account page about the e-mail address.
import { ICONS } from "../../../platform/http/card-page.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { formatTime } from "../format-time.ts";
import { textOf } from "../form-body.ts";
import { problemOf, signedIn } from "../page.ts";
import type { PageRequest } from "../page.ts";
import { EMAIL, textField } from "../text-field.ts";

interface Address {
  readonly email: string;
  readonly isConfirmed: boolean;
  readonly pending: {
    readonly email: string;
    readonly waitsFor: readonly string[];
    readonly expiresAt: number;
  } | null;
}

function describePending({ pending }: Address): Html {
  if (!pending) return html``;
  const { email, waitsFor, expiresAt } = pending;
  const who = waitsFor.map((side) => `the ${side} address`).join(" and ");
  return html`<p class="note banner">
    ${ICONS.mail}<span
      >It changes to <strong>${email}</strong> when ${who} ${waitsFor.length > 1 ? "have" : "has"} confirmed, until
      ${formatTime(expiresAt)}. The links are in the mail there.</span
    >
  </p>`;
}

/** Empty where only an administrator can change the address. */
export async function renderEmail(pageRequest: PageRequest): Promise<Html> {
  const caller = signedIn(pageRequest);
  const address = (await pageRequest.runOperation(pageRequest.request, caller, "getEmail")) as Address;
  const { email, isConfirmed } = address;
  const canChange = pageRequest.signIn.policy.hasMail || caller.account.isAdmin;
  const form = html`<form method="post">
    ${textField(problemOf(pageRequest), {
      name: "email",
      label: isConfirmed ? "New address" : "Address to confirm",
      value: textOf(pageRequest.request, "email") || (isConfirmed ? "" : email),
      attributes: EMAIL,
    })}
    <button name="action" value="change-email">${isConfirmed ? "Change the address" : "Confirm an address"}</button>
  </form>`;
  return html`<section class="panel" aria-labelledby="email-heading">
    <h2 id="email-heading">E-mail address</h2>
    <p><strong>${email}</strong>${isConfirmed ? html`` : html` <span class="quiet">not confirmed</span>`}</p>
    ${describePending(address)} ${canChange ? form : html`<p class="hint">An administrator can change it.</p>`}
  </section>`;
}
