// The first start on an empty store: an administrator and an access token, which is shown once where it was made here.
import { createCredential, describeCredential } from "../../kernel/credential.ts";
import { newId } from "../../kernel/ids.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit, startChain } from "../events/emit.ts";
import { enterAccount } from "../search/entries.ts";
import { issueToken } from "../tokens/issue.ts";
import { findAnyUser, insertUser } from "./store.ts";
import { systemAct } from "./system.ts";

export interface FirstAdministrator {
  /** The access token that was made; null where the operator gave one, and so has it. */
  readonly newToken: string | null;
}

/** Creates the administrator when there is no user yet; answers null when there is. */
export async function bootstrapInstance(
  tx: Tx,
  givenToken: string | null,
  now: number,
): Promise<FirstAdministrator | null> {
  if (await findAnyUser(tx, {})) return null;
  const credential = givenToken === null ? createCredential("token") : describeCredential(givenToken);
  const userId = newId("user");
  const position = positionAt(now);
  await startChain(tx, userId, "user");
  await insertUser(tx, {
    id: userId,
    email: "admin@localhost",
    emailKey: "admin@localhost",
    username: "admin",
    usernameKey: "admin",
    name: null,
    isAdmin: 1,
    now,
    position,
  });
  await enterAccount(tx, userId);
  const act = systemAct(now);
  await emit(tx, act, {
    type: "user-created",
    ownerId: userId,
    entityId: userId,
    text: "created the administrator",
    payload: { username: "admin", email: "admin@localhost", uid: userId },
  });
  await issueToken(tx, act, { userId, name: "Bootstrap", credential });
  return { newToken: givenToken === null ? credential.value : null };
}
