// Who may make an account for themselves.
import type { SignUpRule } from "../../platform/kernel/settings/setting-values.ts";
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { domainOf, requireEmail } from "../../platform/kernel/text/email-address.ts";

/** Refuses everybody where accounts are made by invitation. */
export function requireSignUp({ kind }: SignUpRule): void {
  if (kind !== "invitation") return;
  throw new ApiError(
    "sign_up_closed",
    "Accounts are made by invitation on this server (REEVE_SIGN_UP): ask its operator, or an owner of your team, for one",
  );
}

/** The canonical form of an address; refuses one that may make no account. */
export function requireAllowedAddress(rule: SignUpRule, text: string): string {
  requireSignUp(rule);
  const email = requireEmail(text);
  if (rule.kind !== "domains" || rule.domains.includes(domainOf(email))) return email;
  const expected = `expected an address of ${rule.domains.join(" or ")} (REEVE_SIGN_UP)`;
  throw fieldError("sign_up_closed", "body.email", expected);
}
