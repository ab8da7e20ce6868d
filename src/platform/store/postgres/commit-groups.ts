// Gathers units of work into shared transactions: what arrives while others are under way is committed together. Units of one owner are
// under way in one transaction of this process at a time.
import { StoreError } from "../database.ts";
import type { UnitOutcome, SharedOutcome, Unit } from "./shared-transaction.ts";

/** Shared transactions at a time. With more, each has fewer units, and fewer statements are written together. */
const LANES = 2;
/** Units of one transaction. Larger groups hardly save more, and delay the first unit. */
const MAX_UNITS = 64;
/** Units of one owner, which run one after the other, in a transaction that others wait for. */
const MAX_OF_OWNER = 8;
/** A unit that was undone so often because of others runs by itself. */
const MAX_TIMES_UNDONE = 3;
/** A unit that waits longer is refused, as one that waits for a connection is. */
const MAX_WAIT_MS = 3_000;
const LOOK_MS = 500;

export type SettledTransaction = Omit<SharedOutcome, "endings">;

export interface WaitingUnit extends Unit {
  /** Of `performance.now()`. */
  readonly askedAt: number;
  /** How often it was undone because of others. */
  timesUndone: number;
  /** Called once, with how it ended, and when the transaction began in which it did. */
  settle(ending: Extract<UnitOutcome, { readonly kind: "done" | "failed" }>, transaction: SettledTransaction): void;
  /** Runs it in a transaction of its own, and settles it. Never rejects. */
  runApart(): Promise<void>;
}

export interface CommitGroupsOptions {
  /** Runs units in a shared transaction. Never rejects. */
  run(units: readonly WaitingUnit[], how: { readonly skipsHeld: boolean }): Promise<SharedOutcome>;
}

const byOwner = (units: readonly WaitingUnit[]) => Map.groupBy(units, ({ ownerId }) => ownerId);

/** Returns what to call with each unit. */
export function createCommitGroups({ run }: CommitGroupsOptions): (unit: WaitingUnit) => void {
  const waiting = new Map<string, WaitingUnit[]>();
  /** The owners of waiting units of whom none is under way, in the order in which they came. */
  const ready = new Set<string>();
  const busy = new Set<string>();
  let lanes = 0;
  let isStarting = false;
  let isLooking = false;

  /** While units wait, refuses those that have waited for too long. */
  function refuseLate(): void {
    isLooking = false;
    const now = performance.now();
    const latest = now - MAX_WAIT_MS;
    const error = new StoreError("the changes before this one took too long", { reason: "busy" });
    for (const [ownerId, units] of waiting) {
      const inTime = units.filter(({ askedAt }) => askedAt >= latest);
      for (const unit of units) {
        if (unit.askedAt < latest) unit.settle({ kind: "failed", error }, { begunAt: now, times: null });
      }
      if (inTime.length > 0) waiting.set(ownerId, inTime);
      else {
        waiting.delete(ownerId);
        ready.delete(ownerId);
      }
    }
    lookSoon();
  }

  function lookSoon(): void {
    if (isLooking || waiting.size === 0) return;
    isLooking = true;
    setTimeout(refuseLate, LOOK_MS);
  }

  function take(): WaitingUnit[] {
    const units: WaitingUnit[] = [];
    const maxOfOwner = ready.size === 1 ? MAX_UNITS : MAX_OF_OWNER;
    for (const ownerId of ready) {
      const queue = waiting.get(ownerId) ?? [];
      units.push(...queue.splice(0, Math.min(maxOfOwner, MAX_UNITS - units.length)));
      if (queue.length === 0) waiting.delete(ownerId);
      ready.delete(ownerId);
      busy.add(ownerId);
      if (units.length === MAX_UNITS) break;
    }
    return units;
  }

  function start(): void {
    isStarting = false;
    while (lanes < LANES && ready.size > 0) {
      lanes++;
      void runGroup(take());
    }
  }

  /** In the next turn, so that the units of this one are together. */
  function startSoon(): void {
    if (isStarting || lanes === LANES || ready.size === 0) return;
    isStarting = true;
    setImmediate(start);
  }

  /** Settles the units that have ended; returns the others. */
  async function runAndSettle(units: readonly WaitingUnit[], how: { readonly skipsHeld: boolean }) {
    const outcome = await run(units, how);
    const left = { held: [] as WaitingUnit[], apart: [] as WaitingUnit[], again: [] as WaitingUnit[] };
    for (const [at, unit] of units.entries()) {
      const ending = outcome.endings[at] as UnitOutcome;
      if (ending.kind === "done" || ending.kind === "failed") unit.settle(ending, outcome);
      else if (ending.kind === "again" && ++unit.timesUndone >= MAX_TIMES_UNDONE) left.apart.push(unit);
      else left[ending.kind].push(unit);
    }
    return left;
  }

  /** They come before those that have arrived since. */
  function putBack(units: readonly WaitingUnit[]): void {
    for (const [ownerId, own] of byOwner(units)) waiting.set(ownerId, [...own, ...(waiting.get(ownerId) ?? [])]);
    lookSoon();
  }

  /** Runs what is left of an owner without a lane: it may wait for another process, and nobody else is to wait for that. */
  async function finish(ownerId: string, held: readonly WaitingUnit[], apart: readonly WaitingUnit[]): Promise<void> {
    const left = held.length > 0 ? await runAndSettle(held, { skipsHeld: false }) : { apart: [], again: [] };
    putBack(left.again);
    for (const unit of [...apart, ...left.apart]) await unit.runApart();
    busy.delete(ownerId);
    if (waiting.has(ownerId)) ready.add(ownerId);
    startSoon();
  }

  async function runGroup(units: readonly WaitingUnit[]): Promise<void> {
    const left = await runAndSettle(units, { skipsHeld: true });
    lanes--;
    putBack(left.again);
    const [held, apart] = [byOwner(left.held), byOwner(left.apart)];
    for (const ownerId of byOwner(units).keys()) {
      void finish(ownerId, held.get(ownerId) ?? [], apart.get(ownerId) ?? []);
    }
    startSoon();
  }

  return (unit) => {
    const { ownerId } = unit;
    const queue = waiting.get(ownerId);
    if (queue) queue.push(unit);
    else waiting.set(ownerId, [unit]);
    if (!busy.has(ownerId)) ready.add(ownerId);
    startSoon();
    lookSoon();
  };
}
