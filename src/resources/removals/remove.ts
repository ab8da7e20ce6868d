// Removing a deleted team. The change that deletes it makes it disappear: `removals` names it, and whoever looks for a team,
// its credentials or what is due in it passes over those (`stays` of store/prepared.ts). Its rows go afterwards, in steps that
// take a writer some milliseconds, and after a restart the steps go on.
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import {
  OWNED,
  clearDefaultTeams,
  deleteRemoval,
  deleteTeam,
  deletionOf,
  findAnyRemoval,
  insertRemoval,
  noteRemoved,
  releaseNames,
  takeRemoval,
} from "./store.ts";

/** Rows that one step removes. */
const STEP = 200;
/** Steps that the deletion itself makes: of a team of usual size nothing is left then. */
const FIRST_STEPS = 2;

interface Step {
  readonly rows: number;
  readonly isDone: boolean;
}

/** Removes the next rows of a team. */
async function removeSome(tx: Tx, ownerId: string, now: number): Promise<Step> {
  let rows = 0;
  let room = STEP;
  for (const owned of OWNED) {
    const limit = Math.ceil(room / owned.weight);
    if (owned.table === "memberships") await clearDefaultTeams(tx, { ownerId, limit, now });
    const deleted = await deletionOf(owned)(tx, { ownerId, limit });
    rows += deleted;
    room -= deleted * owned.weight;
    if (deleted === limit || room <= 0) return { rows, isDone: false };
  }
  return { rows, isDone: true };
}

async function finish(tx: Tx, ownerId: string): Promise<void> {
  await deleteTeam(tx, { id: ownerId });
  await deleteRemoval(tx, { ownerId });
}

/** Begins to remove a team. The caller holds its lock, and has recorded everything that is to be recorded. */
export async function beginRemoval(tx: Tx, ownerId: string, now: number): Promise<void> {
  await insertRemoval(tx, { ownerId, now });
  let rows = 0;
  for (let steps = 0; steps < FIRST_STEPS; steps++) {
    const step = await removeSome(tx, ownerId, now);
    rows += step.rows;
    if (step.isDone) return await finish(tx, ownerId);
  }
  await releaseNames(tx, { id: ownerId, name: `deleted:${ownerId}` });
  await noteRemoved(tx, { ownerId, rows });
}

export function isAnyRemovalPending(reader: Tx): Awaitable<boolean> {
  const found = findAnyRemoval(reader, {});
  return found instanceof Promise ? found.then((row) => row !== undefined) : found !== undefined;
}

/** Makes one step for one team; answers 0 when there is none. */
export async function continueRemoval(tx: Tx, now: number): Promise<number> {
  const removal = await takeRemoval(tx, {});
  if (!removal) return 0;
  const { ownerId } = removal;
  const { rows, isDone } = await removeSome(tx, ownerId, now);
  if (isDone) await finish(tx, ownerId);
  else await noteRemoved(tx, { ownerId, rows });
  return 1;
}
