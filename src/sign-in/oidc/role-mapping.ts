// Which roles the claims of a provider give, by the mappings of its configuration. A claim that the provider leaves out is unknown,
// which is not the same as empty: what it would decide stays as it is.
import type { OidcProvider, RoleMapping } from "../../config/oidc-file.ts";
import { higherRole } from "../../kernel/roles.ts";
import type { TeamRole } from "../../kernel/roles.ts";
import { findClaim, startsOfPath } from "../../kernel/text/claim-path.ts";
import { isIdentifying } from "../../kernel/text/identifying-value.ts";
import type { MappedRoles } from "../../resources/sign-in/identities/sign-in.ts";
import { isTrue } from "./identity.ts";
import type { Claims } from "./identity.ts";

/** Texts, numbers and booleans count as text; an array has each of its values, anything else none. */
function valuesOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.flatMap((value) => (Array.isArray(value) ? [] : valuesOf(value)));
  const text = typeof claim === "number" || typeof claim === "boolean" ? String(claim) : claim;
  return isIdentifying(text) ? [text] : [];
}

/**
 * The claims of the ID token, and of the userinfo response where the token has none. Either may say where claims are that it leaves out
 * (OpenID Connect Core 1.0, section 5.6.2); null is no value (section 5.3.2).
 */
export function mergeClaims(signed: Claims, fetched: Claims): Claims {
  const names = { ...(fetched["_claim_names"] as object), ...(signed["_claim_names"] as object) };
  const given = Object.entries(signed).filter(([, value]) => value !== null);
  return { ...fetched, ...Object.fromEntries(given), _claim_names: names };
}

/** A claim that mappings name and tokens do not have. */
interface AbsentClaim {
  readonly claim: string;
  /** The tokens say that there are values, and do not have them: too many groups, as a rule. */
  readonly isLeftOut: boolean;
}

/** OpenID Connect Core 1.0, section 5.6.2, and `hasgroups` of Microsoft Entra ID. */
function isLeftOut(claims: Claims, path: string): boolean {
  const elsewhere = Object(claims["_claim_names"]) as Claims;
  return startsOfPath(path).some((name) => Object.hasOwn(elsewhere, name) || isTrue(claims[`has${name}`]));
}

export function findAbsentClaims(mappings: readonly RoleMapping[], claims: Claims): readonly AbsentClaim[] {
  const paths = [...new Set(mappings.map(({ claim }) => claim))];
  const absent = paths.filter((path) => (findClaim(claims, path) ?? null) === null);
  return absent.map((claim) => ({ claim, isLeftOut: isLeftOut(claims, claim) }));
}

/** For the log: what follows, and what to change. */
export function describeAbsence({ id, missingClaims }: OidcProvider, { claim, isLeftOut: isOut }: AbsentClaim): string {
  const begin = `the ID token and the userinfo response of ${id} have no claim ${JSON.stringify(claim)}`;
  const keeps = "what its mappings in REEVE_OIDC_FILE have given stays as it is";
  if (isOut) {
    return `${begin}, and say that it is elsewhere: ${keeps}. Have the provider send fewer values, such as the groups that are assigned to this client, or map a roles claim`;
  }
  if (missingClaims === "unknown") return `${begin}: ${keeps}, because missingClaims is unknown`;
  return `${begin}: it counts as empty, and what its mappings in REEVE_OIDC_FILE have given ends. If the provider sends an empty list to people without values, set missingClaims: unknown; if the claim needs a scope, add that to scopes`;
}

export function mapRoles(
  mappings: readonly RoleMapping[],
  claims: Claims,
  missingClaims: OidcProvider["missingClaims"] = "none",
): MappedRoles {
  const absent = findAbsentClaims(mappings, claims);
  const unknown = new Set(
    absent.filter((one) => one.isLeftOut || missingClaims === "unknown").map(({ claim }) => claim),
  );
  const teams = new Map<string, MappedRoles["teams"][number]>();
  const instance: (boolean | null)[] = [];
  for (const mapping of mappings) {
    const isUnknown = unknown.has(mapping.claim);
    const fits = valuesOf(findClaim(claims, mapping.claim)).includes(mapping.value);
    if ("instance" in mapping) instance.push(isUnknown ? null : fits);
    else {
      const { team } = mapping;
      const before = teams.get(team);
      const role: TeamRole | null = higherRole(before?.role ?? null, fits ? mapping.role : null);
      teams.set(team, { team, role, ...((isUnknown || before?.isPartial) && { isPartial: true }) });
    }
  }
  const isAdministrator = instance.includes(true) ? true : instance.includes(null) ? null : (instance[0] ?? null);
  return { isAdministrator, teams: [...teams.values()] };
}
