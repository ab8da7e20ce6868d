// Applies a patch to a team. Absent fields do not change, one level down as well, so that a client which knows half of a
// setting can't delete the other half.
import { UNSET } from "./patch-schema.ts";
import type { TeamPatch } from "./patch-schema.ts";
import type { TeamValues } from "./settings.ts";

type Member = keyof TeamPatch & keyof TeamValues;

/** Computes the new value of a field from the given and the previous one; undefined removes the setting. */
type Settle<K extends Member> = (
  given: Exclude<TeamPatch[K], undefined>,
  before: TeamValues[K] | undefined,
  now: number,
) => TeamValues[K] | undefined;

/** Merges `given` over `before`; an empty `given` changes nothing. */
function overlay<T extends object>(given: object, before: T | undefined): T | undefined {
  return Object.keys(given).length === 0 ? before : ({ ...before, ...given } as T);
}

const DAYS: Readonly<Record<string, number>> = {
  "1d": 1,
  "1w": 7,
  "2w": 14,
  "1m": 30,
  "2m": 60,
  "3m": 90,
  "6m": 180,
  "1y": 365,
  "2y": 730,
  "3y": 1095,
  unlimited: 36_500,
};

/** The members of `defaultExpirationSettings` as they are sent, and as they are served. */
const EXPIRATIONS = {
  expiration: "expirationDays",
  expirationProduction: "expirationDaysProduction",
  expirationCanceled: "expirationDaysCanceled",
  expirationErrored: "expirationDaysErrored",
} as const;

function settleExpiration(given: Readonly<Record<string, string>>): object {
  const days = Object.entries(given).map(([name, span]) => [EXPIRATIONS[name as keyof typeof EXPIRATIONS], DAYS[span]]);
  return Object.fromEntries(days);
}

type Protections = Exclude<TeamPatch["defaultDeploymentProtection"], null | undefined>;

function settleProtection({ passwordProtection, ssoProtection }: Protections): object {
  return {
    // The password is dropped: nothing reads it, so storing it would only risk a leak.
    ...(passwordProtection === undefined
      ? {}
      : { passwordProtection: passwordProtection && { deploymentType: passwordProtection.deploymentType } }),
    ...(ssoProtection === undefined
      ? {}
      : { ssoProtection: ssoProtection && { deploymentType: ssoProtection.deploymentType ?? "preview" } }),
  };
}

type Policy = Exclude<TeamPatch["deploymentPolicy"], string | undefined>;

function settlePolicy(given: Policy, before: TeamValues["deploymentPolicy"]): TeamValues["deploymentPolicy"] {
  const rules = Object.entries({ ...before, ...given }).filter(([, rule]) => rule !== UNSET);
  return rules.length === 0 ? undefined : Object.fromEntries(rules);
}

interface DatedSwitch {
  enabled: boolean;
  updatedAt: number;
}

function settleSwitch({ enabled }: { enabled: boolean }, before: DatedSwitch | undefined, now: number): DatedSwitch {
  return before?.enabled === enabled ? before : { enabled, updatedAt: now };
}

/** The members that are merged or converted instead of being replaced. */
const SETTLE: { readonly [K in Member]?: Settle<K> } = {
  saml: overlay,
  remoteCaching: overlay,
  resourceConfig: ({ buildMachine }, before) =>
    buildMachine?.default === undefined ? before : { ...before, buildMachine },
  defaultProjectJobs: overlay,
  deploymentPolicy: (given, before) => (given === UNSET ? undefined : settlePolicy(given, before)),
  nsnbConfig: (given) => (given === UNSET ? undefined : given),
  defaultExpirationSettings: (given, before) => overlay(settleExpiration(given), before),
  defaultDeploymentProtection: (given, before) =>
    given === null ? undefined : overlay(settleProtection(given), before),
  strictDeploymentProtectionSettings: settleSwitch,
  strictShareableLinks: settleSwitch,
  strictPasswordProtectionSettings: settleSwitch,
  strictConnectors: settleSwitch,
};

/** The team's values after the patch. */
export function applyPatch(before: TeamValues, patch: TeamPatch, now: number): TeamValues {
  const { regenerateInviteCode, ...requested } = patch;
  // A caller who asks for a new code wants to share it, so the link is enabled.
  const given = regenerateInviteCode ? { inviteCodeEnabled: true, ...requested } : requested;
  const after: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(given)) {
    const settle = SETTLE[name as Member] as Settle<never> | undefined;
    const settled = settle ? settle(value as never, before[name as Member] as never, now) : value;
    if (settled === undefined) delete after[name];
    else after[name] = settled;
  }
  return after as TeamValues;
}
