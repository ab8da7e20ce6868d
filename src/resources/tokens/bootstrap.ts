// The first start on an empty store: creates an administrator and an access token. A generated token is shown once.
import { INSTANCE_ID } from "../../kernel/caller.ts";
import { createCredential, describeCredential } from "../../kernel/credential.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit, lockChain } from "../events/emit.ts";
import { createLink } from "../sign-in/codes/links.ts";
import { createAccount, isAnyAccount } from "../users/create.ts";
import { systemAct } from "../users/system.ts";
import { issueToken } from "./issue.ts";

export interface FirstAdministrator {
  /** The generated access token; null when the operator chose one. */
  readonly newToken: string | null;
  /** The code of the link by which the administrator sets the account up in a browser. */
  readonly setUpCode: string;
}

/** Creates the administrator when there is no user yet; returns null when there is. */
export async function bootstrapInstance(
  tx: Tx,
  givenToken: string | null,
  now: number,
): Promise<FirstAdministrator | null> {
  if (await isAnyAccount(tx)) return null;
  // Of several first starts at the same time, one makes the administrator, and the others see that.
  await lockChain(tx, INSTANCE_ID);
  if (await isAnyAccount(tx)) return null;
  const credential = givenToken === null ? createCredential("token") : describeCredential(givenToken);
  const names = { username: "admin", email: "admin@localhost" };
  const userId = await createAccount(tx, { ...names, name: null, isAdmin: true, emailSource: "typed" }, now);
  const act = systemAct(now);
  await emit(tx, act, {
    type: "user-created",
    ownerId: userId,
    entityId: userId,
    text: "created the administrator",
    payload: { ...names, uid: userId },
  });
  await issueToken(tx, act, { userId, name: "Bootstrap", credential });
  const { code: setUpCode } = await createLink(tx, act, userId, "set-up");
  return { newToken: givenToken === null ? credential.value : null, setUpCode };
}
