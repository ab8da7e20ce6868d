// The first start on an empty store: an administrator and an access token, which is shown once where it was made here.
import { createCredential, describeCredential } from "../../kernel/credential.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { createAccount, isAnyAccount } from "../users/create.ts";
import { systemAct } from "../users/system.ts";
import { issueToken } from "./issue.ts";

export interface FirstAdministrator {
  /** The access token that was made; null where the operator gave one, and so has it. */
  readonly newToken: string | null;
}

/** Creates the administrator when there is no user yet; returns null when there is. */
export async function bootstrapInstance(
  tx: Tx,
  givenToken: string | null,
  now: number,
): Promise<FirstAdministrator | null> {
  if (await isAnyAccount(tx)) return null;
  const credential = givenToken === null ? createCredential("token") : describeCredential(givenToken);
  const names = { username: "admin", email: "admin@localhost" };
  const userId = await createAccount(tx, { ...names, name: null, isAdmin: true }, now);
  const act = systemAct(now);
  await emit(tx, act, {
    type: "user-created",
    ownerId: userId,
    entityId: userId,
    text: "created the administrator",
    payload: { ...names, uid: userId },
  });
  await issueToken(tx, act, { userId, name: "Bootstrap", credential });
  return { newToken: givenToken === null ? credential.value : null };
}
