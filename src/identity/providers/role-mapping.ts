// Which roles the claims of a provider give, by the mappings of its configuration. A claim whose values the provider leaves
// out is unknown, which is not the same as empty: what it would decide stays as it is.
import type { OidcProvider, RoleMapping } from "./oidc-file.ts";
import { higherRole } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { findClaim, startsOfPath } from "../../platform/kernel/text/claim-path.ts";
import { isIdentifying } from "../../platform/kernel/text/identifying-value.ts";
import type { MappedRoles } from "../methods/identities/sign-in.ts";
import { isTrue } from "./identity.ts";
import type { Claims } from "./identity.ts";

/** Texts, numbers and booleans count as text; an array has each of its values, anything else none. */
function valuesOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.flatMap((value) => (Array.isArray(value) ? [] : valuesOf(value)));
  const text = typeof claim === "number" || typeof claim === "boolean" ? String(claim) : claim;
  return isIdentifying(text) ? [text] : [];
}

const isObject = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Null and an empty text stand for a claim that is not there (OpenID Connect Core 1.0, section 5.3.2), and so does an object of nothing
 * else, such as `realm_access: {}`.
 */
function isThere(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(isThere);
  return value !== undefined && value !== null && value !== "";
}

function hasValues(claim: unknown): boolean {
  return isObject(claim) ? Object.values(claim).some(hasValues) : valuesOf(claim).length > 0;
}

/**
 * The claims of which a response says that their values are elsewhere: by `_claim_names` (OpenID Connect Core 1.0, section 5.6.2), or as
 * Microsoft Entra ID does, by `hasgroups`, and by the name of a source, as the claim's value or behind its name.
 */
function findElsewhere(claims: Claims): ReadonlySet<string> {
  const membersOf = (name: string) => (isObject(claims[name]) ? Object.keys(claims[name]) : []);
  const sources = membersOf("_claim_sources");
  const names = Object.entries(claims).flatMap(([key, value]) => [
    ...(key.startsWith("has") && isTrue(value) ? [key.slice("has".length)] : []),
    ...sources.flatMap((source) => (key.endsWith(`:${source}`) ? [key.slice(0, -source.length - 1)] : [])),
    ...(sources.includes(value as string) ? [key] : []),
  ]);
  return new Set([...membersOf("_claim_names"), ...names]);
}

/**
 * The claims of the ID token, and of the userinfo response where the token has none, or says that they are elsewhere. `_claim_names` has
 * those that neither has in full.
 */
export function mergeClaims(signed: Claims, fetched: Claims): Claims {
  const [ofSigned, ofFetched] = [findElsewhere(signed), findElsewhere(fetched)];
  const isGiven = (name: string) => isThere(signed[name]) && !(ofSigned.has(name) && hasValues(fetched[name]));
  const merged = { ...fetched, ...Object.fromEntries(Object.entries(signed).filter(([name]) => isGiven(name))) };
  const isInFull = (name: string) => hasValues(merged[name]) && !(isGiven(name) ? ofSigned : ofFetched).has(name);
  const missing = [...ofSigned, ...ofFetched].filter((name) => !isInFull(name));
  return { ...merged, _claim_names: Object.fromEntries(missing.map((name) => [name, ""])) };
}

/** A claim that mappings name, whose values the tokens do not have. */
interface AbsentClaim {
  readonly claim: string;
  /** The tokens say that there are values, and do not have all of them: too many groups, as a rule. */
  readonly isLeftOut: boolean;
}

export function findAbsentClaims(mappings: readonly RoleMapping[], claims: Claims): readonly AbsentClaim[] {
  const elsewhere = Object(claims["_claim_names"]) as Claims;
  const paths = [...new Set(mappings.map(({ claim }) => claim))];
  return paths
    .map((claim) => ({ claim, isLeftOut: startsOfPath(claim).some((name) => Object.hasOwn(elsewhere, name)) }))
    .filter(({ claim, isLeftOut }) => isLeftOut || !isThere(findClaim(claims, claim)));
}

/** For the log: what follows, and what to change. */
export function describeAbsence({ id, missingClaims }: OidcProvider, { claim, isLeftOut }: AbsentClaim): string {
  const named = JSON.stringify(claim);
  const keeps = "what its mappings in REEVE_OIDC_FILE have given stays as it is";
  if (isLeftOut) {
    return `the ID token or the userinfo response of ${id} says that values of the claim ${named} are elsewhere: ${keeps}. Have the provider send fewer values, such as the groups that are assigned to this client, or map a roles claim`;
  }
  const begin = `the ID token and the userinfo response of ${id} have no claim ${named}`;
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
    absent.filter(({ isLeftOut }) => isLeftOut || missingClaims === "unknown").map(({ claim }) => claim),
  );
  const teams = new Map<string, MappedRoles["teams"][number]>();
  const instance: (boolean | null)[] = [];
  for (const mapping of mappings) {
    const isUnknown = unknown.has(mapping.claim);
    const fits = valuesOf(findClaim(claims, mapping.claim)).includes(mapping.value);
    if ("instance" in mapping) instance.push(fits || (isUnknown ? null : false));
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
