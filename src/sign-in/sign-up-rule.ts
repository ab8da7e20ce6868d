// Who may make an account for themselves.
import { domainToASCII } from "node:url";
import type { SignUpRule } from "../config/setting-values.ts";
import { ApiError, fieldError } from "../kernel/errors.ts";
import { requireForm } from "../resources/users/rules.ts";

/** Refuses everybody where accounts are made by invitation. */
export function requireSignUp({ kind }: SignUpRule): void {
  if (kind !== "invitation") return;
  throw new ApiError(
    "sign_up_closed",
    "Accounts are made by invitation on this server (REEVE_SIGN_UP): ask whoever runs it, or an owner of your team, for one",
  );
}

/** Refuses an address that may make no account. */
export function requireAllowedAddress(rule: SignUpRule, email: string): void {
  requireSignUp(rule);
  requireForm("email", email);
  if (rule.kind !== "domains") return;
  // As the setting is read: in lower case, and in ASCII.
  const domain = domainToASCII(email.slice(email.lastIndexOf("@") + 1));
  if (rule.domains.includes(domain)) return;
  const expected = `expected an address of ${rule.domains.join(" or ")} (REEVE_SIGN_UP)`;
  throw fieldError("sign_up_closed", "body.email", expected);
}
