// Removes a deleted team or account. The change that deletes it inserts it into `removals`: from then on, statements that look for
// it, its credentials or its due work leave it out (`isNotRemoved` of platform/store/prepared.ts). Its rows are deleted afterwards, in steps that
// take a writer some milliseconds and go on after a restart.
import type { Caller, Origin } from "../../kernel/caller.ts";
import { parseStored } from "../../kernel/text/stored-json.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import {
  DELETIONS,
  clearDefaultTeams,
  deleteRemoval,
  deleteRow,
  findAnyRemoval,
  insertRemoval,
  recordRemoved,
  release,
  takeRemoval,
} from "./store.ts";

/** Rows that one step removes. */
const STEP = 200;
/** Leaving a team counts as so many rows: it records an event of the team, and ends the account's access there. */
const TEAM_WEIGHT = 10;
/** Steps that the deletion itself takes. They suffice for an owner of usual size. */
const FIRST_STEPS = 2;

/** The deleted account with its names, and the caller who deleted it: the events of its teams name both, whenever they are recorded. */
export interface AccountRemoval {
  readonly user: { readonly id: string; readonly username: string; readonly email: string };
  readonly caller: Caller;
  readonly origin: Origin;
}

export type Removed =
  | { readonly kind: "team"; readonly ownerId: string }
  | { readonly kind: "user"; readonly ownerId: string; readonly accountRemoval: AccountRemoval };

type Owner = Pick<Removed, "kind" | "ownerId">;

/** What a resource does when an owner is deleted, besides the deletion of its rows, which `store.ts` lists. */
export interface RemovalHook {
  /** Refuses the deletion before it begins. The caller holds the owner's lock. */
  readonly refuse?: (tx: Tx, owner: Owner) => Promise<void>;
  /** Ends what must not outlive the owner, after its last event. */
  readonly end?: (tx: Tx, owner: Owner, now: number) => Promise<void>;
  /** Removes a deleted account from its next teams. Returns fewer than `limit` when there are no more. */
  readonly leave?: (tx: Tx, accountRemoval: AccountRemoval, limit: number, now: number) => Promise<number>;
}

/** The removal of owners with the hooks of all resources. */
export interface OwnerRemoval {
  /** Throws the refusal of a hook, if there is one. */
  requireRemovable(tx: Tx, owner: Owner): Promise<void>;
  /** Begins to remove an owner. The caller holds its lock, and has recorded its last event. */
  begin(tx: Tx, removed: Removed, now: number): Promise<void>;
  /** Takes one step for an owner; returns 0 when there is nothing to do, or another transaction does it. */
  continue(tx: Tx, ownerId: string, now: number): Promise<number>;
}

interface Step {
  readonly rows: number;
  readonly isDone: boolean;
}

/** Runs the hooks that remove an account from teams. Returns the number of teams. */
async function leave(
  tx: Tx,
  hooks: readonly RemovalHook[],
  accountRemoval: AccountRemoval,
  limit: number,
  now: number,
): Promise<number> {
  let left = 0;
  for (const hook of hooks)
    if (hook.leave && left < limit) left += await hook.leave(tx, accountRemoval, limit - left, now);
  return left;
}

/** Deletes the next rows of an owner. */
async function removeSome(tx: Tx, hooks: readonly RemovalHook[], removed: Removed, now: number): Promise<Step> {
  const { kind, ownerId } = removed;
  const most = STEP / TEAM_WEIGHT;
  let rows = kind === "user" ? await leave(tx, hooks, removed.accountRemoval, most, now) : 0;
  if (rows === most) return { rows, isDone: false };
  let remaining = STEP - rows * TEAM_WEIGHT;
  for (const { table, weight, deleteSome } of DELETIONS[kind]) {
    const limit = Math.ceil(remaining / weight);
    if (table === "memberships") await clearDefaultTeams(tx, { ownerId, limit, now });
    const deleted = await deleteSome(tx, { ownerId, limit });
    rows += deleted;
    remaining -= deleted * weight;
    if (deleted === limit || remaining <= 0) return { rows, isDone: false };
  }
  return { rows, isDone: true };
}

async function finish(tx: Tx, { kind, ownerId }: Removed): Promise<void> {
  await deleteRow[kind](tx, { id: ownerId });
  await deleteRemoval(tx, { ownerId });
}

export function isAnyRemovalPending(reader: Tx): Awaitable<boolean> {
  const found = findAnyRemoval(reader, {});
  return found instanceof Promise ? found.then((row) => row !== undefined) : found !== undefined;
}

/** `hooks` run in their order. */
export function createOwnerRemoval(hooks: readonly RemovalHook[]): OwnerRemoval {
  return {
    async requireRemovable(tx, owner) {
      for (const hook of hooks) await hook.refuse?.(tx, owner);
    },

    async begin(tx, removed, now) {
      const { kind, ownerId } = removed;
      for (const hook of hooks) await hook.end?.(tx, removed, now);
      const accountRemoval = removed.kind === "user" ? JSON.stringify(removed.accountRemoval) : null;
      await insertRemoval(tx, { ownerId, accountRemoval, now });
      let rows = 0;
      for (let steps = 0; steps < FIRST_STEPS; steps++) {
        const step = await removeSome(tx, hooks, removed, now);
        rows += step.rows;
        if (step.isDone) return await finish(tx, removed);
      }
      await release[kind](tx, { id: ownerId, name: `deleted:${ownerId}`, now });
      await recordRemoved(tx, { ownerId, rows });
    },

    async continue(tx, ownerId, now) {
      const removal = await takeRemoval(tx, { ownerId });
      if (!removal) return 0;
      const { accountRemoval } = removal;
      const removed: Removed =
        accountRemoval === null
          ? { kind: "team", ownerId }
          : { kind: "user", ownerId, accountRemoval: parseStored(accountRemoval) as AccountRemoval };
      const { rows, isDone } = await removeSome(tx, hooks, removed, now);
      if (isDone) await finish(tx, removed);
      else await recordRemoved(tx, { ownerId, rows });
      return 1;
    },
  };
}
