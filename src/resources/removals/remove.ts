// Removing a deleted team or account. The change that deletes it makes it disappear: `removals` names it, and whoever looks for
// it, its credentials or what is due in it passes over those (`stays` of store/prepared.ts). Its rows go afterwards, in steps
// that take a writer some milliseconds, and after a restart the steps go on.
import { parseStored } from "../../kernel/text/stored-json.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import { depart } from "../members/account-removal.ts";
import type { AccountRemoval } from "../members/account-removal.ts";
import {
  DELETIONS,
  clearDefaultTeams,
  deleteRemoval,
  deleteRow,
  findAnyRemoval,
  insertRemoval,
  noteRemoved,
  release,
  takeRemoval,
} from "./store.ts";

/** Rows that one step removes. */
const STEP = 200;
/** Leaving a team counts for so many rows: it is told in the team's events, and ends what the account knew there. */
const TEAM_WEIGHT = 10;
/** Steps that the deletion itself makes: of an owner of usual size nothing is left then. */
const FIRST_STEPS = 2;

export type Removed =
  | { readonly kind: "team"; readonly ownerId: string }
  | { readonly kind: "user"; readonly ownerId: string; readonly departure: AccountRemoval };

interface Step {
  readonly rows: number;
  readonly isDone: boolean;
}

/** Removes the next rows of an owner. */
async function removeSome(tx: Tx, removed: Removed, now: number): Promise<Step> {
  const { kind, ownerId } = removed;
  const most = STEP / TEAM_WEIGHT;
  let rows = kind === "user" ? await depart(tx, removed.departure, most, now) : 0;
  if (rows === most) return { rows, isDone: false };
  let room = STEP - rows * TEAM_WEIGHT;
  for (const { table, weight, deleteSome } of DELETIONS[kind]) {
    const limit = Math.ceil(room / weight);
    if (table === "memberships") await clearDefaultTeams(tx, { ownerId, limit, now });
    const deleted = await deleteSome(tx, { ownerId, limit });
    rows += deleted;
    room -= deleted * weight;
    if (deleted === limit || room <= 0) return { rows, isDone: false };
  }
  return { rows, isDone: true };
}

async function finish(tx: Tx, { kind, ownerId }: Removed): Promise<void> {
  await deleteRow[kind](tx, { id: ownerId });
  await deleteRemoval(tx, { ownerId });
}

/** Begins to remove an owner. The caller holds its lock, and has recorded everything that is to be recorded. */
export async function beginRemoval(tx: Tx, removed: Removed, now: number): Promise<void> {
  const { kind, ownerId } = removed;
  const departure = removed.kind === "user" ? JSON.stringify(removed.departure) : null;
  await insertRemoval(tx, { ownerId, departure, now });
  let rows = 0;
  for (let steps = 0; steps < FIRST_STEPS; steps++) {
    const step = await removeSome(tx, removed, now);
    rows += step.rows;
    if (step.isDone) return await finish(tx, removed);
  }
  await release[kind](tx, { id: ownerId, name: `deleted:${ownerId}`, now });
  await noteRemoved(tx, { ownerId, rows });
}

export function isAnyRemovalPending(reader: Tx): Awaitable<boolean> {
  const found = findAnyRemoval(reader, {});
  return found instanceof Promise ? found.then((row) => row !== undefined) : found !== undefined;
}

/** Makes one step for one owner; answers 0 when there is none. */
export async function continueRemoval(tx: Tx, now: number): Promise<number> {
  const removal = await takeRemoval(tx, {});
  if (!removal) return 0;
  const { ownerId, departure } = removal;
  const removed: Removed =
    departure === null
      ? { kind: "team", ownerId }
      : { kind: "user", ownerId, departure: parseStored(departure) as AccountRemoval };
  const { rows, isDone } = await removeSome(tx, removed, now);
  if (isDone) await finish(tx, removed);
  else await noteRemoved(tx, { ownerId, rows });
  return 1;
}
