// Which roles the claims of a provider give, by the mappings of its configuration.
import type { RoleMapping } from "../../config/oidc-file.ts";
import { higherRole } from "../../kernel/roles.ts";
import type { TeamRole } from "../../kernel/roles.ts";
import type { MappedRoles } from "../../resources/sign-in/identities/sign-in.ts";
import type { Claims } from "./identity.ts";

/**
 * The value of a claim by its path. Dots lead into objects, but names may have dots of their own, as in
 * `https://acme.com/roles`: the longest name that exists counts.
 */
function findClaim(claims: unknown, path: string): unknown {
  if (typeof claims !== "object" || claims === null) return undefined;
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path];
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(claims, name)) return findClaim((claims as Claims)[name], path.slice(dot + 1));
  }
  return undefined;
}

/** Texts, numbers and booleans count as text; an array has each of its values, anything else none. */
function valuesOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.flatMap((value) => (Array.isArray(value) ? [] : valuesOf(value)));
  return ["string", "number", "boolean"].includes(typeof claim) ? [String(claim)] : [];
}

export function mapRoles(mappings: readonly RoleMapping[], claims: Claims): MappedRoles {
  const teams = new Map<string, TeamRole | null>();
  let isAdministrator: boolean | null = null;
  for (const mapping of mappings) {
    const fits = valuesOf(findClaim(claims, mapping.claim)).includes(mapping.value);
    if ("instance" in mapping) isAdministrator = isAdministrator === true || fits;
    else teams.set(mapping.team, higherRole(teams.get(mapping.team) ?? null, fits ? mapping.role : null));
  }
  return { isAdministrator, teams: [...teams].map(([team, role]) => ({ team, role })) };
}
