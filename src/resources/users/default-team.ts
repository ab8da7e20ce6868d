// The team that clients open first: always one that the account is a member of.
import type { Tx } from "../../kernel/tx.ts";
import { lockChain } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { changeUser } from "./change.ts";
import { findUser } from "./store.ts";

/** Makes a team the account's default one. The caller holds the team's lock and found the account to be a member. */
export async function chooseDefaultTeam(tx: Tx, act: Act, uid: string, teamId: string): Promise<void> {
  await lockChain(tx, uid);
  const row = await findUser(tx, { id: uid });
  if (row) await changeUser(tx, act, row, { defaultTeamId: teamId });
}
