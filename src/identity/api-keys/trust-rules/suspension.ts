// Suspends the trust rules that give more than the person responsible for them may do, as their API keys are.
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import type { EventContext } from "../../../events/events/emit.ts";
import { listTrustsBeyond, suspendTrustsBeyond } from "./store.ts";

interface Person {
  readonly teamId: string;
  readonly userId: string;
  readonly username: string;
}

/** `missing`: a JSON array of the permissions that the person does not have. The caller holds the team's lock. */
export async function suspendTrusts(tx: Tx, act: EventContext, person: Person, missing: string): Promise<void> {
  const { teamId, userId, username } = person;
  const trusts = await listTrustsBeyond(tx, { teamId, userId, missing });
  if (trusts.length === 0) return;
  await suspendTrustsBeyond(tx, { teamId, userId, missing, now: act.now });
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
