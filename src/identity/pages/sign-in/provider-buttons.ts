// Buttons that lead to providers.
import { ICONS } from "../../../platform/http/card-page.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface ProviderForm {
  readonly kind: "sign-in" | "invitation" | "link" | "proof";
  /** The page to go to afterwards. */
  readonly returnTo: string;
  /** The code of an invitation. */
  readonly code?: string;
  /** What the button says of a provider. */
  readonly label: (name: string) => string;
}

/** A form for each provider. The page is directly below /console/. */
export function providerButtons(providers: readonly Named[], { kind, returnTo, code, label }: ProviderForm): Html[] {
  return providers.map(
    ({ id, name }) =>
      html`<form method="post" action="sign-in/${id}">
        <input type="hidden" name="kind" value="${kind}" />
        <input type="hidden" name="return" value="${returnTo}" />
        ${code === undefined ? html`` : html`<input type="hidden" name="code" value="${code}" />`}
        <button class="wide">${ICONS.provider}${label(name)}</button>
      </form>`,
  );
}
