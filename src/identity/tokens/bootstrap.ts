// What a start does for an administrator: the first one creates the account and its token, which is shown once. Each makes a link to set
// the account up, until somebody has.
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import { createCredential, describeCredential, hashCredential } from "../../platform/kernel/credential.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import { addLink } from "../methods/codes/links.ts";
import { canAnyAdministratorSignIn } from "../methods/methods.ts";
import { findAdministrator } from "../accounts/administrators.ts";
import { createAccount, isAnyAccount } from "../accounts/create.ts";
import { systemAct } from "../../events/events/system.ts";
import { issueToken } from "./issue.ts";
import { findTokenWithUser } from "./store.ts";

export interface Bootstrap {
  /** Whether this start created the administrator. */
  readonly isFirst: boolean;
  /** The generated access token; null when the operator chose one, and for later starts. */
  readonly newToken: string | null;
  /** There were accounts, and the token that the operator chose is no token of one of them. */
  readonly isTokenUnused: boolean;
  /** The link by which the administrator sets the account up in a browser; null: it has been. */
  readonly setUp: { readonly username: string; readonly code: string } | null;
}

type SetUp = Bootstrap["setUp"];

async function createAdministrator(tx: Tx, givenToken: string | null, now: number): Promise<Bootstrap> {
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
  const { code } = await addLink(tx, act, userId, "set-up");
  const newToken = givenToken === null ? credential.value : null;
  return { isFirst: true, newToken, isTokenUnused: false, setUp: { username: names.username, code } };
}

/** While no administrator can sign in, a link for the first one. */
async function linkAdministrator(tx: Tx, now: number): Promise<SetUp> {
  if (await canAnyAdministratorSignIn(tx)) return null;
  const found = await findAdministrator(tx);
  if (!found) return null;
  await lockOwner(tx, found.id);
  if (await canAnyAdministratorSignIn(tx)) return null;
  const { code } = await addLink(tx, systemAct(now), found.id, "set-up");
  return { username: found.username, code };
}

/** Creates the administrator when there is no user yet. */
export async function bootstrapInstance(tx: Tx, givenToken: string | null, now: number): Promise<Bootstrap> {
  if (!(await isAnyAccount(tx))) {
    // Of several first starts at the same time, one makes the administrator, and the others see that.
    await lockOwner(tx, INSTANCE_ID);
    if (!(await isAnyAccount(tx))) return await createAdministrator(tx, givenToken, now);
  }
  const hash = givenToken === null ? null : hashCredential(givenToken);
  const isTokenUnused = hash !== null && !(await findTokenWithUser(tx, { hash, now }));
  return { isFirst: false, newToken: null, isTokenUnused, setUp: await linkAdministrator(tx, now) };
}
