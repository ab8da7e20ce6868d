// Who somebody is by what a provider says about them.
import type { OidcProvider } from "./oidc-file.ts";
import { canonicalEmail } from "../../platform/kernel/text/email-address.ts";
import { isIdentifying } from "../../platform/kernel/text/identifying-value.ts";
import type { ProviderIdentity } from "../methods/identities/identities.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** A name is for people; the rest of a longer one helps nobody. */
const MAX_NAME_LENGTH = 256;

/** For people alone: it is cleaned and cut, as nothing is that identifies somebody. */
function nameIn({ name }: Claims): string | null {
  const text = typeof name === "string" ? name.replace(/[\p{Cc}\p{Cs}]+/gu, " ").trim() : "";
  return text === "" ? null : text.slice(0, MAX_NAME_LENGTH).toWellFormed();
}

/** A value that identifies somebody, as it is; one that does not fit is none. */
function identifierIn(claims: Claims, name: string): string | null {
  const value = claims[name];
  return isIdentifying(value) ? value : null;
}

/** Providers write it as a boolean, as text, or as a number. */
export function isTrue(value: unknown): boolean {
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
  const said = identifierIn(source ?? claims, "email");
  const email = said === null ? null : (canonicalEmail(said) ?? null);
  return {
    issuer: signed.iss,
    subject: signed.sub,
    email,
    isEmailVerified: email !== null && source !== undefined && isTrue(source[emailVerifiedClaim]),
    name: nameIn(claims),
    username: identifierIn(claims, "preferred_username") ?? identifierIn(claims, "nickname"),
  };
}
