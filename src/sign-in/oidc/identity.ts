// Who somebody is by what a provider says about them.
import type { OidcProvider } from "../../config/oidc-file.ts";
import { canonicalEmail } from "../../kernel/text/email-address.ts";
import type { ProviderIdentity } from "../../resources/sign-in/identities/identities.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** A name is for people; the rest of a longer one helps nobody. */
const MAX_LENGTH = 256;

function textIn(claims: Claims, name: string): string | null {
  const value = claims[name];
  // oxlint-disable-next-line no-control-regex -- those are what is taken out
  const text = typeof value === "string" ? value.replace(/[\u0000-\u001f\u007f]+/g, " ").trim() : "";
  return text === "" ? null : text.slice(0, MAX_LENGTH);
}

/** Providers write it as a boolean, as text, or as a number. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

/**
 * `signed` are the claims of the ID token, `fetched` those of the userinfo endpoint, which may differ: an address counts as verified
 * only where the same source says so.
 */
export function readIdentity(
  { emailVerifiedClaim }: Pick<OidcProvider, "emailVerifiedClaim">,
  signed: Claims & { readonly iss: string; readonly sub: string },
  fetched: Claims,
): ProviderIdentity {
  const source = [signed, fetched].find((claims) => "email" in claims && emailVerifiedClaim in claims);
  const claims = { ...fetched, ...signed };
  const { email: said } = source ?? claims;
  const email = typeof said === "string" ? (canonicalEmail(said) ?? null) : null;
  return {
    issuer: signed.iss,
    subject: signed.sub,
    email,
    isEmailVerified: email !== null && source !== undefined && isTrue(source[emailVerifiedClaim]),
    name: textIn(claims, "name"),
    username: textIn(claims, "preferred_username") ?? textIn(claims, "nickname"),
  };
}
