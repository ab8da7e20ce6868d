// A stored trust rule as its form shows it first, and what of it a form has changed.
import { issuedPermissions } from "../../../src/platform/kernel/issued-keys.ts";
import type { Permission } from "../../../src/platform/kernel/roles.ts";
import type { Input } from "../../api/endpoints.ts";
import type { TrustRule } from "./claim-rows.ts";

type Change = NonNullable<Input<"PATCH /v1/identity/trusts/:trustId">["body"]>;

/** What a form says about a rule; what a new rule does without is absent. */
type Typed = Pick<TrustRule, "name" | "issuer" | "audience" | "claims" | "role" | "singleUse"> &
  Partial<{ readonly [K in "permissions" | "projects" | "environments" | "names" | "allowedCidrs"]: TrustRule[K] }>;

/** What the plain fields of the form hold when it opens. */
export interface StoredFields {
  readonly name: string;
  readonly singleUse: boolean;
  /** Absent: all that keys of its role may have. */
  readonly permissions: readonly Permission[] | undefined;
  readonly limits: Readonly<Record<"projects" | "environments" | "names" | "networks", string>>;
}

function hasAllPermissions({ role, permissions }: TrustRule): boolean {
  const all = issuedPermissions(role);
  return permissions.length === all.length && all.every((one) => permissions.includes(one));
}

export function storedFields(trust: TrustRule): StoredFields {
  const { name, singleUse, permissions, projects, environments, names, allowedCidrs } = trust;
  const text = (list: readonly string[] | null): string => list?.join(" ") ?? "";
  return {
    name,
    singleUse,
    permissions: hasAllPermissions(trust) ? undefined : permissions,
    limits: {
      projects: text(projects),
      environments: text(environments),
      names: text(names),
      networks: text(allowedCidrs),
    },
  };
}

/** The fields of the form by name, for what its keys may do in words. */
export function storedWords(trust: TrustRule): Readonly<Record<string, string>> {
  const { permissions, limits } = storedFields(trust);
  return {
    role: trust.role,
    bound: permissions ? "chosen" : "role",
    ...Object.fromEntries(permissions?.map((permission) => [permission, "on"]) ?? []),
    ...limits,
  };
}

/** Every value that a change can name. */
function valuesOf(rule: Typed) {
  const { name, issuer, audience, claims, role, singleUse, allowedCidrs = [] } = rule;
  const { permissions = issuedPermissions(role), projects = null, environments = null, names = null } = rule;
  return {
    name,
    issuer,
    audience,
    claims,
    role,
    permissions: [...permissions],
    projects,
    environments,
    names,
    allowedCidrs: allowedCidrs.length === 0 ? null : allowedCidrs,
    singleUse,
  };
}
type Values = ReturnType<typeof valuesOf>;
const KEYS: Readonly<Record<keyof Values, string>> = {
  name: "Name",
  issuer: "Issuer",
  audience: "Audience",
  claims: "What has to fit",
  role: "Role",
  permissions: "May do",
  projects: "Projects",
  environments: "Environments",
  names: "Secrets and variables",
  allowedCidrs: "Networks",
  singleUse: "Exchange each token once",
};

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** Text that is the same for the same value: the order of lists and claims says nothing. */
function textOf(values: Values, key: keyof Values): string {
  const value = values[key];
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.toSorted(byText).join(", ");
  if (key === "claims") return JSON.stringify(Object.entries(values.claims).toSorted(([a], [b]) => byText(a, b)));
  return value === null ? "" : JSON.stringify(value);
}

/** What a form changes of a stored rule, as a request gives it. */
export function changeOf(stored: TrustRule, typed: Typed): Change {
  const [before, after] = [valuesOf(stored), valuesOf(typed)];
  const isChanged = (key: keyof Values): boolean => textOf(before, key) !== textOf(after, key);
  // Without permissions, a role has all of its own again.
  const isWider = isChanged("role") || isChanged("permissions");
  const keys = (Object.keys(KEYS) as (keyof Values)[]).filter((key) =>
    key === "role" || key === "permissions" ? isWider : isChanged(key),
  );
  return Object.fromEntries(keys.map((key) => [key, after[key]]));
}

/** What two people made of a rule: where it is not what the form showed first. */
export function differencesOf(base: TrustRule, stored: TrustRule, typed: Typed) {
  const [first, now, mine] = [base, stored, typed].map(valuesOf) as [Values, Values, Values];
  return (Object.keys(KEYS) as (keyof Values)[])
    .filter((key) => [now, mine].some((values) => textOf(values, key) !== textOf(first, key)))
    .map((key) => ({ label: KEYS[key], stored: textOf(now, key), typed: textOf(mine, key) }));
}
