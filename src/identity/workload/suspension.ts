// Suspends the API keys and the trust rules that may do more than the person responsible for them.
import type { Tx } from "../../platform/kernel/tx.ts";
import { NO_PERMISSIONS } from "../../platform/kernel/roles.ts";
import type { PermissionMask, TeamRole } from "../../platform/kernel/roles.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { endExcess, excessOf, permissionsByRole, permissionsOf, suspendKeys } from "../api-keys/responsibility.ts";
import type { Person } from "../api-keys/responsibility.ts";
import { listTrustRulesBeyond, suspendTrustRulesBeyond } from "./store.ts";

/** `missing`: a JSON array of the permissions that the person does not have. */
async function suspendTrustRules(
  tx: Tx,
  act: EventContext,
  teamId: string,
  { userId, username }: Person,
  { missing, trusts }: { readonly missing: string; readonly trusts: Awaited<ReturnType<typeof listTrustRulesBeyond>> },
): Promise<void> {
  if (trusts.length === 0) return;
  await suspendTrustRulesBeyond(tx, { teamId, userId, missing, now: act.now });
  const count = trusts.length;
  await emit(tx, act, {
    type: "identity-trusts-suspended",
    ownerId: teamId,
    entityId: userId,
    text: `suspended ${count} trust ${count === 1 ? "rule" : "rules"} of ${username}, who may no longer do what they give`,
    payload: {
      teamId,
      uid: userId,
      username,
      trusts: trusts.map(({ id, name }) => ({ trustId: id, trustName: name })),
    },
  });
}

async function suspendBeyond(
  tx: Tx,
  act: EventContext,
  teamId: string,
  person: Person,
  permissions: PermissionMask,
): Promise<void> {
  const excess = excessOf(permissions);
  const { missing } = excess;
  // Together, because statements travel to PostgreSQL.
  const [trusts, keys] = await Promise.all([
    listTrustRulesBeyond(tx, { teamId, userId: person.userId, missing }),
    endExcess(tx, teamId, person, excess),
  ]);
  await suspendTrustRules(tx, act, teamId, person, { missing, trusts });
  await suspendKeys(tx, act, teamId, person, { excess, keys });
}

/** Suspends those of a team that may do more than the person responsible for them. The caller holds the team's lock. */
export async function suspendKeysBeyond(tx: Tx, act: EventContext, teamId: string, person: Person): Promise<void> {
  await suspendBeyond(tx, act, teamId, person, await permissionsOf(tx, teamId, person.userId));
}

/** The same after a change of the person's membership; null: it has ended. */
export async function suspendKeysAfter(
  tx: Tx,
  act: EventContext,
  teamId: string,
  { role, ...person }: Person & { readonly role: TeamRole | null },
): Promise<void> {
  await suspendBeyond(tx, act, teamId, person, await permissionsByRole(tx, person.userId, role));
}

/** Suspends all of a team that an account which is being deleted is responsible for. The caller holds the team's lock. */
export async function suspendAllKeys(tx: Tx, act: EventContext, teamId: string, person: Person): Promise<void> {
  await suspendBeyond(tx, act, teamId, person, NO_PERMISSIONS);
}
